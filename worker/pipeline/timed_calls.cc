#include "worker/pipeline/timed_calls.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "worker/timing/fresh_inputs.h"
#include "worker/verification/strided.h"

namespace kernelsmith::worker {
namespace {

constexpr int kSpotsPerOutput = 32;

}  // namespace

absl::Status TimedCalls::Reject(int contestant, Verdict verdict) {
  verdict_ = std::move(verdict);
  culprit_ = contestant;
  return absl::AbortedError(verdict_.detail);
}

absl::Status TimedCalls::Before(int contestant, absl::Span<const int> slots) {
  spots_.clear();
  for (const int slot : slots) {
    const Variant& variant = *variants_[static_cast<size_t>(slot) % variants_.size()];
    for (int i = 0; i < pool_.inputs(); ++i) {
      const TensorLayout& layout = pool_.input_placements()[static_cast<size_t>(i)].layout;
      if (!IsContiguous(layout)) continue;
      RedrawSlice(variant.inputs.Bytes(i), layout.element_bytes, pool_.Input(slot, i), {}, random_);
    }
    if (!Writes(contestant)) continue;
    for (int i = 0; i < pool_.outputs(); ++i) {
      const TensorLayout& layout = pool_.output_placements()[static_cast<size_t>(i)].layout;
      const absl::Span<std::byte> output = pool_.Output(slot, i);
      if (!IsContiguous(layout) || output.size() < sizeof(uint64_t)) continue;
      for (int n = 0; n < kSpotsPerOutput; ++n) {
        const int64_t last = static_cast<int64_t>(output.size() - sizeof(uint64_t));
        const Spot spot{slot, i, absl::Uniform<int64_t>(absl::IntervalClosed, random_, 0, last),
                        absl::Uniform<uint64_t>(random_)};
        std::memcpy(output.data() + spot.offset, &spot.value, sizeof(spot.value));
        spots_.push_back(spot);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status TimedCalls::After(int contestant, absl::Span<const int> slots, bool timed) {
  if (!Writes(contestant)) return absl::OkStatus();
  for (const int slot : slots) {
    if (!pool_.GuardsIntact(slot)) {
      return Reject(contestant, {v1::RUNTIME_ERROR, "a timed call wrote outside its outputs"});
    }
  }
  for (const Spot& spot : spots_) {
    uint64_t now = 0;
    std::memcpy(&now, pool_.Output(spot.slot, spot.output).data() + spot.offset, sizeof(now));
    if (now != spot.value) continue;
    return Reject(contestant,
                  {v1::REWARD_HACK,
                   absl::StrCat("a timed call left part of its output unwritten (output ", spot.output, ", byte ",
                                spot.offset, "), though it wrote all of it while it was verified"),
                   "unwritten-timed-output"});
  }
  if (contestant != kCandidate || !timed) return absl::OkStatus();
  for (const int slot : slots) RETURN_IF_ERROR(Keep(slot));
  return absl::OkStatus();
}

// Reservoir sampling: in the end every timed call was as likely to be kept.
absl::Status TimedCalls::Keep(int slot) {
  ++calls_;
  size_t place = kept_.size();
  if (kept_.size() < kKept) {
    kept_.emplace_back();
  } else {
    place = static_cast<size_t>(absl::Uniform<int64_t>(random_, 0, calls_));
    if (place >= kKept) return absl::OkStatus();
  }
  KeptCall& call = kept_[place];
  if (call.inputs.size() == 0) {
    const auto& declared = pool_.task_case().inputs();
    const std::vector<v1::TensorDescriptor> inputs(declared.begin(), declared.end());
    ASSIGN_OR_RETURN(call.inputs, PackedTensors::Create(inputs, SharedMemory::Access::kChildWrites));
  }
  for (int i = 0; i < pool_.inputs(); ++i) {
    Gather(pool_.Input(slot, i), pool_.input_placements()[static_cast<size_t>(i)].layout, call.inputs.Bytes(i));
  }
  call.outputs.clear();
  for (int i = 0; i < pool_.outputs(); ++i) {
    const absl::Span<const std::byte> output = pool_.Output(slot, i);
    call.outputs.emplace_back(output.begin(), output.end());
  }
  return absl::OkStatus();
}

}  // namespace kernelsmith::worker
