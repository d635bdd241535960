// EvoKernel's values (arXiv 2603.10846): Q of an item for a stage, the reward of one attempt, and the online normaliser
// of refining rewards.
//
//   const double reward = RefiningReward(/*feasible=*/true, /*best_us=*/1.0, /*latency_us=*/0.5);   // 0.6
//   const double r = normaliser.UpdateAndNormalise(reward);
//   q = UpdatedQ(q, r, 0.3);
//
// Rewards and Q are dimensionless; a raw reward lies within [-1, 1], a normalised one within [-3, 3].
#pragma once

#include <cstdint>

#include "memory/values/policy.h"

namespace kernelsmith::memory {

// Q <- Q + alpha*(r - Q).
double UpdatedQ(double q, double reward, double alpha);

// +1 if the attempt is feasible (anti-hack and compile and correct), otherwise -1.
double DraftingReward(bool feasible);

// -1 if not feasible; otherwise tanh(ln b - ln l) = (b*b - l*l)/(b*b + l*l), computed in the second form with the
// smaller over the larger, so that no square overflows. b = best latency before this attempt, l = this latency, in one
// unit. A feasible attempt with an unknown latency or best (0 or below) gets 0: it is neither better nor worse.
double RefiningReward(bool feasible, double best_us, double latency_us);

// Mean and spread of a stream of rewards (Welford; population standard deviation).
class RewardNormaliser {
 public:
  // Takes `reward` in, then returns (reward - mean)/max(sd, 1e-3) clipped to +-3; the reward itself as long as it is
  // the only one.
  double UpdateAndNormalise(double reward);

  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double deviation() const;

  bool operator==(const RewardNormaliser&) const = default;

 private:
  int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean
};

// What one attempt did.
struct AttemptOutcome {
  v1::Stage stage = v1::STAGE_UNSPECIFIED;
  bool feasible = false;
  double best_us = 0;     // best feasible latency of the task before this attempt; REFINING only
  double latency_us = 0;  // REFINING only
};

// The reward that Q learns from, under the policy's switches: drafting rewards and, with raw_reward, all rewards as
// they are; refining rewards through the normaliser, which -1 of an infeasible attempt enters only with
// normalise_failures and stays -1 otherwise. One normaliser for each (team, target, policy).
double LearningReward(const AttemptOutcome& outcome, const PolicyRules& rules, RewardNormaliser& normaliser);

}  // namespace kernelsmith::memory
