// What happens around the timed batches of one case: fresh inputs before, a look at every output after, and three
// randomly chosen calls kept for a full comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "worker/pipeline/recorder.h"
#include "worker/reference/variant.h"
#include "worker/runner/slot_pool.h"
#include "worker/timing/interleaved.h"

namespace kernelsmith::worker {

// Inputs and outputs of one timed call of the candidate.
struct KeptCall {
  PackedTensors inputs;
  std::vector<std::vector<std::byte>> outputs;  // buffers as the pool lays them out
};

class TimedCalls : public BatchHooks {
 public:
  static constexpr int kKept = 3;
  static constexpr int kCandidate = 0;  // contestant whose calls are kept and judged
  static constexpr int kIncumbent = 1;  // judged too, if `incumbent` says that there is one

  // `variants` are what the pool's slots were filled with, slot i with variant i modulo their number.
  TimedCalls(SlotPool& pool, std::vector<std::shared_ptr<const Variant>> variants, bool incumbent,
             absl::BitGenRef random)
      : pool_(pool), variants_(std::move(variants)), incumbent_(incumbent), random_(random) {}

  absl::Status Before(int contestant, absl::Span<const int> slots) override;
  // ABORTED, with the reason in verdict(), if a call left an output unwritten or wrote beside it.
  absl::Status After(int contestant, absl::Span<const int> slots, bool timed) override;

  std::vector<KeptCall> TakeKept() { return std::move(kept_); }
  const Verdict& verdict() const { return verdict_; }
  // Contestant that verdict() is about.
  int culprit() const { return culprit_; }

 private:
  // Eight bytes at a random place of an output, overwritten before the call.
  struct Spot {
    int slot;
    int output;
    int64_t offset;
    uint64_t value;
  };
  bool Writes(int contestant) const { return contestant == kCandidate || (contestant == kIncumbent && incumbent_); }
  absl::Status Reject(int contestant, Verdict verdict);
  absl::Status Keep(int slot);

  SlotPool& pool_;
  const std::vector<std::shared_ptr<const Variant>> variants_;
  const bool incumbent_;
  absl::BitGenRef random_;
  std::vector<Spot> spots_;
  std::vector<KeptCall> kept_;
  int64_t calls_ = 0;  // timed calls of the candidate so far
  Verdict verdict_;
  int culprit_ = -1;
};

}  // namespace kernelsmith::worker
