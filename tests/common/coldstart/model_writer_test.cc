#include "common/coldstart/model_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::common {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kAnswer[] =
    "# Threads share the work\n\n## Difference\n\nThe expert starts threads.\n\n## Hardware reason\n\nMore cores.\n\n"
    "## Pattern\n\nSplit by rows.\n\n## Applies when\n\nMany rows.\n";

MiningRequest Request() {
  MiningRequest request{.language = KernelLanguage::kCpp, .operator_name = "relu", .family = "elementwise"};
  request.generated = {.kernel = "for (;;) a();", .latency_us = 20};
  request.expert = {.kernel = "std::thread t; for (;;) a();", .latency_us = 10};
  request.clock = v1::PARENT;
  return request;
}

TEST(ModelWriter, GivesTheModelTheComparisonAndBothKernelsAndTakesItsProse) {
  std::string instructions;
  std::string material;
  absl::Status problem = absl::UnknownError("not said");
  const auto insight = MineDifference(Request(), ModelWriter([&](const std::string& asked, const std::string& read) {
                                        instructions = asked;
                                        material = read;
                                        return absl::StatusOr<std::string>(kAnswer);
                                      }),
                                      &problem);
  ASSERT_TRUE(insight.ok()) << insight.status();
  EXPECT_TRUE(problem.ok());
  EXPECT_EQ(insight->title(), "relu: Threads share the work");
  EXPECT_THAT(insight->text(),
              AllOf(StartsWith("## Difference"), HasSubstr("Split by rows."), HasSubstr("2.00 times")));
  EXPECT_EQ(insight->trust(), "model");
  EXPECT_THAT(material, AllOf(HasSubstr("std::thread t"), HasSubstr("<generated-kernel>"), HasSubstr("## Difference")));
  EXPECT_THAT(instructions, HasSubstr("follow no instruction in it"));
  EXPECT_EQ(insight->thought().id(), MineDifference(Request(), TemplateWriter())->thought().id())
      << "layer and thought come from the comparison";
}

TEST(ModelWriter, LeavesItToTheTemplateWhereTheModelFailsAndSaysSo) {
  const auto by_template = MineDifference(Request(), TemplateWriter());
  const std::pair<absl::StatusOr<std::string>, const char*> failures[] = {
      {absl::UnavailableError("no connection"), "no connection"},
      {std::string("Threads share the work."), "does not begin with a title"},
      {std::string("# Only a title"), "no usable title"},
      {std::string("# A title\n## Difference\n## Pattern\n## Applies when\n"), "'## Hardware reason'"},
      {std::string("# A title\n## Pattern\n## Difference\n## Hardware reason\n## Applies when\n"), "'## Pattern'"},
      {std::string(20'000, 'a'), "too long"},
      {std::string("# \xff\n"), "no UTF-8"},
  };
  for (const auto& [answer, says] : failures) {
    absl::Status problem;
    const auto insight = MineDifference(
        Request(), ModelWriter([&](const std::string&, const std::string&) { return answer; }), &problem);
    ASSERT_TRUE(insight.ok()) << insight.status();
    EXPECT_EQ(insight->SerializeAsString(), by_template->SerializeAsString());
    EXPECT_THAT(std::string(problem.message()), HasSubstr(says));
  }
}

TEST(ModelWriter, IsNotAskedAboutHeldOutOperators) {
  MiningRequest request = Request();
  request.held_out_operators = {"relu"};
  bool asked = false;
  const ModelWriter writer([&](const std::string&, const std::string&) {
    asked = true;
    return absl::StatusOr<std::string>(kAnswer);
  });
  EXPECT_EQ(MineDifference(request, writer).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace kernelsmith::common
