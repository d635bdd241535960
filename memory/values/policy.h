// A policy preset resolved into the switches that the code acts on: one store, many policies, no fork of the code.
//
//   const absl::StatusOr<PolicyRules> rules = ResolvePolicy(request.policy());
//   if (rules.ok() && rules->rank == RankRule::kNone) ...  // pass_at_k
//
// INVALID_ARGUMENT names the field of an unknown preset or a parameter out of range.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

enum class RankRule {
  kNone,       // nothing is retrieved
  kRelevance,  // s
  kUtility,    // s*(1 + gamma*u)
  kLabel,      // label bucket, relevance band, d*c
  kCombined,   // s*(1 + gamma*u)*(1 + 0.1*tanh(ln(max(d, 0.01))))
};

enum class CreditRule {
  kNone,             // values never change
  kUniformPerRound,  // every retrieved item of a round gets the round's z
  kAdopted,          // z/|A| to the adopted items of a stage, -beta to the others
};

struct PolicyRules {
  std::string preset;
  RankRule rank = RankRule::kCombined;
  CreditRule credit = CreditRule::kAdopted;
  bool tiers = true;  // warm, cold and the share kept for failures; otherwise one flat list
  double gamma = 0.3;
  double beta = 0.2;
  double delta = 0.2;
  double eta_min = 0.05;
  int pool = 30;  // K
  int top_k = 8;  // k
  bool read_only = false;
  bool full_failure_penalty = false;
  std::vector<std::string> held_out_operators;
};

// `field` prefixes the names in error messages, for example "policy".
absl::StatusOr<PolicyRules> ResolvePolicy(const v1::Policy& policy, const std::string& field = "policy");

}  // namespace kernelsmith::memory
