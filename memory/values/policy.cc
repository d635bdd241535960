#include "memory/values/policy.h"

#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

struct Preset {
  const char* name;
  RankRule rank;
  CreditRule credit;
  bool tiers;
};

constexpr std::array<Preset, 6> kPresets = {{
    {"combined", RankRule::kCombined, CreditRule::kAdopted, true},
    {"pass_at_k", RankRule::kNone, CreditRule::kNone, false},
    {"static_rag", RankRule::kRelevance, CreditRule::kNone, false},
    {"value_memory", RankRule::kUtility, CreditRule::kUniformPerRound, false},
    {"sage_no_ugc", RankRule::kUtility, CreditRule::kAdopted, false},
    {"kope", RankRule::kLabel, CreditRule::kNone, true},
}};

constexpr int kLargestPool = 1000;

absl::Status CheckFraction(const std::string& field, double value) {
  if (std::isfinite(value) && value >= 0 && value <= 1) return absl::OkStatus();
  return common::InvalidField(field, absl::StrCat("is ", value, "; it must lie within 0 and 1"));
}

}  // namespace

absl::StatusOr<PolicyRules> ResolvePolicy(const v1::Policy& policy, const std::string& field) {
  const std::string name = policy.preset().empty() ? kPresets.front().name : policy.preset();
  const Preset* preset = nullptr;
  for (const Preset& known : kPresets) {
    if (name == known.name) preset = &known;
  }
  if (preset == nullptr) {
    const auto append_name = [](std::string* out, const Preset& known) { absl::StrAppend(out, known.name); };
    return common::InvalidField(
        absl::StrCat(field, ".preset"),
        absl::StrCat("'", name, "' is not known; choose one of ", absl::StrJoin(kPresets, ", ", append_name)));
  }
  PolicyRules rules;
  rules.preset = name;
  rules.rank = preset->rank;
  rules.credit = preset->credit;
  rules.tiers = preset->tiers;
  if (policy.has_gamma()) rules.gamma = policy.gamma();
  if (policy.has_beta()) rules.beta = policy.beta();
  if (policy.has_delta()) rules.delta = policy.delta();
  if (policy.has_eta_min()) rules.eta_min = policy.eta_min();
  if (policy.pool() != 0) rules.pool = policy.pool();
  if (policy.top_k() != 0) rules.top_k = policy.top_k();
  rules.read_only = policy.read_only();
  rules.full_failure_penalty = policy.full_failure_penalty();
  rules.held_out_operators.assign(policy.held_out_operators().begin(), policy.held_out_operators().end());

  const std::array<std::pair<const char*, double>, 4> fractions = {
      {{"gamma", rules.gamma}, {"beta", rules.beta}, {"delta", rules.delta}, {"eta_min", rules.eta_min}}};
  for (const auto& [parameter, value] : fractions) {
    RETURN_IF_ERROR(CheckFraction(absl::StrCat(field, ".", parameter), value));
  }
  if (rules.pool < 1 || rules.pool > kLargestPool) {
    return common::InvalidField(absl::StrCat(field, ".pool"),
                                absl::StrCat("is ", rules.pool, "; it must lie within 1 and ", kLargestPool));
  }
  if (rules.top_k < 1 || rules.top_k > rules.pool) {
    return common::InvalidField(
        absl::StrCat(field, ".top_k"),
        absl::StrCat("is ", rules.top_k, "; it must lie within 1 and the pool of ", rules.pool));
  }
  return rules;
}

}  // namespace kernelsmith::memory
