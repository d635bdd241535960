// Adoption-traced utility (SAGE, arXiv 2609.35568): one number per item that says how much the stages that used it
// gained.
//
//   const double z = StageScore({.stage = v1::REFINING, .passed = true, .first_us = 1000, .best_us = 600}, 0.2);  //
//   0.4 const std::vector<double> xi = AdoptionCredit({true, true, false, false}, z, 0.2, false);  // 0.2 0.2 -0.2 -0.2
//   u = UpdatedUtility(u, xi[0], LearningRate(n_retrieved, 0.05));
//
// Utilities are dimensionless; with delta <= beta they stay within [-beta, 1].
#pragma once

#include <cstdint>
#include <vector>

#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::memory {

struct StageOutcome {
  v1::Stage stage = v1::STAGE_UNSPECIFIED;
  bool passed = false;  // DRAFTING: a correct kernel was found; REFINING: it became faster
  double first_us = 0;  // T_first: latency of the first correct kernel, REFINING only
  double best_us = 0;   // T_best: latency of the best correct kernel, REFINING only
};

// z: 1 for a drafting stage that passed, 1 - T_best/T_first for a refining stage that improved, otherwise -delta.
double StageScore(const StageOutcome& outcome, double delta);

// xi per retrieved item: z/|A| for the adopted ones, -beta for the others. With `full_failure_penalty` an adopted item
// of a stage with z < 0 gets z whole. `adopted[i]` tells whether item i was adopted at least once in the stage.
std::vector<double> AdoptionCredit(const std::vector<bool>& adopted, double z, double beta, bool full_failure_penalty);

// xi per retrieved item under uniform credit: z for each of `count` items.
std::vector<double> UniformCredit(size_t count, double z);

// eta = max(1/(1 + n_retrieved), eta_min). n_retrieved counts the present stage already, so the first eta is 1/2.
double LearningRate(int64_t n_retrieved, double eta_min);

// u <- (1 - eta)*u + eta*xi.
double UpdatedUtility(double u, double xi, double eta);

}  // namespace kernelsmith::memory
