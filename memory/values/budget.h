// How many tokens of one prompt belong to which part (KOPE's tiers, arXiv 2608.25570).
//
//   const int64_t budget = ContextBudget({.window = 1'000'000, .system = 20'000, .generation = 64'000,
//                                           .recency = 16'000});   // 900'000
//   const TierQuotas quotas = QuotasFor(budget, required_tokens);
#pragma once

#include <cstdint>

namespace kernelsmith::memory {

// Tokens. A generation or recency reserve of 0 takes its default: min(16k, W/4) and min(8k, W/8).
struct WindowSplit {
  int64_t window = 0;      // W
  int64_t system = 0;      // S
  int64_t generation = 0;  // G
  int64_t recency = 0;     // R
};

// B = max(0, W - S - G - R).
int64_t ContextBudget(const WindowSplit& split);

struct TierQuotas {
  int64_t warm = 0;           // Q_w = min(0.5*(B - H), 60k)
  int64_t warm_failures = 0;  // 30 % of Q_w, kept for failed attempts
  int64_t cold = 0;           // Q_c = min(0.25*(B - H), 30k)
};

// REQUIRES: required <= budget (H <= B).
TierQuotas QuotasFor(int64_t budget, int64_t required);

}  // namespace kernelsmith::memory
