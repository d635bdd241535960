// Collects what checkers saw during an evaluation: equal findings folded, errors first, at most 50.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// Thread-compatible.
class FindingLog {
 public:
  static constexpr int kMaxFindings = 50;

  // Findings of the same severity, check, operation, buffer, file and line are one; their counts add up.
  void Add(absl::Span<const v1::Finding> findings);
  const std::vector<v1::Finding>& all() const { return findings_; }
  void CopyTo(google::protobuf::RepeatedPtrField<v1::Finding>& report) const;

 private:
  std::vector<v1::Finding> findings_;
};

}  // namespace kernelsmith::worker
