#include "worker/pipeline/contestants.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/pipeline/verdicts.h"

namespace kernelsmith::worker {
namespace {

constexpr int kEmptyRepeats = 5;
constexpr absl::Duration kEmptyLimit = absl::Seconds(20);

}  // namespace

absl::StatusOr<std::unique_ptr<EmptyKernel>> EmptyKernel::Start(const SlotPool& pool, const std::string& runner_path) {
  auto empty = std::make_unique<EmptyKernel>();
  CandidateSpec spec;
  spec.pool_bytes = pool.total_bytes();
  spec.runner_path = runner_path;
  ASSIGN_OR_RETURN(empty->process_, CandidateProcess::Create(spec));
  ASSIGN_OR_RETURN(empty->handle_, empty->process_->AddPool(pool));
  return empty;
}

absl::StatusOr<absl::Duration> EmptyKernel::Measure(absl::Span<const int> slots) {
  std::vector<absl::Duration> walls;
  for (int i = 0; i < kEmptyRepeats; ++i) {
    ASSIGN_OR_RETURN(const BatchOutcome outcome, process_->RunBatch(handle_, slots, absl::Now() + kEmptyLimit));
    if (outcome.end != BatchEnd::kDone) return absl::UnavailableError("the empty kernel failed on this host");
    walls.push_back(outcome.wall);
  }
  return *std::min_element(walls.begin(), walls.end());
}

absl::StatusOr<absl::Duration> CandidateContestant::Run(absl::Span<const int> slots) {
  ASSIGN_OR_RETURN(const BatchOutcome outcome, process_.RunBatch(handle_, slots, deadline_));
  verdict_ = VerdictOfBatch(outcome, outcome.tasks == 0 ? &process_.exit() : nullptr);
  if (!verdict_.passed()) return absl::AbortedError(verdict_.detail);
  return outcome.wall;
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
  return Thawed([&] { return reference_.RunBaseline(slots, deadline_, stop_); });
}

absl::StatusOr<absl::Duration> BaselineContestant::RunEmpty(absl::Span<const int> slots) {
  return Thawed([&]() -> absl::StatusOr<absl::Duration> {
    std::vector<absl::Duration> walls;
    for (int i = 0; i < kEmptyRepeats; ++i) {
      ASSIGN_OR_RETURN(const absl::Duration wall, reference_.RunEmptyBaseline(slots, deadline_, stop_));
      walls.push_back(wall);
    }
    return *std::min_element(walls.begin(), walls.end());
  });
}

}  // namespace kernelsmith::worker
