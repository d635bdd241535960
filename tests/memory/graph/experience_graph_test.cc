#include "memory/graph/experience_graph.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

class ExperienceGraphTest : public ::testing::Test {
 protected:
  Fact Next() {
    Fact fact;
    fact.set_team("local");
    fact.set_sequence(++sequence_);
    return fact;
  }
  void Attempt(const v1::RecordAttemptRequest& request) {
    Fact fact = Next();
    *fact.mutable_attempt() = request;
    Apply(fact);
  }
  // A retrieval for `attempt_id` that held the cases of `attempts`.
  std::string Retrieval(const std::string& attempt_id, const std::vector<std::string>& attempts) {
    Fact fact = Next();
    fact.mutable_retrieval()->mutable_request()->set_producer(testing::kProducer);
    fact.mutable_retrieval()->mutable_request()->set_attempt_id(attempt_id);
    v1::AssembleContextResponse& response = *fact.mutable_retrieval()->mutable_response();
    response.set_retrieval_id(RetrievalId("local", testing::kProducer, attempt_id));
    for (const std::string& id : attempts) {
      v1::ItemDecision& decision = *response.add_decisions();
      decision.set_item_id(CaseItemId("local", testing::kProducer, id));
      decision.set_included(true);
    }
    v1::ItemDecision& left_out = *response.add_decisions();
    left_out.set_item_id(CaseItemId("local", testing::kProducer, "a"));
    Apply(fact);
    return response.retrieval_id();
  }
  void Adoption(const std::string& retrieval_id, const std::vector<std::string>& adopted) {
    Fact fact = Next();
    fact.mutable_adoption()->set_retrieval_id(retrieval_id);
    for (const std::string& id : adopted) {
      v1::AdoptionRecord& record = *fact.mutable_adoption()->add_records();
      record.set_item_id(CaseItemId("local", testing::kProducer, id));
      record.set_state(v1::ADOPTED);
    }
    Apply(fact);
  }
  void Stage(const v1::CompleteStageRequest& request) {
    Fact fact = Next();
    *fact.mutable_stage() = request;
    Apply(fact);
  }
  v1::ItemValues ValuesOfCase(const std::string& attempt) {
    return graph_.ValuesOf(graph_.FindItem(CaseItemId("local", testing::kProducer, attempt)));
  }
  void Apply(const Fact& fact) {
    graph_.Apply(fact);
    facts_.push_back(fact);
  }

  ExperienceGraph graph_{"local"};
  std::vector<Fact> facts_;
  uint64_t sequence_ = 0;
};

TEST_F(ExperienceGraphTest, MakesACaseAndAJournalOfAnAttempt) {
  Attempt(testing::Attempt("a"));
  v1::RecordAttemptRequest bare = testing::Attempt("b");
  bare.clear_journal();
  Attempt(bare);
  EXPECT_EQ(graph_.item_count(), 3);
  EXPECT_EQ(graph_.item(0).kind, v1::CASE);
  EXPECT_EQ(graph_.item(1).kind, v1::JOURNAL);
  EXPECT_EQ(graph_.FindItem(JournalItemId("local", testing::kProducer, "b")), -1);
}

TEST_F(ExperienceGraphTest, CreditsTheAdoptedAndChargesTheRestS1) {
  for (const char* id : {"a", "b", "c", "d"}) Attempt(testing::Attempt(id));
  const std::string retrieval = Retrieval("x", {"a", "b", "c", "d"});
  Adoption(retrieval, {"a", "b"});
  Stage(testing::FinishedStage("s", {retrieval}));
  const StageRecord* stage = graph_.FindStage(testing::kProducer, "s");
  ASSERT_NE(stage, nullptr);
  EXPECT_NEAR(stage->z, 0.4, 1e-12);
  const double xi[] = {0.2, 0.2, -0.2, -0.2};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(stage->changes[i].xi, xi[i], 1e-12);
    EXPECT_EQ(stage->changes[i].eta, 0.5);
    EXPECT_NEAR(stage->changes[i].u_after, xi[i] / 2, 1e-12);
  }
  EXPECT_EQ(graph_.ChangesOf(*stage)[1].item_id(), CaseItemId("local", testing::kProducer, "b"));
  const v1::ItemValues values = ValuesOfCase("a");
  EXPECT_NEAR(values.u(), 0.1, 1e-12);
  EXPECT_EQ(values.n_retrieved(), 1);
  EXPECT_EQ(values.n_adopted(), 1);
  EXPECT_EQ(values.adopting_operators(0), "softmax");
  EXPECT_EQ(ValuesOfCase("c").n_adopted(), 0);
}

TEST_F(ExperienceGraphTest, CountsARetrievalInOneStageOnly) {
  Attempt(testing::Attempt("a"));
  const std::string retrieval = Retrieval("x", {"a"});
  Adoption(retrieval, {"a"});
  Stage(testing::FinishedStage("s1", {retrieval}));
  Stage(testing::FinishedStage("s2", {retrieval}));
  EXPECT_EQ(ValuesOfCase("a").n_retrieved(), 1);
  EXPECT_TRUE(graph_.FindStage(testing::kProducer, "s2")->changes.empty());
}

TEST_F(ExperienceGraphTest, FreezesValuesUnderAReadOnlyPolicy) {
  Attempt(testing::Attempt("a"));
  const std::string retrieval = Retrieval("x", {"a"});
  Adoption(retrieval, {"a"});
  v1::CompleteStageRequest stage = testing::FinishedStage("s", {retrieval});
  stage.mutable_policy()->set_read_only(true);
  Stage(stage);
  EXPECT_EQ(ValuesOfCase("a").u(), 0);
  EXPECT_EQ(ValuesOfCase("a").n_retrieved(), 0);
}

TEST_F(ExperienceGraphTest, CountsHarmWhicheverOfAdoptionAndFailureComesFirst) {
  Attempt(testing::Attempt("a"));
  Attempt(testing::Attempt("b"));
  Adoption(Retrieval("x", {"a", "b"}), {"a", "b"});
  EXPECT_EQ(graph_.counts().harmful_adoptions, 0);
  Attempt(testing::FailedAttempt("x"));
  EXPECT_EQ(graph_.counts().harmful_adoptions, 2);

  const std::string late = Retrieval("y", {"a", "b"});
  Attempt(testing::FailedAttempt("y"));
  EXPECT_EQ(graph_.counts().harmful_adoptions, 2);
  Adoption(late, {"a"});
  EXPECT_EQ(graph_.counts().harmful_adoptions, 3);

  Adoption(Retrieval("z", {"a"}), {"a"});
  Attempt(testing::Attempt("z"));
  EXPECT_EQ(graph_.counts().harmful_adoptions, 3) << "a success harms nobody";
  EXPECT_EQ(graph_.counts().adoptions, 4);
  EXPECT_EQ(graph_.counts().rejections, 1);
}

TEST_F(ExperienceGraphTest, IgnoresFactsThatNameWhatIsNotThere) {
  Adoption("retrieval-unknown", {"a"});
  Stage(testing::FinishedStage("s", {"retrieval-unknown"}));
  Apply(Next());
  EXPECT_EQ(graph_.counts().facts, 3);
  EXPECT_EQ(graph_.stage_count(), 1);
}

TEST_F(ExperienceGraphTest, RefoldsToTheSameStateBitForBit) {
  Attempt(testing::Attempt("root"));
  for (int i = 0; i < 40; ++i) {
    const std::string id = absl::StrCat("n", i);
    const std::string prev = i % 3 == 0 ? "root" : absl::StrCat("n", i - 1);
    const std::string retrieval = Retrieval(id, {"root", prev});
    Adoption(retrieval, i % 2 == 0 ? std::vector<std::string>{prev} : std::vector<std::string>{});
    Attempt(i % 5 == 4 ? testing::FailedAttempt(id, prev) : testing::Attempt(id, prev, 1.0 + 0.137 * i));
    v1::CompleteStageRequest stage = testing::FinishedStage(absl::StrCat("s", i), {retrieval});
    stage.mutable_policy()->set_preset(i % 4 == 0 ? "value_memory" : "combined");
    stage.set_best_us(600 + i);
    Stage(stage);
  }
  ExperienceGraph again("local");
  for (const Fact& fact : facts_) again.Apply(fact);
  EXPECT_EQ(graph_.Fingerprint(), again.Fingerprint());
  ExperienceGraph shorter("local");
  for (size_t i = 0; i + 1 < facts_.size(); ++i) shorter.Apply(facts_[i]);
  EXPECT_NE(graph_.Fingerprint(), shorter.Fingerprint());
}

}  // namespace
}  // namespace kernelsmith::memory
