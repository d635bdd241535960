// How far a floating-point output may be from the expected value:
//
//   |got - want| <= max(rtol * |want| + rtol * s, k * e)
//
// s is the RMS of the finite expected output, so that zeros do not pass a softmax; e is the RMS error of the reference
// in the task's own precision against the double-precision oracle. k * e only ever widens, to at most 10 times the
// first term. Source: design/evaluation.md section 2, step 4. Pure.
#pragma once

#include "kernelsmith/v1/task.pb.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::worker {

// Largest factor by which k * e may widen the class.
inline constexpr double kOracleCap = 10;

struct ToleranceRule {
  double rtol = 0;
  double floor = 0;  // rtol * s
  double widen = 0;  // k * e
};

// rtol of the class of an output type: fp32 1e-4, fp16 1e-3, bf16 1e-2, fp64 1e-10; 0 for integers and bool.
double ClassTolerance(v1::DType dtype);

// `rms` is s, `error` is e.
ToleranceRule RuleFor(v1::DType dtype, const v1::Tolerance& tolerance, double rms, double error);

double Allowed(const ToleranceRule& rule, double want);

}  // namespace kernelsmith::worker
