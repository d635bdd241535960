// What stages, rewards and harm teach: utilities of shared items, Q, residents, junk.
#include <gtest/gtest.h>

#include "memory/graph/rule_text.h"
#include "memory/retrieval/item_filter.h"
#include "tests/memory/graph/graph_fixture.h"

namespace kernelsmith::memory {
namespace {

using testing::Attempt;
using testing::FailedAttempt;
using testing::GraphFixture;
using testing::HomeTarget;
using testing::Insight;
using testing::kProducer;

class GraphLearning : public GraphFixture {
 protected:
  PolicyRules Rules(const std::string& preset) { return *ResolvePolicy(Preset(preset)); }

  // An attempt after a context under `policy` that held `items`.
  void Try(const std::string& id, const v1::Policy& policy, const std::vector<std::string>& items,
           v1::RecordAttemptRequest attempt) {
    Retrieve(id, policy, items);
    attempt.set_attempt_id(id);
    Record(attempt);
  }
};

v1::RecordAttemptRequest Drafted(bool passed) {
  v1::RecordAttemptRequest request = passed ? Attempt("") : FailedAttempt("");
  request.mutable_case_()->set_stage(v1::DRAFTING);
  return request;
}

v1::RecordAttemptRequest Refined(const std::string& prev, double latency_us) {
  v1::RecordAttemptRequest request = Attempt("", prev, 1.0);
  request.mutable_case_()->set_latency_us(latency_us);
  return request;
}

TEST_F(GraphLearning, MovesQOfEveryItemOfAContextAtEveryAttemptE1) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  v1::RecordItemRequest api = Insight("api", "void Add();");
  api.mutable_content()->set_kind(v1::API_TEMPLATE);
  const std::string template_item = Record(api);
  const double expected[] = {.3, .51, .057};
  for (int i = 0; i < 3; ++i) {
    Try(absl::StrCat("a", i), Preset("evokernel"), {insight, template_item}, Drafted(i < 2));
    EXPECT_NEAR(Values(insight).q_drafting(), expected[i], 1e-12);
  }
  EXPECT_EQ(Values(insight).n_feedback(), 3);
  EXPECT_EQ(Values(insight).q_refining(), 0);
  EXPECT_EQ(Values(template_item).n_feedback(), 0) << "API templates carry no value";
  EXPECT_NEAR(Local().QOf(0, v1::DRAFTING, Rules("evokernel"), HomeTarget(), "row_reduction"), .057, 1e-12);
  EXPECT_EQ(Local().QOf(0, v1::REFINING, Rules("evokernel"), HomeTarget(), "row_reduction"), 0) << "q0";
}

TEST_F(GraphLearning, GivesNoCreditToWhatWasNotChosenByItsValue) {
  const std::string chosen = Record(Insight("k", "use wide loads"));
  const std::string child = Record(Insight("c", "an attempt from the same start point"));
  const std::string wanted = Record(Insight("t", "void Add();"));
  for (const char* preset : {"evokernel", "sage"}) {
    Fact fact = Next("local");
    v1::AssembleContextRequest& request = *fact.mutable_retrieval()->mutable_request();
    request = testing::Context(preset);
    *request.mutable_policy() = Preset(preset);
    v1::AssembleContextResponse& response = *fact.mutable_retrieval()->mutable_response();
    response.set_retrieval_id(RetrievalId("local", kProducer, preset));
    const std::pair<std::string, v1::ItemDecision::Selection> items[] = {
        {chosen, v1::ItemDecision::RANKED},
        {child, v1::ItemDecision::START_CHILD},
        {wanted, v1::ItemDecision::API_TEMPLATE_WANTED}};
    for (const auto& [id, selection] : items) {
      v1::ItemDecision& decision = *response.add_decisions();
      decision.set_item_id(id);
      decision.set_included(true);
      decision.set_selection(selection);
    }
    world_.Fold(fact);
    Adopt(response.retrieval_id(), {chosen, child, wanted});
    v1::RecordAttemptRequest attempt = Drafted(true);
    attempt.set_attempt_id(preset);
    Record(attempt);
    v1::CompleteStageRequest stage = testing::FinishedStage(preset, {response.retrieval_id()});
    *stage.mutable_policy() = Preset(preset);
    Finish(stage);
  }
  EXPECT_EQ(Values(chosen).n_feedback(), 1);
  EXPECT_NEAR(Values(chosen).u(), 0.5 * 0.4, 1e-12) << "z undivided: nothing else was in A";
  for (const std::string& id : {child, wanted}) {
    EXPECT_EQ(Values(id).n_feedback(), 0);
    EXPECT_EQ(Values(id).n_retrieved(), 0);
    EXPECT_EQ(Values(id).u(), 0);
  }
}

TEST_F(GraphLearning, RewardsTheStartPointOfARefinementAgainstTheBestBefore) {
  const std::string start = Record(Attempt("start"));  // 100 us
  v1::Policy policy = Preset("combined");              // u by adoption, Q for start points
  policy.set_raw_reward(true);
  const std::string insight = Record(Insight("k", "use wide loads"));
  Try("r1", policy, {insight}, Refined("start", 50));
  EXPECT_NEAR(Values(start).q_refining(), 0.3 * 0.6, 1e-12) << "b 100, l 50: E2";
  EXPECT_EQ(Values(insight).n_feedback(), 0) << "Q is for start points only";
  v1::RecordAttemptRequest chosen = Refined("r1", 100);
  chosen.set_start_attempt_id("start");
  Try("r2", policy, {}, chosen);
  EXPECT_NEAR(Values(start).q_refining(), 0.18 + 0.3 * (-0.6 - 0.18), 1e-12) << "b 50, l 100";
  EXPECT_EQ(Values(CaseItemId("local", kProducer, "r1")).n_feedback(), 0) << "the chosen start point, not prev";
}

TEST_F(GraphLearning, NormalisesRefiningRewardsByTargetAndPolicyE3) {
  const std::string start = Record(Attempt("start"));
  const std::string insight = Record(Insight("k", "use wide loads"));
  v1::Policy policy = Preset("evokernel");
  policy.set_alpha(1);  // Q is the reward itself
  const double expected[] = {.6, -1, -1.313198, .841191};
  Try("r0", policy, {insight}, Refined("start", 50));
  EXPECT_NEAR(Values(insight).q_refining(), expected[0], 1e-6) << "raw while it is the only one";
  Try("r1", policy, {insight}, Refined("start", 50));
  EXPECT_NEAR(Values(insight).q_refining(), expected[1], 1e-6);
  v1::RecordAttemptRequest failed = FailedAttempt("", "start");
  Try("r2", policy, {insight}, failed);
  EXPECT_NEAR(Values(insight).q_refining(), expected[2], 1e-6);
  Try("r3", policy, {insight}, Refined("start", 25));
  EXPECT_NEAR(Values(insight).q_refining(), expected[3], 1e-6);
  EXPECT_EQ(Values(start).n_feedback(), 4) << "the start point takes part";
}

TEST_F(GraphLearning, KeepsQByTargetAndFamilyWhereThePolicySaysSo) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  v1::Policy policy = Preset("evokernel");
  policy.set_q_by_family(true);
  Try("a", policy, {insight}, Drafted(true));
  PolicyRules rules = *ResolvePolicy(policy);
  EXPECT_NEAR(Local().QOf(0, v1::DRAFTING, rules, HomeTarget(), "row_reduction"), .3, 1e-12);
  EXPECT_EQ(Local().QOf(0, v1::DRAFTING, rules, HomeTarget(), "elementwise"), 0);
  v1::Target other = HomeTarget();
  other.set_architecture("ascend-a2");
  EXPECT_EQ(Local().QOf(0, v1::DRAFTING, rules, other, "row_reduction"), 0);
  EXPECT_NEAR(Values(insight).q_drafting(), .3, 1e-12) << "and over all of them";
}

TEST_F(GraphLearning, LearnsNothingFromReadOnlyRuns) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  for (const char* preset : {"evokernel", "sage", "combined"}) {
    v1::Policy policy = Preset(preset);
    policy.set_read_only(true);
    policy.set_gate_adoptions(1);
    policy.set_gate_operators(1);
    Try(absl::StrCat(preset, "-q"), policy, {insight}, Drafted(false));
    RunStage(absl::StrCat(preset, "-s"), policy, {insight}, {insight});
    Record([&] {
      v1::RecordAttemptRequest failed = FailedAttempt(absl::StrCat(preset, "-s"));
      return failed;
    }());
    EXPECT_EQ(Local().FindResidents(HomeTarget(), policy), nullptr);
  }
  EXPECT_EQ(Local().learned(0), nullptr);
  EXPECT_EQ(Local().counts().harmful_adoptions, 3) << "which is counted, not learned";
}

TEST_F(GraphLearning, CountsHarmAndJunkOfAnItem) {
  const std::string good = Record(Insight("good", "use wide loads"));
  const std::string junk = Record(Insight("junk", "a rumour about the cache of another machine"));
  for (int i = 0; i < 3; ++i) RunStage(absl::StrCat("s", i), Preset("combined"), {good, junk}, {good});
  EXPECT_EQ(Local().JunkCount(3), 1);
  EXPECT_EQ(Local().JunkCount(4), 0);
  Record(FailedAttempt("s0"));
  EXPECT_EQ(Values(good).n_harm(), 1);
  EXPECT_EQ(Values(junk).n_harm(), 0);
  RunStage("s3", Preset("combined"), {junk}, {junk});
  EXPECT_EQ(Local().JunkCount(1), 0);
}

TEST_F(GraphLearning, CreditsSharedItemsInTheGraphOfAllTeams) {
  const std::string item = Record(Attempt("a"));
  const std::string shared = Promote(item, Attempt("a"));
  RunStage("s1", Preset("combined"), {shared}, {shared}, "matmul", "friends");
  RunStage("s1", Preset("combined"), {shared}, {}, "add", "others");
  const v1::ItemValues values = Shared().ValuesOf(0);
  EXPECT_EQ(values.n_retrieved(), 2);
  EXPECT_EQ(values.n_adopted(), 1);
  EXPECT_EQ(values.adopting_operators(0), "matmul");
  EXPECT_NEAR(values.u(), 0.2 * 2 / 3 + (-0.2) / 3, 1e-12) << "first 0.5*0.4, then eta 1/3";
  EXPECT_EQ(Values(item).n_retrieved(), 0) << "the original is another item";

  const ExperienceGraph& friends = world_.Of("friends");
  const std::vector<v1::UtilityChange> changes = friends.ChangesOf(*friends.FindStage(kProducer, "s1"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].item_id(), shared);
  EXPECT_EQ(changes[0].eta(), 0.5);
  EXPECT_NEAR(changes[0].u_after(), 0.2, 1e-12);
  EXPECT_EQ(friends.IdOfRef(friends.FindRetrieval(RetrievalId("friends", kProducer, "s1"))->items[0].item), shared);
}

TEST_F(GraphLearning, RewardsAndHarmsSharedItemsToo) {
  const std::string shared = Promote(Record(Attempt("a")), Attempt("a"));
  Try("t1", Preset("evokernel"), {shared}, Drafted(true));
  EXPECT_NEAR(Shared().ValuesOf(0).q_drafting(), .3, 1e-12);
  Adopt(Retrieve("t2", Preset("combined"), {shared}), {shared});
  Record(FailedAttempt("t2"));
  EXPECT_EQ(Shared().ValuesOf(0).n_harm(), 1);
  RunStage("t3", Preset("combined"), {SharedItemId("nobody", "case-1")}, {});
  EXPECT_EQ(Shared().item_count(), 1) << "an unknown shared item contributes nothing";
}

TEST_F(GraphLearning, MakesAnItemResidentOnceItPassesTheGateS8) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  const v1::Policy policy = Preset("sage");
  for (const char* name : {"opA", "opB"}) RunStage(name, policy, {insight}, {insight}, name);
  const ResidentSets::Set* set = Local().FindResidents(HomeTarget(), policy);
  ASSERT_NE(set, nullptr);
  EXPECT_TRUE(set->members.empty()) << "two adoptions do not pass";
  RunStage("opC", policy, {insight}, {insight}, "opC");
  ASSERT_EQ(set->members.size(), 1u);
  const double u = Values(insight).u();
  EXPECT_EQ(set->members[0].usage, 1) << "retrieved in every eligible stage";
  EXPECT_NEAR(set->members[0].utility, u / static_cast<double>(set->members[0].tokens), 1e-12);
  EXPECT_TRUE(Values(insight).resident());
  EXPECT_EQ(Local().residents().resident_count(), 1);

  const ItemFilter filter({}, Local(), set);
  EXPECT_FALSE(filter.Matches(0)) << "a resident is in the prompt anyway";
  v1::Target other = HomeTarget();
  other.set_architecture("ascend-a2");
  EXPECT_EQ(Local().FindResidents(other, policy), nullptr) << "one set for each target";
  EXPECT_EQ(Local().FindResidents(HomeTarget(), Preset("combined")), nullptr) << "and policy";
}

TEST_F(GraphLearning, KeepsThreeAdoptionsOnOneOperatorOut) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  for (const char* id : {"s1", "s2", "s3", "s4"}) RunStage(id, Preset("sage"), {insight}, {insight});
  EXPECT_TRUE(Local().FindResidents(HomeTarget(), Preset("sage"))->members.empty());
}

TEST_F(GraphLearning, CountsEligibleStagesAndLetsUsageDecayS9) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  const std::string other = Record(Insight("other", "keep rows in registers while they are normalised"));
  storage::v1::RuleTextFact rule;
  rule.set_item_id(insight);
  rule.set_text("Use wide loads.");
  rule.set_tokens(400);
  rule.set_author("template");
  Happen(rule);
  EXPECT_EQ(Local().FindRule(0)->text, "Use wide loads.");
  const v1::Policy policy = Preset("sage");
  // Eligible and not retrieved in two of five stages.
  RunStage("e1", policy, {other}, {});
  RunStage("e2", policy, {other}, {});
  for (const char* name : {"opA", "opB", "opC"}) RunStage(name, policy, {insight}, {insight}, name);
  const ResidentSets::Set* set = Local().FindResidents(HomeTarget(), policy);
  ASSERT_EQ(set->members.size(), 1u);
  EXPECT_EQ(Local().residents().CountedEligible(0), 5);
  EXPECT_NEAR(set->members[0].usage, 0.6, 1e-12);
  EXPECT_EQ(set->members[0].tokens, 400);
  EXPECT_NEAR(set->members[0].utility, Values(insight).u() * 0.6 / 400, 1e-15);
  const double u = Values(insight).u();
  for (int i = 0; i < 7; ++i) RunStage(absl::StrCat("unused", i), policy, {insight}, {});
  EXPECT_NEAR(set->members[0].usage, 0.6 * 0.4782969, 1e-9) << "0.9^7";
  EXPECT_EQ(Values(insight).u(), u) << "an unused resident is not charged";
  EXPECT_EQ(Values(insight).n_retrieved(), 3);
  EXPECT_EQ(Local().residents().CountedEligible(0), 5) << "stages in which it was resident do not count";
  RunStage("elsewhere", policy, {other}, {});
  EXPECT_NEAR(set->members[0].usage, 0.6 * 0.4782969, 1e-9) << "its prompt did not hold the resident";
}

TEST_F(GraphLearning, CreditsWhatThePromptSaysWasRankedOrResident) {
  const std::string ranked = Record(Insight("ranked", "use wide loads"));
  const std::string child = Record(Attempt("child"));
  const std::string resident = Record(Insight("resident", "keep rows in registers"));
  const v1::Policy policy = Preset("sage");
  Fact fact = Next("local");
  *fact.mutable_retrieval()->mutable_request() = testing::Context("t");
  *fact.mutable_retrieval()->mutable_request()->mutable_policy() = policy;
  const std::string retrieval = RetrievalId("local", kProducer, "t");
  fact.mutable_retrieval()->mutable_response()->set_retrieval_id(retrieval);
  const std::pair<std::string, v1::ItemDecision::Selection> held[] = {{ranked, v1::ItemDecision::RANKED},
                                                                      {child, v1::ItemDecision::START_CHILD},
                                                                      {resident, v1::ItemDecision::RESIDENT}};
  for (const auto& [id, selection] : held) {
    v1::ItemDecision& decision = *fact.mutable_retrieval()->mutable_response()->add_decisions();
    decision.set_item_id(id);
    decision.set_included(true);
    decision.set_selection(selection);
  }
  world_.Fold(fact);
  Adopt(retrieval, {ranked, child});
  v1::CompleteStageRequest stage = testing::FinishedStage("s", {retrieval});
  *stage.mutable_policy() = policy;
  Finish(stage);
  EXPECT_EQ(Values(ranked).n_retrieved(), 1);
  EXPECT_EQ(Values(child).n_retrieved(), 0) << "it came with its start point";
  EXPECT_EQ(Values(resident).n_retrieved(), 0) << "an unused resident is not charged";
}

TEST_F(GraphLearning, CountsOnlyStagesWhoseFiltersTheItemPassed) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  const v1::Policy policy = Preset("sage");
  Fact foreign = Next("local");
  v1::AssembleContextRequest& request = *foreign.mutable_retrieval()->mutable_request();
  request = testing::Context("foreign");
  *request.mutable_policy() = policy;
  request.mutable_filter()->add_families("elementwise");
  const std::string retrieval = RetrievalId("local", kProducer, "foreign");
  foreign.mutable_retrieval()->mutable_response()->set_retrieval_id(retrieval);
  world_.Fold(foreign);
  v1::CompleteStageRequest stage = testing::FinishedStage("foreign", {retrieval});
  *stage.mutable_policy() = policy;
  Finish(stage);
  for (const char* name : {"opA", "opB", "opC"}) RunStage(name, policy, {insight}, {insight}, name);
  EXPECT_EQ(Local().residents().CountedEligible(0), 3);
  EXPECT_EQ(Local().residents().stage_count(), 4);
}

TEST_F(GraphLearning, CreditsAUsedResidentAndDropsOneThatHarms) {
  const std::string insight = Record(Insight("k", "use wide loads"));
  const v1::Policy policy = Preset("sage");
  for (const char* name : {"opA", "opB", "opC"}) RunStage(name, policy, {insight}, {insight}, name);
  const ResidentSets::Set* set = Local().FindResidents(HomeTarget(), policy);
  ASSERT_EQ(set->members.size(), 1u);
  const double u = Values(insight).u();
  RunStage("used", policy, {insight}, {insight});
  EXPECT_NEAR(Values(insight).u(), u + (0.4 - u) / 5, 1e-12) << "it counts in the n of eta";
  EXPECT_EQ(Values(insight).n_retrieved(), 3) << "but not as a retrieval";
  EXPECT_EQ(Values(insight).n_adopted(), 4);
  for (int i = 0; i < 60 && !set->members.empty(); ++i) {
    const std::string id = absl::StrCat("bad", i);
    const std::string retrieval = Retrieve(id, policy, {insight});
    Adopt(retrieval, {insight});
    v1::CompleteStageRequest failed = testing::FinishedStage(id, {retrieval});
    failed.set_passed(false);
    *failed.mutable_policy() = policy;
    Finish(failed);
  }
  EXPECT_TRUE(set->members.empty());
  EXPECT_FALSE(Values(insight).resident()) << "and it is retrievable again";
}

TEST_F(GraphLearning, FillsTheBudgetByUtilityAndListsWhoWaits) {
  v1::Policy policy = Preset("sage");
  policy.set_gate_operators(1);
  policy.set_gate_adoptions(1);
  policy.set_resident_budget(100);
  std::vector<std::string> items;
  const int64_t tokens[] = {60, 50, 40};
  for (int i = 0; i < 3; ++i) {
    items.push_back(Record(Insight(absl::StrCat("k", i), absl::StrCat("rule number ", i))));
    storage::v1::RuleTextFact rule;
    rule.set_item_id(items.back());
    rule.set_text("x");
    rule.set_tokens(tokens[i]);
    Happen(rule);
  }
  RunStage("s", policy, items, items);
  const ResidentSets::Set& set = *Local().FindResidents(HomeTarget(), policy);
  ASSERT_EQ(set.members.size(), 2u);
  EXPECT_EQ(set.members[0].item, 2) << "the most utility a token";
  EXPECT_EQ(set.members[1].item, 1);
  EXPECT_EQ(set.used_tokens, 90);
  EXPECT_EQ(set.budget_tokens, 100);
  ASSERT_EQ(set.waiting.size(), 1u);
  EXPECT_EQ(set.waiting[0].item, 0);
}

TEST_F(GraphLearning, KeepsRetiredPrivateAndHeldOutItemsOutOfTheSet) {
  v1::Policy policy = Preset("sage");
  policy.set_gate_operators(1);
  policy.set_gate_adoptions(1);
  policy.add_held_out_operators("gelu");
  const std::string kept = Record(Insight("kept", "use wide loads"));
  const std::string retired = Record(Insight("retired", "keep rows in registers"));
  v1::RecordItemRequest secret = Insight("secret", "one block for each row");
  secret.set_scope(v1::PRIVATE);
  const std::string hidden = Record(secret);
  v1::RecordItemRequest held_out = Insight("gelu", "split the polynomial");
  held_out.mutable_content()->set_operator_name("gelu");
  const std::string gelu = Record(held_out);
  v1::RetireRequest retire;
  retire.set_item_id(retired);
  RunStage("s1", policy, {kept, retired, hidden, gelu}, {kept, retired, hidden, gelu});
  const ResidentSets::Set& set = *Local().FindResidents(HomeTarget(), policy);
  EXPECT_EQ(set.members.size(), 2u);
  Happen(retire);
  RunStage("s2", policy, {}, {});
  ASSERT_EQ(set.members.size(), 1u);
  EXPECT_EQ(Local().IdOf(set.members[0].item), kept);
}

TEST_F(GraphLearning, DrawsRandomResidentsOfTheSameBudgetAgainFromTheSameFacts) {
  v1::Policy policy = Preset("sage_random_resident");
  policy.set_gate_operators(1);
  policy.set_gate_adoptions(1);
  policy.set_resident_budget(20);
  std::vector<std::string> items;
  for (int i = 0; i < 8; ++i) {
    items.push_back(Record(Insight(absl::StrCat("k", i), absl::StrCat("rule number ", i))));
    storage::v1::RuleTextFact rule;
    rule.set_item_id(items.back());
    rule.set_text("x");
    rule.set_tokens(10);
    Happen(rule);
  }
  RunStage("s", policy, items, items);
  const ResidentSets::Set& set = *Local().FindResidents(HomeTarget(), policy);
  EXPECT_EQ(set.members.size(), 2u);
  EXPECT_EQ(set.waiting.size(), 6u);
}

TEST(RuleText, SaysWhereWhatAndHowItWent) {
  const v1::RecordAttemptRequest attempt = Attempt("a");
  EXPECT_EQ(AttemptRule(attempt.case_(), attempt.target(), v1::EFFECTIVE, 1.25),
            "row_reduction, FP32, on cpu-x86_64: vectorised exponential (INSTRUCTION, against compute-bound) with "
            "threads=2 was EFFECTIVE, 1.25 times the speed before.");
  EXPECT_EQ(AttemptRule(FailedAttempt("f").case_(), {}, v1::NEGATIVE, 0),
            "row_reduction, FP32: vectorised exponential (INSTRUCTION, against compute-bound) with threads=2 was a "
            "failure: COMPILE_ERROR.");
  EXPECT_EQ(ContentRule("Title", "text"), "Title: text");
  EXPECT_EQ(RuleTokens(0), 1);
  EXPECT_EQ(RuleTokens(7), 4);
}

}  // namespace
}  // namespace kernelsmith::memory
