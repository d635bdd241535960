// Candidates and the PyTorch baseline as contestants of an interleaved measurement.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/devices/device_runtime.h"
#include "worker/pipeline/finding_log.h"
#include "worker/pipeline/recorder.h"
#include "worker/reference/reference.h"
#include "worker/runner/candidate_process.h"
#include "worker/timing/interleaved.h"

namespace kernelsmith::worker {

// The runtime's empty kernel on the same pool: what a call costs before the kernel does anything. Nothing on a clock
// that counts no such cost.
class EmptyKernel {
 public:
  static absl::StatusOr<std::unique_ptr<EmptyKernel>> Start(const SlotPool& pool, DeviceRuntime& runtime);
  // Shortest of a few batches of these slots: noise only ever adds, and too small a deduction favours nobody.
  absl::StatusOr<absl::Duration> Measure(absl::Span<const int> slots);

 private:
  std::unique_ptr<CandidateProcess> process_;
  int handle_ = -1;
};

// Timed by the device's own clock where it has one. A batch that ends badly returns ABORTED and leaves its meaning in
// verdict().
class CandidateContestant : public Contestant {
 public:
  CandidateContestant(CandidateProcess& process, int pool_handle, EmptyKernel& empty, v1::ClockDomain clock,
                      absl::Duration limit)
      : process_(process), handle_(pool_handle), empty_(empty), clock_(clock), limit_(limit) {}
  absl::StatusOr<absl::Duration> Run(absl::Span<const int> slots) override;
  absl::StatusOr<absl::Duration> RunEmpty(absl::Span<const int> slots) override { return empty_.Measure(slots); }
  const Verdict& verdict() const { return verdict_; }
  const FindingLog& findings() const { return findings_; }
  // Mean of a call over all batches, each between two events around the whole batch; 0 without a device clock.
  double batch_call_us() const { return batch_calls_ == 0 ? 0 : batch_us_ / batch_calls_; }

 private:
  absl::StatusOr<absl::Duration> DeviceTime(const BatchOutcome& outcome);

  CandidateProcess& process_;
  const int handle_;
  EmptyKernel& empty_;
  const v1::ClockDomain clock_;
  TimeLimit limit_;
  Verdict verdict_;
  FindingLog findings_;
  double batch_us_ = 0;
  int batch_calls_ = 0;
};

// Its process is frozen outside its own batches. REQUIRES: OpenBaseline was called with the same pool.
class BaselineContestant : public Contestant {
 public:
  BaselineContestant(Reference& reference, absl::Duration limit, std::stop_token stop)
      : reference_(reference), limit_(limit), stop_(std::move(stop)) {}
  // Thaws the process.
  ~BaselineContestant() override;
  absl::StatusOr<absl::Duration> Run(absl::Span<const int> slots) override;
  absl::StatusOr<absl::Duration> RunEmpty(absl::Span<const int> slots) override;

 private:
  template <typename Call>
  absl::StatusOr<absl::Duration> Thawed(Call call);

  Reference& reference_;
  TimeLimit limit_;
  const std::stop_token stop_;
  bool frozen_ = false;
};

}  // namespace kernelsmith::worker
