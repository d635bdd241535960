#include "worker/pipeline/contestants.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "common/status.h"
#include "worker/pipeline/verdicts.h"

namespace kernelsmith::worker {
namespace {

constexpr int kEmptyRepeats = 5;
constexpr absl::Duration kEmptyLimit = absl::Seconds(20);

}  // namespace

absl::StatusOr<std::unique_ptr<EmptyKernel>> EmptyKernel::Start(const SlotPool& pool, DeviceRuntime& runtime) {
  auto empty = std::make_unique<EmptyKernel>();
  ASSIGN_OR_RETURN(empty->process_, runtime.StartEmpty(pool.total_bytes()));
  if (empty->process_ != nullptr) {
    ASSIGN_OR_RETURN(empty->handle_, empty->process_->AddPool(pool));
  }
  return empty;
}

absl::StatusOr<absl::Duration> EmptyKernel::Measure(absl::Span<const int> slots) {
  if (process_ == nullptr) return absl::ZeroDuration();
  std::vector<absl::Duration> walls;
  for (int i = 0; i < kEmptyRepeats; ++i) {
    ASSIGN_OR_RETURN(const BatchOutcome outcome, process_->RunBatch(handle_, slots, TimeLimit(kEmptyLimit)));
    if (outcome.end != BatchEnd::kDone) return absl::UnavailableError("the empty kernel failed on this host");
    walls.push_back(outcome.wall);
  }
  return *std::min_element(walls.begin(), walls.end());
}

absl::StatusOr<absl::Duration> CandidateContestant::Run(absl::Span<const int> slots) {
  ASSIGN_OR_RETURN(const BatchOutcome outcome, process_.RunBatch(handle_, slots, limit_));
  findings_.Add(outcome.findings);
  verdict_ = VerdictOfBatch(outcome, outcome.tasks == 0 ? &process_.exit() : nullptr);
  if (!verdict_.passed()) return absl::AbortedError(verdict_.detail);
  return outcome.device.has_value() ? DeviceTime(outcome) : outcome.wall;
}

absl::StatusOr<absl::Duration> CandidateContestant::DeviceTime(const BatchOutcome& outcome) {
  const DeviceTimes& times = *outcome.device;
  batch_us_ += times.batch_us;
  batch_calls_ += static_cast<int>(times.call_us.size());
  const double sum = std::accumulate(times.call_us.begin(), times.call_us.end(), 0.0);
  // Events are read inside the time that this process waited for them.
  const double wall = absl::ToDoubleMicroseconds(outcome.wall);
  if (clock_ == v1::DEVICE_EVENT && sum > wall) {
    verdict_ = {v1::SUSPECT,
                absl::StrFormat("the device's events add up to %.1f us, but the batch took %.1f us in all", sum, wall),
                "device-clock"};
    return absl::AbortedError(verdict_.detail);
  }
  return absl::Microseconds(sum);
}

template <typename Call>
absl::StatusOr<absl::Duration> BaselineContestant::Thawed(Call call) {
  if (frozen_) RETURN_IF_ERROR(reference_.process().Thaw());
  frozen_ = false;
  ASSIGN_OR_RETURN(const absl::Duration wall, call());
  RETURN_IF_ERROR(reference_.process().Freeze());
  frozen_ = true;
  return wall;
}

BaselineContestant::~BaselineContestant() {
  if (frozen_) (void)reference_.process().Thaw();  // a process that cannot be thawed fails its next request
}

absl::StatusOr<absl::Duration> BaselineContestant::Run(absl::Span<const int> slots) {
  return Thawed([&] { return reference_.RunBaseline(slots, limit_, stop_); });
}

absl::StatusOr<absl::Duration> BaselineContestant::RunEmpty(absl::Span<const int> slots) {
  return Thawed([&]() -> absl::StatusOr<absl::Duration> {
    std::vector<absl::Duration> walls;
    for (int i = 0; i < kEmptyRepeats; ++i) {
      ASSIGN_OR_RETURN(const absl::Duration wall, reference_.RunEmptyBaseline(slots, limit_, stop_));
      walls.push_back(wall);
    }
    return *std::min_element(walls.begin(), walls.end());
  });
}

}  // namespace kernelsmith::worker
