#include "memory/retrieval/search/seal_plan.h"

#include <numeric>

namespace kernelsmith::memory {
namespace {

constexpr int64_t kFactor = 3;

}  // namespace

SealPlan PlanSeal(const std::vector<int64_t>& segments, int64_t unsealed) {
  SealPlan plan{.first_segment = segments.size(), .items = unsealed};
  if (unsealed == 0) return plan;
  while (plan.first_segment > 0 && segments[plan.first_segment - 1] < kFactor * plan.items) {
    plan.items += segments[--plan.first_segment];
  }
  return plan;
}

SealPlan PlanSealAll(const std::vector<int64_t>& segments, int64_t unsealed) {
  if (segments.size() + (unsealed > 0 ? 1 : 0) <= 1 && unsealed == 0) {
    return {.first_segment = segments.size(), .items = 0};
  }
  return {.first_segment = 0, .items = std::accumulate(segments.begin(), segments.end(), unsealed)};
}

}  // namespace kernelsmith::memory
