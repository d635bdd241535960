// Retention: what is retrieved again and again and never adopted leaves retrieval, but nothing that a job may build on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/graph/item_ids.h"
#include "memory/service/experience.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;
using testing::kProducer;

constexpr int kJunkAfter = 2;

class RetentionTest : public ::testing::Test {
 protected:
  void Open(bool retire_junk) {
    config::v1::MemoryConfig config;
    config.set_data_dir(folder_.path());
    config.set_junk_after_retrievals(kJunkAfter);
    config.set_retire_junk(retire_junk);
    auto opened = Experience::Open(config, common::Clock::Real(), metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    memory_ = *std::move(opened);
  }
  std::string Record(v1::RecordAttemptRequest request) {
    request.clear_journal();
    const auto recorded = memory_->RecordAttempt("local", request);
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->case_item_id() : "";
  }
  std::string RecordInsight() {
    v1::RecordItemRequest request;
    request.set_producer(kProducer);
    request.set_item_key("rumour");
    request.mutable_content()->set_kind(v1::INSIGHT);
    request.mutable_content()->set_title("A rumour");
    request.mutable_content()->set_text("softmax likes odd rows");
    request.mutable_content()->set_family("row_reduction");
    return memory_->RecordItem("local", request)->item_id();
  }
  // A stage whose prompt held everything that is retrieved, and adopted `adopted` of it, the best first.
  void RunStage(const std::string& id, int adopted) {
    const auto context = memory_->AssembleContext("local", testing::Context(id));
    ASSERT_TRUE(context.ok()) << context.status();
    ASSERT_TRUE(memory_->RecordAdoption("local", testing::Adoption(*context, adopted)).ok());
    ASSERT_TRUE(memory_->CompleteStage("local", testing::FinishedStage(id, {context->retrieval_id()})).ok());
  }
  v1::Lifecycle LifeOf(const std::string& item_id) {
    v1::GetItemRequest request;
    request.set_item_id(item_id);
    return memory_->GetItem("local", request)->item().lifecycle();
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-retention");
  common::Metrics registry_;
  MemoryMetrics metrics_{registry_};
  std::unique_ptr<Experience> memory_;
};

TEST_F(RetentionTest, JunkLeavesRetrievalAndCorrectAttemptsStay) {
  Open(/*retire_junk=*/true);
  const std::string winner = Record(testing::Attempt("a"));
  const std::string failed = Record(testing::FailedAttempt("f"));
  const std::string rumour = RecordInsight();
  RunStage("s1", 0);
  EXPECT_FALSE(LifeOf(rumour).retired()) << "once is not often enough";
  RunStage("s2", 0);
  for (const std::string& junk : {failed, rumour}) {
    EXPECT_TRUE(LifeOf(junk).retired());
    EXPECT_THAT(LifeOf(junk).reason(), HasSubstr("retrieved 2 times and never adopted"));
  }
  EXPECT_FALSE(LifeOf(winner).retired());
  v1::ListStartPointsRequest request;
  request.set_session("job-1");
  EXPECT_EQ(memory_->ListStartPoints("local", request)->start_points_size(), 1) << "P(x) keeps every feasible attempt";
}

TEST_F(RetentionTest, WhatWasAdoptedOnceIsNoJunk) {
  Open(/*retire_junk=*/true);
  const std::string rumour = RecordInsight();
  RunStage("s1", 1);
  for (int i = 2; i < 6; ++i) RunStage(absl::StrCat("s", i), 0);
  EXPECT_FALSE(LifeOf(rumour).retired());
}

TEST_F(RetentionTest, NothingIsRetiredUnlessItIsSwitchedOn) {
  Open(/*retire_junk=*/false);
  const std::string rumour = RecordInsight();
  for (int i = 0; i < 4; ++i) RunStage(absl::StrCat("s", i), 0);
  EXPECT_FALSE(LifeOf(rumour).retired());
  EXPECT_EQ(memory_->Stats("local", {})->junk_items(), 1);
}

}  // namespace
}  // namespace kernelsmith::memory
