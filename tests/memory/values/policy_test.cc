#include "memory/values/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "common/policies/presets.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;
using P = v1::Policy;

PolicyRules Rules(const std::string& preset, const std::function<void(v1::Policy&)>& change = {}) {
  v1::Policy policy;
  policy.set_preset(preset);
  if (change) change(policy);
  absl::StatusOr<PolicyRules> rules = ResolvePolicy(policy);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.ok() ? *std::move(rules) : PolicyRules();
}

TEST(ResolvePolicy, DefaultsToCombinedWithThePublishedParameters) {
  const auto rules = ResolvePolicy({});
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_EQ(*rules, Rules("combined"));
  EXPECT_EQ(rules->preset, "combined");
  EXPECT_EQ(rules->rank, RankRule::kCombined);
  EXPECT_EQ(rules->gamma, 0.3);
  EXPECT_EQ(rules->pool, 30);
  EXPECT_EQ(rules->top_k, 8);
}

TEST(ResolvePolicy, AgreesWithTheInitialValuesOfPolicyRules) {
  PolicyRules initial;
  initial.preset = "combined";
  EXPECT_EQ(Rules("combined"), initial);
}

// One row for each row of section 5 of the specification.
TEST(ResolvePolicy, KnowsEveryPresetWithItsSwitches) {
  struct Row {
    const char* preset;
    P::Writes writes;
    RankRule rank;
    CreditRule credit;
    P::Residents residents;
    P::StartPoint start;
    P::Packing packing;
  };
  const Row rows[] = {
      {"pass_at_k", P::WRITE_NOTHING, RankRule::kNone, CreditRule::kNone, P::NO_RESIDENTS, P::NO_START_POINT,
       P::REQUIRED_ONLY},
      {"refinement", P::OWN_TASK, RankRule::kOwnHistory, CreditRule::kNone, P::NO_RESIDENTS, P::BEST, P::FLAT},
      {"static_rag", P::WRITE_NOTHING, RankRule::kRelevance, CreditRule::kNone, P::NO_RESIDENTS, P::BEST, P::FLAT},
      {"value_memory", P::EVERYTHING, RankRule::kUtility, CreditRule::kUniform, P::NO_RESIDENTS, P::BEST, P::FLAT},
      {"evokernel", P::EVERYTHING, RankRule::kQGreedy, CreditRule::kQLearning, P::NO_RESIDENTS, P::BY_Q,
       P::FLAT_AND_APIS},
      {"evokernel_heuristic", P::EVERYTHING, RankRule::kRelevance, CreditRule::kNone, P::NO_RESIDENTS, P::BEST,
       P::FLAT},
      {"memrl", P::EVERYTHING, RankRule::kZScores, CreditRule::kQLearning, P::NO_RESIDENTS, P::BEST, P::FLAT},
      {"kope", P::EVERYTHING, RankRule::kLabel, CreditRule::kNone, P::NO_RESIDENTS, P::INCUMBENT, P::TIERS},
      {"kope_nograph", P::JOURNALS_ONLY, RankRule::kRelevance, CreditRule::kNone, P::NO_RESIDENTS, P::INCUMBENT,
       P::TIERS},
      {"kope_passive", P::EVERYTHING, RankRule::kRelevance, CreditRule::kNone, P::NO_RESIDENTS, P::INCUMBENT,
       P::PROPOSER_ASKS},
      {"sage", P::EVERYTHING, RankRule::kUtility, CreditRule::kAdopted, P::GATED, P::BEST, P::FLAT},
      {"sage_no_ugc", P::EVERYTHING, RankRule::kUtility, CreditRule::kAdopted, P::NO_RESIDENTS, P::BEST, P::FLAT},
      {"sage_uniform", P::EVERYTHING, RankRule::kUtility, CreditRule::kUniform, P::GATED, P::BEST, P::FLAT},
      {"sage_random_resident", P::EVERYTHING, RankRule::kUtility, CreditRule::kAdopted, P::RANDOM, P::BEST, P::FLAT},
      {"external_agent", P::EVERYTHING, RankRule::kCombined, CreditRule::kAdoptedAndQ, P::GATED, P::CALLERS_OWN,
       P::PROPOSER_ASKS},
      {"combined", P::EVERYTHING, RankRule::kCombined, CreditRule::kAdoptedAndQ, P::GATED, P::BY_Q, P::TIERS},
  };
  EXPECT_EQ(std::size(rows), common::PolicyPresetNames().size());
  for (const Row& row : rows) {
    const PolicyRules rules = Rules(row.preset);
    EXPECT_EQ(rules.writes, row.writes) << row.preset;
    EXPECT_EQ(rules.rank, row.rank) << row.preset;
    EXPECT_EQ(rules.credit, row.credit) << row.preset;
    EXPECT_EQ(rules.residents, row.residents) << row.preset;
    EXPECT_EQ(rules.start_point, row.start) << row.preset;
    EXPECT_EQ(rules.packing, row.packing) << row.preset;
    EXPECT_EQ(rules.tiers, row.packing == P::TIERS) << row.preset;
    EXPECT_FALSE(rules.read_only) << row.preset;
  }
}

TEST(ResolvePolicy, TicksPerRoundOnlyWhereThePresetSaysSo) {
  EXPECT_TRUE(Rules("value_memory").tick_per_round);
  EXPECT_FALSE(Rules("sage_uniform").tick_per_round);
  EXPECT_FALSE(Rules("combined").tick_per_round);
}

TEST(ResolvePolicy, RunsEvokernelBreadthFirstAndTheOthersInSequence) {
  for (const std::string& preset : common::PolicyPresetNames()) {
    const bool breadth = preset == "evokernel" || preset == "evokernel_heuristic";
    EXPECT_EQ(Rules(preset).schedule, breadth ? P::BREADTH_FIRST : P::SEQUENTIAL) << preset;
  }
}

TEST(ResolvePolicy, LetsARequestOverrideSingleFields) {
  const PolicyRules rules = Rules("sage", [](v1::Policy& policy) {
    policy.set_gamma(0);
    policy.set_top_k(3);
    policy.set_credit(P::UNIFORM);
    policy.set_tools(P::NO_TOOLS);
    policy.set_read_only(true);
    policy.set_residents_take_credit(false);
    policy.add_held_out_operators("softmax");
  });
  PolicyRules expected = Rules("sage");
  expected.gamma = 0;
  expected.top_k = 3;
  expected.credit = CreditRule::kUniform;
  expected.tools = P::NO_TOOLS;
  expected.read_only = true;
  expected.residents_take_credit = false;
  expected.held_out_operators = {"softmax"};
  EXPECT_EQ(rules, expected);
}

TEST(ResolvePolicy, GivesNoCreditWhereNothingIsWritten) {
  EXPECT_EQ(Rules("sage", [](v1::Policy& policy) { policy.set_writes(P::WRITE_NOTHING); }).credit, CreditRule::kNone);
}

TEST(ResolvePolicy, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, std::function<void(v1::Policy&)>> cases[] = {
      {"policy.preset", [](v1::Policy& p) { p.set_preset("magic"); }},
      {"policy.gamma", [](v1::Policy& p) { p.set_gamma(1.5); }},
      {"policy.beta", [](v1::Policy& p) { p.set_beta(std::numeric_limits<double>::quiet_NaN()); }},
      {"policy.delta", [](v1::Policy& p) { p.set_delta(-1); }},
      {"policy.eta_min", [](v1::Policy& p) { p.set_eta_min(-0.1); }},
      {"policy.pool", [](v1::Policy& p) { p.set_pool(-1); }},
      {"policy.pool", [](v1::Policy& p) { p.set_pool(1001); }},
      {"policy.top_k", [](v1::Policy& p) { p.set_top_k(31); }},
      {"policy.top_k", [](v1::Policy& p) { p.set_top_k(-2); }},
      {"policy.pool_factor", [](v1::Policy& p) { p.set_pool_factor(-5); }},
      {"policy.lambda_min",
       [](v1::Policy& p) {
         p.set_preset("evokernel");
         p.set_lambda_min(31);
       }},
      {"policy.lambda_max",
       [](v1::Policy& p) {
         p.set_preset("evokernel");
         p.set_lambda_max(201);
       }},
      {"policy.epsilon", [](v1::Policy& p) { p.set_epsilon(2); }},
      {"policy.start_epsilon", [](v1::Policy& p) { p.set_start_epsilon(-0.5); }},
      {"policy.epsilon_final_share", [](v1::Policy& p) { p.set_epsilon_final_share(1.1); }},
      {"policy.alpha", [](v1::Policy& p) { p.set_alpha(1.01); }},
      {"policy.q0", [](v1::Policy& p) { p.set_q0(-4); }},
      {"policy.gate_adoptions", [](v1::Policy& p) { p.set_gate_adoptions(-1); }},
      {"policy.gate_operators", [](v1::Policy& p) { p.set_gate_operators(-1); }},
      {"policy.resident_budget", [](v1::Policy& p) { p.set_resident_budget(-1); }},
      {"policy.usage_step", [](v1::Policy& p) { p.set_usage_step(1.5); }},
      {"policy.rank", [](v1::Policy& p) { p.set_rank(static_cast<P::Rank>(99)); }},
      {"policy.packing", [](v1::Policy& p) { p.set_packing(static_cast<P::Packing>(99)); }},
  };
  for (const auto& [field, change] : cases) {
    v1::Policy policy;
    change(policy);
    const absl::Status status = ResolvePolicy(policy).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(common::FieldOf(status), field) << status;
  }
}

TEST(ResolvePolicy, ListsThePresetsWhenANameIsUnknown) {
  v1::Policy policy;
  policy.set_preset("magic");
  const std::string message(ResolvePolicy(policy, "spec.policy").status().message());
  EXPECT_THAT(message, HasSubstr("spec.policy.preset"));
  for (const std::string& preset : common::PolicyPresetNames()) EXPECT_THAT(message, HasSubstr(preset));
}

TEST(PoolSize, GrowsWithTheRunWherePoolFactorAndLambdaSaySo) {
  const PolicyRules evokernel = Rules("evokernel");
  EXPECT_EQ(PoolSize(evokernel, 0), 10);
  EXPECT_EQ(PoolSize(evokernel, 0.5), 80);
  EXPECT_EQ(PoolSize(evokernel, 1), 150);
  EXPECT_EQ(PoolSize(evokernel, 7), 150);
  EXPECT_EQ(PoolSize(evokernel, -1), 10);
  EXPECT_EQ(PoolSize(Rules("sage"), 0.9), 30);
  EXPECT_EQ(PoolSize(Rules("evokernel", [](v1::Policy& p) { p.set_lambda_max(0); }), 0.9), 30);
  EXPECT_EQ(PoolSize(Rules("evokernel", [](v1::Policy& p) { p.set_top_k(20); }), 0), 20) << "never below k";
}

TEST(EpsilonAt, FallsLinearlyToItsFinalShare) {
  PolicyRules rules;
  rules.epsilon_final_share = 0.5;
  EXPECT_DOUBLE_EQ(EpsilonAt(0.1, rules, 0), 0.1);
  EXPECT_DOUBLE_EQ(EpsilonAt(0.1, rules, 0.5), 0.075);
  EXPECT_DOUBLE_EQ(EpsilonAt(0.1, rules, 1), 0.05);
  EXPECT_DOUBLE_EQ(EpsilonAt(0.1, rules, 3), 0.05);
  EXPECT_DOUBLE_EQ(EpsilonAt(0, rules, 1), 0) << "no exploration stays none";
}

TEST(WeightsOf, CarryTheTwoSwitchesOfD) {
  const PolicyRules literal = Rules("kope", [](v1::Policy& p) { p.set_leaf_literal(true); });
  EXPECT_TRUE(WeightsOf(literal).halve_leaves);
  EXPECT_FALSE(WeightsOf(literal).mean);
  EXPECT_TRUE(WeightsOf(Rules("kope", [](v1::Policy& p) { p.set_mean_successors(true); })).mean);
}

TEST(PolicyPresets, AreExplicitInEveryFieldAndNamedAsTheirFiles) {
  const google::protobuf::Descriptor& fields = *v1::Policy::descriptor();
  const google::protobuf::Reflection& reflection = *v1::Policy::GetReflection();
  for (const std::string& name : common::PolicyPresetNames()) {
    const absl::StatusOr<v1::Policy> preset = common::PolicyPreset(name);
    ASSERT_TRUE(preset.ok()) << preset.status();
    EXPECT_EQ(preset->preset(), name);
    for (int i = 0; i < fields.field_count(); ++i) {
      const google::protobuf::FieldDescriptor& field = *fields.field(i);
      if (field.is_repeated()) continue;
      const bool is_enum = field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_ENUM;
      if (is_enum || field.has_presence()) {
        EXPECT_TRUE(reflection.HasField(*preset, &field)) << name << "." << field.name();
      }
    }
  }
}

TEST(PolicyPresets, HaveTheDefaultInFront) { EXPECT_EQ(common::PolicyPresetNames().front(), "combined"); }

}  // namespace
}  // namespace kernelsmith::memory
