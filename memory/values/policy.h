// A policy resolved into the switches that the code acts on: one store, many policies, no fork of the code. The presets
// are data (configs/policies); a request overrides single fields.
//
//   const absl::StatusOr<PolicyRules> rules = ResolvePolicy(request.policy());
//   if (rules.ok() && rules->rank == RankRule::kNone) ...  // pass_at_k
//
// INVALID_ARGUMENT names the field of an unknown preset or a parameter out of range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/values/lineage_effect.h"

namespace kernelsmith::memory {

enum class RankRule {
  kNone,        // nothing is retrieved
  kOwnHistory,  // attempts of this job, newest first
  kRelevance,   // s
  kUtility,     // s*(1 + gamma*u)
  kQGreedy,     // Q of the stage inside the pool
  kZScores,     // 0.5 z(s) + 0.5 z(Q)
  kLabel,       // label bucket, relevance band, d*c
  kCombined,    // s*(1 + gamma*u)*(1 + 0.1*tanh(ln(max(d, 0.01))))
};

enum class CreditRule {
  kNone,         // values never change
  kUniform,      // z for every retrieved item, of the stage or of each round (tick)
  kAdopted,      // z/|A| to the adopted items of a stage, -beta to the others
  kQLearning,    // Q of every value-selected item at every attempt
  kAdoptedAndQ,  // u by adoption; Q for start points only
};

struct PolicyRules {
  std::string preset;
  v1::Policy::Writes writes = v1::Policy::EVERYTHING;
  RankRule rank = RankRule::kCombined;
  CreditRule credit = CreditRule::kAdoptedAndQ;  // kNone where nothing is written
  v1::Policy::Residents residents = v1::Policy::GATED;
  v1::Policy::StartPoint start_point = v1::Policy::BY_Q;
  v1::Policy::Packing packing = v1::Policy::TIERS;
  bool tiers = true;  // packing == TIERS: warm, cold and the share kept for failures
  bool tick_per_round = false;
  v1::Policy::Schedule schedule = v1::Policy::SEQUENTIAL;
  v1::Policy::ColdStart cold_start = v1::Policy::DOCUMENTS_AND_MINING;
  v1::Policy::Tools tools = v1::Policy::ALL_TOOLS;
  bool read_only = false;
  std::vector<std::string> held_out_operators;

  int pool = 30;        // K where the pool does not grow; see PoolSize
  int top_k = 8;        // k
  int pool_factor = 0;  // N
  double lambda_min = 0;
  double lambda_max = 0;  // 0: the pool does not grow
  double epsilon = 0;     // of the k places
  double start_epsilon = 0.1;
  double epsilon_final_share = 0.5;

  double gamma = 0.3;
  double beta = 0.2;
  double delta = 0.2;
  double eta_min = 0.05;
  bool full_failure_penalty = false;

  double alpha = 0.3;
  double q0 = 0;
  bool raw_reward = false;
  bool normalise_failures = false;
  bool q_by_family = false;

  int gate_adoptions = 3;            // K_ado
  int gate_operators = 3;            // K_op
  int64_t resident_budget = 10'000;  // tokens
  double usage_step = 0.1;           // mu
  bool residents_take_credit = true;

  bool mean_successors = false;
  bool leaf_literal = false;

  bool operator==(const PolicyRules&) const = default;
};

// `field` prefixes the names in error messages, for example "policy".
absl::StatusOr<PolicyRules> ResolvePolicy(const v1::Policy& policy, const std::string& field = "policy");

// K at `progress` (share of the job's rounds that are over, 0 to 1): lambda*N rounded, lambda growing linearly from
// lambda_min to lambda_max; `pool` where the pool does not grow. Never below k.
int PoolSize(const PolicyRules& rules, double progress);

// The part of epsilon (or start_epsilon) that is left at `progress`: all of it at 0, epsilon_final_share of it at 1.
double EpsilonAt(double epsilon, const PolicyRules& rules, double progress);

// True if the policy keeps Q at all, and if it keeps u.
bool LearnsQ(const PolicyRules& rules);
bool LearnsUtility(const PolicyRules& rules);

// The weights of d under the policy's two switches.
DownstreamWeights WeightsOf(const PolicyRules& rules);

}  // namespace kernelsmith::memory
