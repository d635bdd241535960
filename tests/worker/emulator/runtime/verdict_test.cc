#include "worker/emulator/runtime/process/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kernelsmith::emulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

LaunchFacts Facts(LaunchEnd end) {
  LaunchFacts facts;
  facts.kernel = "_Z3addPDh";
  facts.blocks = 2;
  facts.end = end;
  facts.message = "what happened";
  facts.cores = {{CoreKind::kAiv, 0, 0}, {CoreKind::kAiv, 1, 0}};
  return facts;
}

Finding OutOfBounds(Space space) {
  Finding finding{};
  finding.check = Check::kOutOfBounds;
  finding.place = {"DataCopy", "k.asc", 12, Pipe::kMte2, 1};
  finding.space = space;
  finding.offset = 96;
  finding.bytes = 64;
  finding.text = "reads \x01 too far";
  return finding;
}

TEST(FailureOf, EndsMapToTheDocumentedCodes) {
  const struct {
    LaunchEnd end;
    bool cube;
    int code;
  } cases[] = {{LaunchEnd::kFault, false, 507035},        {LaunchEnd::kFault, true, 507015},
               {LaunchEnd::kAssert, false, 507035},       {LaunchEnd::kAssert, true, 507015},
               {LaunchEnd::kTimeout, false, 507014},      {LaunchEnd::kHang, true, 507014},
               {LaunchEnd::kUnknownKernel, false, 507027}};
  for (const auto& test : cases) {
    LaunchFacts facts = Facts(test.end);
    if (test.cube) facts.cores[0].kind = CoreKind::kAic;
    const auto failure = FailureOf(facts, 0, 1, 2, 3, "now");
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, test.code);
    EXPECT_THAT(failure->text, HasSubstr("what happened"));
  }
}

TEST(FailureOf, FindingsAloneStopNothing) {
  LaunchFacts facts = Facts(LaunchEnd::kDone);
  facts.findings.push_back(OutOfBounds(Space::kUb));
  EXPECT_FALSE(FailureOf(facts, 0, 1, 2, 3, "now"));
}

TEST(FailureOf, TheCardsWordsFollowTheFirstError) {
  LaunchFacts facts = Facts(LaunchEnd::kFault);
  facts.findings.push_back(OutOfBounds(Space::kUb));
  EXPECT_THAT(
      FailureOf(facts, 0, 1, 2, 3, "now")->text,
      AllOf(HasSubstr("error code = 0x4000000000000000"), HasSubstr("core id is 1"),
            HasSubstr("errorStr: VEC instruction error: the ub address out of bounds."),
            HasSubstr("fault kernel_name=add."), HasSubstr("out_of_bounds in DataCopy at k.asc:12: reads ? too far")));
  facts.findings[0].space = Space::kGlobal;
  EXPECT_THAT(FailureOf(facts, 0, 1, 2, 3, "now")->text,
              HasSubstr("The DDR address of the MTE instruction is out of range"));
  facts.findings[0].check = Check::kMisaligned;
  EXPECT_THAT(FailureOf(facts, 0, 1, 2, 3, "now")->text, HasSubstr("unaligned UUB addresses"));
  facts.findings[0].error = false;
  EXPECT_THAT(FailureOf(facts, 0, 1, 2, 3, "now")->text, ::testing::Not(HasSubstr("k.asc")));
}

TEST(ReportOf, IsOneLineOfJsonInPrintableAscii) {
  LaunchFacts facts = Facts(LaunchEnd::kDone);
  facts.kernel = "k\xff\n";
  Finding race = OutOfBounds(Space::kUb);
  race.check = Check::kRace;
  race.hazard = "RAW";
  race.other = {"Add", "k.asc", 10, Pipe::kVector, 0};
  facts.findings.push_back(race);
  facts.times.resize(1);
  facts.times[0].block = 1;
  facts.times[0].total_us = 11.5;
  facts.times[0].busy_us[static_cast<int>(Pipe::kMte2)] = 3;
  const std::string report = ReportOf(facts);
  for (const char c : report) EXPECT_TRUE(c >= ' ' && c <= '~');
  const auto json = nlohmann::json::parse(report);
  EXPECT_EQ(json["cores"][0]["core"], "aiv 1");
  EXPECT_EQ(json["cores"][0]["pipes"], (nlohmann::json{{"mte2", 3.0}}));
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["check"], "race");
  EXPECT_EQ(finding["hazard"], "RAW");
  EXPECT_EQ(finding["buffer"], "UB");
  EXPECT_EQ(finding["line"], 12);
  EXPECT_EQ(finding["core"], "aiv 1");
  EXPECT_EQ(finding["other_operation"], "Add");
  EXPECT_EQ(finding["other_line"], 10);
  EXPECT_EQ(finding["text"], "reads ? too far");
}

TEST(ReportOf, CoresOfMixedBlocksAreToldApart) {
  LaunchFacts facts = Facts(LaunchEnd::kDone);
  facts.cores = {{CoreKind::kAic, 0, 0}, {CoreKind::kAiv, 0, 0}, {CoreKind::kAiv, 0, 1}};
  facts.times.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    facts.times[i].kind = facts.cores[i].kind;
    facts.times[i].sub_block = facts.cores[i].sub_block;
  }
  const auto json = nlohmann::json::parse(ReportOf(facts));
  EXPECT_EQ(json["cores"][0]["core"], "aic 0");
  EXPECT_EQ(json["cores"][1]["core"], "aiv 0.0");
  EXPECT_EQ(json["cores"][2]["core"], "aiv 0.1");
}

TEST(ExamineLaunch, DamagedTraceOfALaunchThatSaysItIsDoneIsAFault) {
  const std::vector<std::byte> garbage(4096, std::byte{0x5a});
  Launch launch;
  launch.kernel = "k";
  const v1::Soc soc;
  EXPECT_EQ(ExamineLaunch(launch, {LaunchEnd::kDone, "", ""}, garbage, soc).end, LaunchEnd::kFault);
  EXPECT_EQ(ExamineLaunch(launch, {LaunchEnd::kTimeout, "slow", ""}, garbage, soc).end, LaunchEnd::kTimeout);
}

TEST(PlainKernelName, IsWhatTheAuthorWrote) {
  EXPECT_EQ(PlainKernelName("_Z3addPDh"), "add");
  EXPECT_EQ(PlainKernelName("_Z1tIfEvPT_"), "t<float>");
  EXPECT_EQ(PlainKernelName("add"), "add");
}

}  // namespace
}  // namespace kernelsmith::emulator
