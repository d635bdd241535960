#include "memory/values/policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/policies/presets.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr int kLargestPool = 1000;
constexpr int kLargestGate = 1000;
constexpr int64_t kLargestResidentBudget = 1'000'000;
constexpr double kLargestQ = 3;  // rewards are clipped to it

// Checks the fields of one policy; the first error stays.
class FieldChecks {
 public:
  explicit FieldChecks(std::string prefix) : prefix_(std::move(prefix)) {}

  void Within(const char* name, double value, double low, double high) {
    if (!status_.ok() || (std::isfinite(value) && value >= low && value <= high)) return;
    status_ = common::InvalidField(absl::StrCat(prefix_, ".", name),
                                   absl::StrCat("is ", value, "; it must lie within ", low, " and ", high));
  }

  void Refuse(const char* name, absl::string_view what) {
    if (status_.ok()) status_ = common::InvalidField(absl::StrCat(prefix_, ".", name), what);
  }

  // A number that no preset names: an enumerator of a newer version.
  template <typename Enum>
  void Known(const char* name, Enum value, bool known) {
    if (!known) Refuse(name, absl::StrCat("is ", static_cast<int>(value), ", which this version does not know"));
  }

  const absl::Status& status() const { return status_; }

 private:
  const std::string prefix_;
  absl::Status status_;
};

RankRule RankOf(v1::Policy::Rank rank) {
  switch (rank) {
    case v1::Policy::RANK_NOTHING:
      return RankRule::kNone;
    case v1::Policy::OWN_HISTORY:
      return RankRule::kOwnHistory;
    case v1::Policy::UTILITY:
      return RankRule::kUtility;
    case v1::Policy::Q_GREEDY:
      return RankRule::kQGreedy;
    case v1::Policy::Z_SCORES:
      return RankRule::kZScores;
    case v1::Policy::LABEL_BUCKET:
      return RankRule::kLabel;
    case v1::Policy::UTILITY_LINEAGE:
      return RankRule::kCombined;
    default:
      return RankRule::kRelevance;
  }
}

CreditRule CreditOfPolicy(v1::Policy::Credit credit) {
  switch (credit) {
    case v1::Policy::UNIFORM:
      return CreditRule::kUniform;
    case v1::Policy::BY_ADOPTION:
      return CreditRule::kAdopted;
    case v1::Policy::Q_LEARNING:
      return CreditRule::kQLearning;
    case v1::Policy::ADOPTION_AND_Q:
      return CreditRule::kAdoptedAndQ;
    default:
      return CreditRule::kNone;
  }
}

void CheckSwitches(const v1::Policy& policy, FieldChecks& check) {
  check.Known("writes", policy.writes(), v1::Policy::Writes_IsValid(policy.writes()));
  check.Known("rank", policy.rank(), v1::Policy::Rank_IsValid(policy.rank()));
  check.Known("credit", policy.credit(), v1::Policy::Credit_IsValid(policy.credit()));
  check.Known("residents", policy.residents(), v1::Policy::Residents_IsValid(policy.residents()));
  check.Known("start_point", policy.start_point(), v1::Policy::StartPoint_IsValid(policy.start_point()));
  check.Known("packing", policy.packing(), v1::Policy::Packing_IsValid(policy.packing()));
  check.Known("tick", policy.tick(), v1::Policy::Tick_IsValid(policy.tick()));
  check.Known("schedule", policy.schedule(), v1::Policy::Schedule_IsValid(policy.schedule()));
  check.Known("cold_start", policy.cold_start(), v1::Policy::ColdStart_IsValid(policy.cold_start()));
  check.Known("tools", policy.tools(), v1::Policy::Tools_IsValid(policy.tools()));
}

void CheckNumbers(const v1::Policy& policy, FieldChecks& check) {
  check.Within("gamma", policy.gamma(), 0, 1);
  check.Within("beta", policy.beta(), 0, 1);
  check.Within("delta", policy.delta(), 0, 1);
  check.Within("eta_min", policy.eta_min(), 0, 1);
  check.Within("pool", policy.pool(), 1, kLargestPool);
  check.Within("pool_factor", policy.pool_factor(), 0, kLargestPool);
  check.Within("lambda_max", policy.lambda_max(), 0, kLargestPool);
  check.Within("lambda_min", policy.lambda_min(), 0, kLargestPool);
  const bool grows = policy.pool_factor() > 0 && policy.lambda_max() > 0;
  if (grows && policy.lambda_min() > policy.lambda_max()) {
    check.Refuse("lambda_min", absl::StrCat("is ", policy.lambda_min(), ", above lambda_max ", policy.lambda_max()));
  }
  if (grows && policy.pool_factor() * policy.lambda_max() > kLargestPool) {
    check.Refuse("lambda_max", absl::StrCat("makes a pool of ", policy.pool_factor(), " times ", policy.lambda_max(),
                                            "; at most ", kLargestPool));
  }
  check.Within("top_k", policy.top_k(), 1, kLargestPool);
  if (!grows && policy.top_k() > policy.pool()) {
    check.Refuse("top_k",
                 absl::StrCat("is ", policy.top_k(), "; it must lie within 1 and the pool of ", policy.pool()));
  }
  check.Within("epsilon", policy.epsilon(), 0, 1);
  check.Within("start_epsilon", policy.start_epsilon(), 0, 1);
  check.Within("epsilon_final_share", policy.epsilon_final_share(), 0, 1);
  check.Within("alpha", policy.alpha(), 0, 1);
  check.Within("q0", policy.q0(), -kLargestQ, kLargestQ);
  check.Within("gate_adoptions", policy.gate_adoptions(), 1, kLargestGate);
  check.Within("gate_operators", policy.gate_operators(), 1, kLargestGate);
  check.Within("resident_budget", static_cast<double>(policy.resident_budget()), 0,
               static_cast<double>(kLargestResidentBudget));
  check.Within("usage_step", policy.usage_step(), 0, 1);
}

}  // namespace

absl::StatusOr<PolicyRules> ResolvePolicy(const v1::Policy& policy, const std::string& field) {
  ASSIGN_OR_RETURN(const v1::Policy merged, common::MergedPolicy(policy, field));
  FieldChecks check(field);
  CheckSwitches(merged, check);
  CheckNumbers(merged, check);
  RETURN_IF_ERROR(check.status());
  const bool frozen = merged.writes() == v1::Policy::WRITE_NOTHING;
  return PolicyRules{
      .preset = merged.preset(),
      .writes = merged.writes(),
      .rank = RankOf(merged.rank()),
      .credit = frozen ? CreditRule::kNone : CreditOfPolicy(merged.credit()),
      .residents = merged.residents(),
      .start_point = merged.start_point(),
      .packing = merged.packing(),
      .tiers = merged.packing() == v1::Policy::TIERS,
      .tick_per_round = merged.tick() == v1::Policy::PER_ROUND,
      .schedule = merged.schedule(),
      .cold_start = merged.cold_start(),
      .tools = merged.tools(),
      .read_only = merged.read_only(),
      .held_out_operators = {merged.held_out_operators().begin(), merged.held_out_operators().end()},
      .pool = merged.pool(),
      .top_k = merged.top_k(),
      .pool_factor = merged.pool_factor(),
      .lambda_min = merged.lambda_min(),
      .lambda_max = merged.lambda_max(),
      .epsilon = merged.epsilon(),
      .start_epsilon = merged.start_epsilon(),
      .epsilon_final_share = merged.epsilon_final_share(),
      .gamma = merged.gamma(),
      .beta = merged.beta(),
      .delta = merged.delta(),
      .eta_min = merged.eta_min(),
      .full_failure_penalty = merged.full_failure_penalty(),
      .alpha = merged.alpha(),
      .q0 = merged.q0(),
      .raw_reward = merged.raw_reward(),
      .normalise_failures = merged.normalise_failures(),
      .q_by_family = merged.q_by_family(),
      .gate_adoptions = merged.gate_adoptions(),
      .gate_operators = merged.gate_operators(),
      .resident_budget = merged.resident_budget(),
      .usage_step = merged.usage_step(),
      .residents_take_credit = merged.residents_take_credit(),
      .mean_successors = merged.mean_successors(),
      .leaf_literal = merged.leaf_literal(),
  };
}

int PoolSize(const PolicyRules& rules, double progress) {
  if (rules.pool_factor <= 0 || rules.lambda_max <= 0) return std::max(rules.pool, rules.top_k);
  const double share = std::clamp(progress, 0.0, 1.0);
  const double lambda = rules.lambda_min + (rules.lambda_max - rules.lambda_min) * share;
  return std::max(static_cast<int>(std::lround(lambda * rules.pool_factor)), rules.top_k);
}

double EpsilonAt(double epsilon, const PolicyRules& rules, double progress) {
  return epsilon * (1.0 - (1.0 - rules.epsilon_final_share) * std::clamp(progress, 0.0, 1.0));
}

bool LearnsQ(const PolicyRules& rules) {
  return rules.credit == CreditRule::kQLearning || rules.credit == CreditRule::kAdoptedAndQ;
}

bool LearnsUtility(const PolicyRules& rules) {
  return rules.credit == CreditRule::kUniform || rules.credit == CreditRule::kAdopted ||
         rules.credit == CreditRule::kAdoptedAndQ;
}

DownstreamWeights WeightsOf(const PolicyRules& rules) {
  return {.halve_leaves = rules.leaf_literal, .mean = rules.mean_successors};
}

}  // namespace kernelsmith::memory
