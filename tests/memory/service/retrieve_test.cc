// Retrieve: filters before the pool, relevance before value, and nothing of another target's speed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/service/experience.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RetrieveTest : public ::testing::Test {
 protected:
  RetrieveTest() { memory_ = *Experience::Open(folder_.path(), common::Clock::Real(), metrics_); }

  void Record(const v1::RecordAttemptRequest& request) {
    const auto recorded = memory_->RecordAttempt("local", request);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  // Attempt ids of the cases found, best first.
  std::vector<std::string> Find(v1::RetrieveRequest query, bool cases_only = true) {
    if (cases_only) query.mutable_filter()->add_kinds(v1::CASE);
    const auto found = memory_->Retrieve("local", query);
    EXPECT_TRUE(found.ok()) << found.status();
    last_ = found.value_or(v1::RetrieveResponse());
    std::vector<std::string> ids;
    for (const v1::RankedItem& item : last_.items()) ids.push_back(item.item().attempt_id());
    return ids;
  }

  static v1::RetrieveRequest Query(const std::string& text, const std::string& preset) {
    v1::RetrieveRequest query;
    query.set_query(text);
    query.mutable_policy()->set_preset(preset);
    *query.mutable_target() = testing::HomeTarget();
    return query;
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-retrieve");
  common::Metrics registry_;
  MemoryMetrics metrics_{registry_};
  std::unique_ptr<Experience> memory_;
  v1::RetrieveResponse last_;
};

TEST_F(RetrieveTest, RetrievesNothingUnderPassAtK) {
  Record(testing::Attempt("a"));
  EXPECT_THAT(Find(Query("softmax", "pass_at_k")), IsEmpty());
  EXPECT_EQ(last_.candidates(), 0);
}

TEST_F(RetrieveTest, PutsTheBetterDownstreamScoreFirstUnderCombined) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("slow", "root", 0.5));
  Record(testing::Attempt("fast", "root", 4.0));
  Record(testing::Attempt("even", "root", 1.0));
  EXPECT_THAT(Find(Query("softmax", "combined")), ElementsAre("fast", "root", "even", "slow"));
  EXPECT_THAT(last_.items(0).reason(), HasSubstr("EFFECTIVE"));
  EXPECT_THAT(last_.items(0).reason(), HasSubstr("softmax"));
}

TEST_F(RetrieveTest, OrdersByLabelBucketUnderKope) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("slow", "root", 0.9));
  Record(testing::Attempt("fast", "root", 2.0));
  Record(testing::FailedAttempt("broken", "root"));
  EXPECT_THAT(Find(Query("softmax", "kope")), ElementsAre("fast", "root", "slow", "broken"));
  EXPECT_THAT(last_.items(3).reason(), HasSubstr("a failed attempt"));
}

TEST_F(RetrieveTest, IgnoresValuesUnderStaticRag) {
  Record(testing::Attempt("fast", "", 1.0));
  Record(testing::Attempt("slow", "fast", 0.1));
  EXPECT_THAT(Find(Query("softmax", "static_rag")), ElementsAre("slow", "fast")) << "equal relevance: the newer first";
}

TEST_F(RetrieveTest, NeverLiftsTheRankByAnotherTargetsSpeed) {
  Record(testing::Attempt("here"));
  v1::RecordAttemptRequest abroad = testing::Attempt("abroad-root");
  abroad.mutable_target()->set_soc("OtherCpu");
  Record(abroad);
  v1::RecordAttemptRequest fast = testing::Attempt("abroad-fast", "abroad-root", 50);
  fast.mutable_target()->set_soc("OtherCpu");
  Record(fast);
  v1::RecordAttemptRequest slow = testing::Attempt("abroad-slow", "abroad-root", 0.1);
  slow.mutable_target()->set_soc("OtherCpu");
  Record(slow);

  for (const char* preset : {"kope", "combined"}) {
    Find(Query("softmax", preset));
    double score_fast = 0;
    double score_slow = 0;
    for (const v1::RankedItem& item : last_.items()) {
      const std::string& id = item.item().attempt_id();
      if (id == "abroad-fast") score_fast = item.score();
      if (id == "abroad-slow") score_slow = item.score();
      if (id == "abroad-fast") {
        EXPECT_THAT(item.reason(), HasSubstr("says that it works, not how fast"));
      }
    }
    EXPECT_EQ(score_fast, score_slow) << preset;
  }
  v1::RetrieveRequest there = Query("softmax", "combined");
  there.mutable_target()->set_soc("OtherCpu");
  EXPECT_EQ(Find(there).front(), "abroad-fast") << "at home its speed counts";
}

TEST_F(RetrieveTest, TreatsAnotherTargetsFailureAsAFailure) {
  v1::RecordAttemptRequest abroad = testing::FailedAttempt("abroad");
  abroad.mutable_target()->set_architecture("ascend-a2");
  Record(abroad);
  Record(testing::Attempt("here"));
  EXPECT_THAT(Find(Query("softmax", "kope")), ElementsAre("here", "abroad"));
  EXPECT_THAT(last_.items(1).reason(), HasSubstr("failed on another target"));
}

TEST_F(RetrieveTest, ChoosesThePoolByRelevanceAlone) {
  Record(testing::Attempt("fast-but-unrelated"));
  for (int i = 0; i < 3; ++i) {
    v1::RecordAttemptRequest request = testing::Attempt(absl::StrCat("related", i));
    request.mutable_case_()->mutable_thought()->set_reason("double buffering double buffering");
    Record(request);
  }
  v1::RetrieveRequest query = Query("softmax double buffering", "combined");
  query.mutable_policy()->set_pool(3);
  query.mutable_policy()->set_top_k(3);
  query.set_limit(3);
  EXPECT_THAT(Find(query), Not(::testing::Contains("fast-but-unrelated")));
  EXPECT_EQ(last_.candidates(), 4);
}

TEST_F(RetrieveTest, RanksEverythingByValueAndRecencyWithoutAQuery) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("fast", "root", 3));
  Record(testing::Attempt("even", "root", 1));
  EXPECT_THAT(Find(Query("", "combined")), ElementsAre("fast", "root", "even"));
  EXPECT_THAT(last_.items(0).reason(), HasSubstr("no query"));
}

TEST_F(RetrieveTest, HoldsOutOperators) {
  Record(testing::Attempt("a"));
  v1::RecordAttemptRequest gelu = testing::Attempt("b");
  gelu.mutable_case_()->set_operator_name("gelu");
  Record(gelu);
  v1::RetrieveRequest query = Query("vector exp", "combined");
  query.mutable_policy()->add_held_out_operators("softmax");
  EXPECT_THAT(Find(query), ElementsAre("b"));
}

// One filter at a time over two attempts that differ in everything.
TEST_F(RetrieveTest, AppliesEveryFilterExactly) {
  Record(testing::Attempt("home"));
  v1::RecordAttemptRequest other = testing::FailedAttempt("other");
  other.mutable_target()->set_architecture("ascend-a2");
  other.mutable_author()->set_kind("chat");
  other.clear_journal();
  v1::Case& source = *other.mutable_case_();
  source.set_operator_name("gelu");
  source.set_family("elementwise");
  source.set_level("L2");
  source.set_stage(v1::DRAFTING);
  source.set_purpose(v1::SYNTAX_REPAIR);
  source.mutable_thought()->set_id("blocks");
  source.mutable_thought()->set_layer(v1::TILING);
  source.mutable_thought()->set_bottleneck("memory-bound");
  source.set_session("job-2");
  Record(other);

  const std::pair<const char*, std::function<void(v1::Filter&)>> filters[] = {
      {"operators", [](v1::Filter& f) { f.add_operators("softmax"); }},
      {"families", [](v1::Filter& f) { f.add_families("row_reduction"); }},
      {"levels", [](v1::Filter& f) { f.add_levels("L1"); }},
      {"labels", [](v1::Filter& f) { f.add_labels(v1::PARTIAL); }},
      {"stages", [](v1::Filter& f) { f.add_stages(v1::REFINING); }},
      {"purposes", [](v1::Filter& f) { f.add_purposes(v1::SPEED); }},
      {"layers", [](v1::Filter& f) { f.add_layers(v1::INSTRUCTION); }},
      {"bottlenecks", [](v1::Filter& f) { f.add_bottlenecks("compute-bound"); }},
      {"thoughts", [](v1::Filter& f) { f.add_thoughts("vector-exp"); }},
      {"proposer_kinds", [](v1::Filter& f) { f.add_proposer_kinds("catalog"); }},
      {"sessions", [](v1::Filter& f) { f.add_sessions("job-1"); }},
      {"architecture", [](v1::Filter& f) { f.set_architecture("cpu-x86_64"); }},
      {"correct_only", [](v1::Filter& f) { f.set_correct_only(true); }},
      {"excluded_sessions", [](v1::Filter& f) { f.add_excluded_sessions("job-2"); }},
  };
  for (const auto& [name, set] : filters) {
    v1::RetrieveRequest query = Query("", "combined");
    set(*query.mutable_filter());
    EXPECT_THAT(Find(query), ElementsAre("home")) << name;
    EXPECT_EQ(last_.candidates(), 1) << name;
  }
  v1::RetrieveRequest journals = Query("", "combined");
  journals.mutable_filter()->add_kinds(v1::JOURNAL);
  EXPECT_THAT(Find(journals, false), ElementsAre("home"));
  v1::RetrieveRequest nowhere = Query("", "combined");
  nowhere.mutable_filter()->add_operators("never seen");
  EXPECT_THAT(Find(nowhere), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::memory
