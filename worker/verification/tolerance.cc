#include "worker/verification/tolerance.h"

#include <algorithm>
#include <cmath>

namespace kernelsmith::worker {

double ClassTolerance(v1::DType dtype) {
  switch (dtype) {
    case v1::FP32:
      return 1e-4;
    case v1::FP16:
      return 1e-3;
    case v1::BF16:
      return 1e-2;
    case v1::FP64:
      return 1e-10;
    default:
      return 0;
  }
}

ToleranceRule RuleFor(v1::DType dtype, const v1::Tolerance& tolerance, double rms, double error) {
  const double rtol = tolerance.rtol() > 0 ? tolerance.rtol() : ClassTolerance(dtype);
  const double multiple = tolerance.oracle_multiple() > 0 ? tolerance.oracle_multiple() : 2;
  return {rtol, rtol * rms, multiple * error};
}

double Allowed(const ToleranceRule& rule, double want) {
  const double base = rule.rtol * std::fabs(want) + rule.floor;
  return std::max(base, std::min(rule.widen, kOracleCap * base));
}

}  // namespace kernelsmith::worker
