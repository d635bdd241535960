#include "memory/values/budget.h"

#include <algorithm>

namespace kernelsmith::memory {

int64_t ContextBudget(const WindowSplit& split) {
  const int64_t generation = split.generation > 0 ? split.generation : std::min<int64_t>(16'000, split.window / 4);
  const int64_t recency = split.recency > 0 ? split.recency : std::min<int64_t>(8'000, split.window / 8);
  return std::max<int64_t>(0, split.window - split.system - generation - recency);
}

TierQuotas QuotasFor(int64_t budget, int64_t required) {
  const int64_t free = budget - required;
  TierQuotas quotas;
  quotas.warm = std::min<int64_t>(free / 2, 60'000);
  quotas.warm_failures = quotas.warm * 3 / 10;
  quotas.cold = std::min<int64_t>(free / 4, 30'000);
  return quotas;
}

}  // namespace kernelsmith::memory
