// Differential mining: what an expert kernel does that a generated kernel for the same task does not, as an INSIGHT for
// the experience memory: difference, hardware reason, pattern, applicability.
//
//   MiningRequest request{.language = KernelLanguage::kAscendC, .operator_name = "softmax"};
//   request.generated.kernel = ...; request.expert.kernel = ...;
//   ASSIGN_OR_RETURN(v1::ItemContent insight, MineDifference(request, TemplateWriter()));
//
// REQUIRES: both kernels were compiled and are correct; this reads their text and cannot know.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/coldstart/kernel_structure.h"
#include "common/coldstart/known_patterns.h"
#include "common/coldstart/structural_diff.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::common {

struct MinedKernel {
  std::string kernel;     // kernel.asc or kernel.cpp
  std::string plan;       // plan.cpp of an Ascend C candidate
  double latency_us = 0;  // 0: not measured
};

struct MiningRequest {
  KernelLanguage language = KernelLanguage::kAscendC;
  MinedKernel generated;
  MinedKernel expert;
  v1::ClockDomain clock = v1::CLOCK_DOMAIN_UNSPECIFIED;  // of both latencies
  v1::Target target;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  std::string operator_name;
  std::string family;
  std::string level;
  std::vector<std::string> held_out_operators;  // of a campaign: nothing is mined for them
  std::vector<std::string> source_item_ids;     // the generated kernel's case, if memory has it
};

struct MinedDifference {
  const MiningRequest& request;
  std::vector<Difference> differences;
  StatementChanges statements;
  std::vector<const KnownPattern*> patterns;  // empty: nothing is known of the differences' effect
};

// Puts a mined difference into words.
class DifferenceWriter {
 public:
  struct Prose {
    std::string title;
    std::string text;   // Markdown
    std::string trust;  // "model" for a model's words, "user" otherwise
  };
  virtual ~DifferenceWriter() = default;
  virtual absl::StatusOr<Prose> Write(const MinedDifference& mined) const = 0;
};

// Without a model: the differences as they are, and of patterns and reasons what the table of known patterns says.
class TemplateWriter : public DifferenceWriter {
 public:
  absl::StatusOr<Prose> Write(const MinedDifference& mined) const override;
};

// INVALID_ARGUMENT for a missing operator or source, or latencies without a clock. FAILED_PRECONDITION if there is
// nothing to learn: the operator is held out, the kernels do not differ, or the expert is not the faster one by its
// measurement. Where `writer` fails, the template writes, and `writer_problem` says why.
absl::StatusOr<v1::ItemContent> MineDifference(const MiningRequest& request, const DifferenceWriter& writer,
                                               absl::Status* writer_problem = nullptr);

// The section about both latencies; empty if one was not measured.
std::string MeasuredText(const MiningRequest& request);

}  // namespace kernelsmith::common
