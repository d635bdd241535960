// What an attempt did against the attempt it started from, and what came of it later (KOPE, arXiv 2608.25570).
//
//   const double r = Effect({.correct = true, .is_root = false, .speedup = 1.25, .prev_speedup = 1.0});  // 1.25
//   LabelOf(r);                                                                                          // EFFECTIVE
//   DownstreamScore(r, {.891667}, {});                                                                   // 0.937083
//
// All figures are dimensionless ratios.
#pragma once

#include <span>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

struct EffectInput {
  bool correct = false;
  bool is_root = false;
  double speedup = 0;       // a_v of this attempt
  double prev_speedup = 0;  // a of the predecessor; unused for a root
};

// a_v: 0 for a failed attempt. A correct attempt without a measurement counts as its predecessor's equal, and as 1
// where there is no correct predecessor: it vouches that the way works, not how fast it is.
double EffectiveSpeedup(const EffectInput& input);

// r_v: 0 if not correct; 1 for a root or after a predecessor with a <= 0; otherwise a_v / a_prev.
double Effect(const EffectInput& input);

// effective r >= 1.05, partial >= 1, ineffective >= 0.85, otherwise negative; compared with 1e-9 slack,
// because 1.89/1.8 is below 1.05 in binary.
v1::Label LabelOf(double r);

struct DownstreamWeights {
  double self = 0.5;          // w_self
  double successors = 0.5;    // w_succ
  double discount = 0.7;      // g
  bool halve_leaves = false;  // leaf_literal: a leaf scores w_self * r rather than r
  bool mean = false;  // the mean over the successors rather than the sum, which diverges from 3 equal ones a level on
};

// d(v) = w_self*r + w_succ*g*sum (or mean) of d over the successors. A leaf scores r. `successor_scores` must be
// ordered by attempt id: the order of the sum is part of the definition, so that an incremental update equals a
// recomputation bit for bit.
double DownstreamScore(double r, std::span<const double> successor_scores, const DownstreamWeights& weights);

}  // namespace kernelsmith::memory
