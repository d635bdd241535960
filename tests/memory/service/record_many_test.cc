// RecordAttempts through gRPC: one call, an outcome for each attempt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::HasSubstr;
using Stub = v1::ExperienceMemory::Stub;

class RecordManyTest : public ::testing::Test {
 protected:
  absl::StatusOr<v1::RecordAttemptsResponse> Record(const std::vector<v1::RecordAttemptRequest>& attempts) {
    v1::RecordAttemptsRequest request;
    for (const v1::RecordAttemptRequest& attempt : attempts) *request.add_attempts() = attempt;
    return Call(*stub_, &Stub::RecordAttempts, request);
  }
  static absl::StatusCode CodeOf(const v1::RecordAttemptsResponse::Outcome& outcome) {
    return static_cast<absl::StatusCode>(outcome.status().code());
  }
  uint64_t Facts() { return Call(*stub_, &Stub::Stats, v1::StatsRequest())->facts(); }

  testing::MemoryServer server_;
  const std::unique_ptr<Stub> stub_ = server_.Stub();
};

TEST_F(RecordManyTest, RecordsEachAsRecordAttemptWould) {
  const auto many = Record({testing::Attempt("a"), testing::Attempt("b", "a"), testing::Attempt("c", "b")});
  ASSERT_TRUE(many.ok()) << many.status();
  ASSERT_EQ(many->outcomes_size(), 3);
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    EXPECT_FALSE(many->outcomes(i).has_status());
    EXPECT_EQ(many->outcomes(i).recorded().sequence(), static_cast<uint64_t>(i + 1)) << "in the order of the request";
    const auto again = Call(*stub_, &Stub::RecordAttempt,
                            testing::Attempt(std::string(1, static_cast<char>('a' + i)), i == 0   ? ""
                                                                                         : i == 1 ? "a"
                                                                                                  : "b"));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(again->duplicate());
    EXPECT_EQ(again->case_item_id(), many->outcomes(i).recorded().case_item_id());
    EXPECT_EQ(again->journal_item_id(), many->outcomes(i).recorded().journal_item_id());
  }
  EXPECT_EQ(Call(*stub_, &Stub::Lineage, v1::LineageRequest())->nodes_size(), 3);
}

TEST_F(RecordManyTest, AnswersARepeatAsDuplicates) {
  ASSERT_TRUE(Record({testing::Attempt("a"), testing::Attempt("b", "a")}).ok());
  const auto again = Record({testing::Attempt("a"), testing::Attempt("b", "a"), testing::Attempt("c", "b")});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->outcomes(0).recorded().duplicate());
  EXPECT_TRUE(again->outcomes(1).recorded().duplicate());
  EXPECT_FALSE(again->outcomes(2).recorded().duplicate());
  EXPECT_EQ(Facts(), 3u);
}

TEST_F(RecordManyTest, RefusesOnlyWhatIsWrong) {
  v1::RecordAttemptRequest nameless = testing::Attempt("b");
  nameless.mutable_case_()->clear_operator_name();
  const auto many = Record({testing::Attempt("a"), nameless, testing::Attempt("c", "b"), testing::Attempt("a", "", 2.0),
                            testing::Attempt("d", "a")});
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_FALSE(many->outcomes(0).has_status());
  EXPECT_EQ(CodeOf(many->outcomes(1)), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(many->outcomes(1).status().message(), HasSubstr("operator_name"));
  EXPECT_EQ(CodeOf(many->outcomes(2)), absl::StatusCode::kFailedPrecondition) << "its predecessor was refused";
  EXPECT_EQ(CodeOf(many->outcomes(3)), absl::StatusCode::kAlreadyExists) << "other content under the same id";
  EXPECT_FALSE(many->outcomes(4).has_status());
  EXPECT_EQ(Facts(), 2u);
}

TEST_F(RecordManyTest, RefusesNoneAndTooMany) {
  EXPECT_EQ(Record({}).status().code(), absl::StatusCode::kInvalidArgument);
  std::vector<v1::RecordAttemptRequest> many;
  for (int i = 0; i < 1001; ++i) many.push_back(testing::Attempt(absl::StrCat("n", i)));
  const auto refused = Record(many);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("1001"));
  EXPECT_EQ(Facts(), 0u);
}

}  // namespace
}  // namespace kernelsmith::memory
