#include "memory/values/utility.h"

#include <algorithm>

namespace kernelsmith::memory {

double StageScore(const StageOutcome& outcome, double delta) {
  if (!outcome.passed) return -delta;
  if (outcome.stage == v1::DRAFTING) return 1.0;
  const bool improved = outcome.first_us > 0 && outcome.best_us > 0 && outcome.best_us < outcome.first_us;
  return improved ? 1.0 - outcome.best_us / outcome.first_us : -delta;
}

std::vector<double> AdoptionCredit(const std::vector<bool>& adopted, double z, double beta, bool full_failure_penalty) {
  const auto adopted_count = std::count(adopted.begin(), adopted.end(), true);
  const bool divide = !(full_failure_penalty && z < 0);
  std::vector<double> credit(adopted.size(), -beta);
  for (size_t i = 0; i < adopted.size(); ++i) {
    if (adopted[i]) credit[i] = divide ? z / static_cast<double>(adopted_count) : z;
  }
  return credit;
}

std::vector<double> UniformCredit(size_t count, double z) { return std::vector<double>(count, z); }

double LearningRate(int64_t n_retrieved, double eta_min) {
  return std::max(1.0 / (1.0 + static_cast<double>(n_retrieved)), eta_min);
}

double UpdatedUtility(double u, double xi, double eta) { return (1.0 - eta) * u + eta * xi; }

}  // namespace kernelsmith::memory
