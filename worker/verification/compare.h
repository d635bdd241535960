// Whether the outputs of a kernel are right, and if not, what is wrong with them. Order of checks: count, type, shape,
// NaN and infinity by position and sign, values. Every element counts; integers and bools compare exactly. Pure.
//
// Example:
//   OutputVerdict verdict = CompareOutput(want, got, tolerance);
//   if (verdict.status != v1::PASSED) Show(verdict.mismatch);
//
// 16 million floats take a few tens of milliseconds.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {

struct ExpectedOutput {
  v1::TensorDescriptor tensor;         // declared type and shape
  absl::Span<const std::byte> values;  // contiguous; FP32 for fp32 and half outputs, else the declared type
  double rms = 0;                      // of the finite values
  double error = 0;                    // RMS error of the reference in the task's precision
};

struct ObservedOutput {
  TensorLayout layout;                 // what the kernel was given
  absl::Span<const std::byte> buffer;  // layout.buffer_bytes
  absl::Span<const std::byte> poison;  // the buffer before the call; empty if unknown
};

struct OutputVerdict {
  v1::EvaluationStatus status = v1::PASSED;
  std::string detail;        // one sentence; empty when passed
  v1::Mismatch mismatch;     // when an element is wrong
  double max_abs_error = 0;  // over finite elements
  double max_rel_error = 0;  // |got - want| / (|want| + rms)
};

OutputVerdict CompareOutput(const ExpectedOutput& want, const ObservedOutput& got, const v1::Tolerance& tolerance);

// All outputs of a case. The first failing check decides; mismatches of later outputs are reported as well.
std::vector<OutputVerdict> CompareOutputs(absl::Span<const ExpectedOutput> want, absl::Span<const ObservedOutput> got,
                                          const v1::Tolerance& tolerance);

// The worst of several verdicts: the status that comes first in the order of checks.
v1::EvaluationStatus Overall(absl::Span<const OutputVerdict> verdicts);

}  // namespace kernelsmith::worker
