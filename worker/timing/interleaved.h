// Measures several kernels of one case alternately, batch by batch in random order, so that a machine that drifts
// cannot make one of them win.
//
// Example:
//   absl::StatusOr<std::vector<Samples>> samples = MeasureInterleaved({&candidate, &baseline}, slots, hooks, options,
//   gen); v1::PairedRatio ratio = CompareInterleaved((*samples)[0].per_call_us, (*samples)[1].per_call_us);
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace kernelsmith::worker {

// One kernel that can be called on slots of the pool.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Wall of one call per slot, in order, by the parent's clock.
  virtual absl::StatusOr<absl::Duration> Run(absl::Span<const int> slots) = 0;
  // Wall of as many empty calls under the same protocol.
  virtual absl::StatusOr<absl::Duration> RunEmpty(absl::Span<const int> slots) = 0;
};

// What happens around a batch, outside its time. An error ends the measurement and is returned.
class BatchHooks {
 public:
  virtual ~BatchHooks() = default;
  virtual absl::Status Before(int contestant, absl::Span<const int> slots) = 0;
  // `timed` is false for warm-up batches.
  virtual absl::Status After(int contestant, absl::Span<const int> slots, bool timed) = 0;
};

struct MeasureOptions {
  int max_samples = 100;
  double early_stop_relative = 0.005;          // stop when every half interval is below this part of its mean
  absl::Duration time_cap = absl::Seconds(3);  // of the timed rounds; three rounds are taken in any case
  absl::Duration batch_wall = absl::Milliseconds(20);
};

struct Samples {
  std::vector<double> per_call_us;  // one per batch, empty calls subtracted; as many for every contestant
  int calls_per_batch = 0;
  double empty_call_us = 0;
  bool stopped_early = false;
};

// `slots` is the size of the pool. Each contestant is warmed on every slot it will be timed on. FAILED_PRECONDITION if
// a batch takes no longer than its empty calls; else the errors of contestants and hooks; CANCELLED on stop.
absl::StatusOr<std::vector<Samples>> MeasureInterleaved(absl::Span<Contestant* const> contestants, int slots,
                                                        BatchHooks& hooks, const MeasureOptions& options,
                                                        absl::BitGenRef random, std::stop_token stop = {});

}  // namespace kernelsmith::worker
