#include "memory/retrieval/retriever.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "memory/service/team_memory.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RetrieverTest : public ::testing::Test {
 protected:
  void Record(const v1::RecordAttemptRequest& request) {
    Fact fact;
    fact.set_team("local");
    fact.set_sequence(++sequence_);
    *fact.mutable_attempt() = request;
    WriterLock lock(team_.mutex);
    team_.Apply(fact);
  }

  // Attempt ids of the cases found, best first.
  std::vector<std::string> Find(RetrievalQuery query, bool cases_only = true) {
    if (cases_only) query.filter.add_kinds(v1::CASE);
    ReaderLock lock(team_.mutex);
    last_ = FindItems(team_.graph, team_.index, query);
    std::vector<std::string> ids;
    for (const RetrievedItem& item : last_.items) {
      ids.push_back(team_.graph.forest().node(team_.graph.item(item.item).attempt).attempt_id);
    }
    return ids;
  }

  static RetrievalQuery Query(const std::string& text, const std::string& preset) {
    v1::Policy policy;
    policy.set_preset(preset);
    return {.text = text, .filter = {}, .rules = *ResolvePolicy(policy), .target = testing::HomeTarget(), .limit = 10};
  }

  TeamMemory team_{"local"};
  uint64_t sequence_ = 0;
  Retrieval last_;
};

TEST_F(RetrieverTest, RetrievesNothingUnderPassAtK) {
  Record(testing::Attempt("a"));
  EXPECT_THAT(Find(Query("softmax", "pass_at_k")), IsEmpty());
  EXPECT_EQ(last_.candidates, 0);
}

TEST_F(RetrieverTest, PutsTheBetterDownstreamScoreFirstUnderCombined) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("slow", "root", 0.5));
  Record(testing::Attempt("fast", "root", 4.0));
  Record(testing::Attempt("even", "root", 1.0));
  EXPECT_THAT(Find(Query("softmax", "combined")), ElementsAre("fast", "root", "even", "slow"));
  EXPECT_THAT(last_.items[0].reason, HasSubstr("EFFECTIVE"));
  EXPECT_THAT(last_.items[0].reason, HasSubstr("softmax"));
}

TEST_F(RetrieverTest, OrdersByLabelBucketUnderKope) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("slow", "root", 0.9));
  Record(testing::Attempt("fast", "root", 2.0));
  Record(testing::FailedAttempt("broken", "root"));
  EXPECT_THAT(Find(Query("softmax", "kope")), ElementsAre("fast", "root", "slow", "broken"));
  EXPECT_THAT(last_.items[3].reason, HasSubstr("a failed attempt"));
}

TEST_F(RetrieverTest, IgnoresValuesUnderStaticRag) {
  Record(testing::Attempt("fast", "", 1.0));
  Record(testing::Attempt("slow", "fast", 0.1));
  EXPECT_THAT(Find(Query("softmax", "static_rag")), ElementsAre("slow", "fast")) << "equal relevance: the newer first";
}

TEST_F(RetrieverTest, NeverLiftsTheRankByAnotherTargetsSpeed) {
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
    for (const RetrievedItem& item : last_.items) {
      const std::string& id = team_.graph.forest().node(team_.graph.item(item.item).attempt).attempt_id;
      EXPECT_EQ(item.other_target, id != "here");
      if (id == "abroad-fast") score_fast = item.score;
      if (id == "abroad-slow") score_slow = item.score;
      if (id == "abroad-fast") {
        EXPECT_THAT(item.reason, HasSubstr("says that it works, not how fast"));
      }
    }
    EXPECT_EQ(score_fast, score_slow) << preset;
  }
  RetrievalQuery there = Query("softmax", "combined");
  there.target.set_soc("OtherCpu");
  EXPECT_EQ(Find(there).front(), "abroad-fast") << "at home its speed counts";
}

TEST_F(RetrieverTest, TreatsAnotherTargetsFailureAsAFailure) {
  v1::RecordAttemptRequest abroad = testing::FailedAttempt("abroad");
  abroad.mutable_target()->set_architecture("ascend-a2");
  Record(abroad);
  Record(testing::Attempt("here"));
  EXPECT_THAT(Find(Query("softmax", "kope")), ElementsAre("here", "abroad"));
  EXPECT_THAT(last_.items[1].reason, HasSubstr("failed on another target"));
}

TEST_F(RetrieverTest, ChoosesThePoolByRelevanceAlone) {
  Record(testing::Attempt("fast-but-unrelated"));
  for (int i = 0; i < 3; ++i) {
    v1::RecordAttemptRequest request = testing::Attempt(absl::StrCat("related", i));
    request.mutable_case_()->mutable_thought()->set_reason("double buffering double buffering");
    Record(request);
  }
  RetrievalQuery query = Query("softmax double buffering", "combined");
  query.rules.pool = 3;
  query.limit = 3;
  EXPECT_THAT(Find(query), Not(::testing::Contains("fast-but-unrelated")));
  EXPECT_EQ(last_.candidates, 4);
}

TEST_F(RetrieverTest, RanksEverythingByValueAndRecencyWithoutAQuery) {
  Record(testing::Attempt("root"));
  Record(testing::Attempt("fast", "root", 3));
  Record(testing::Attempt("even", "root", 1));
  EXPECT_THAT(Find(Query("", "combined")), ElementsAre("fast", "root", "even"));
  EXPECT_THAT(last_.items[0].reason, HasSubstr("no query"));
}

TEST_F(RetrieverTest, HoldsOutOperators) {
  Record(testing::Attempt("a"));
  v1::RecordAttemptRequest gelu = testing::Attempt("b");
  gelu.mutable_case_()->set_operator_name("gelu");
  Record(gelu);
  RetrievalQuery query = Query("vector exp", "combined");
  query.rules.held_out_operators = {"softmax"};
  EXPECT_THAT(Find(query), ElementsAre("b"));
}

// One filter at a time over two attempts that differ in everything.
TEST_F(RetrieverTest, AppliesEveryFilterExactly) {
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
    RetrievalQuery query = Query("", "combined");
    set(query.filter);
    EXPECT_THAT(Find(query), ElementsAre("home")) << name;
    EXPECT_EQ(last_.candidates, 1) << name;
  }
  RetrievalQuery journals = Query("", "combined");
  journals.filter.add_kinds(v1::JOURNAL);
  EXPECT_THAT(Find(journals, false), ElementsAre("home"));
  RetrievalQuery nowhere = Query("", "combined");
  nowhere.filter.add_operators("never seen");
  EXPECT_THAT(Find(nowhere), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::memory
