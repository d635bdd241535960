// Times one case: candidate, incumbent and PyTorch baseline interleaved on one pool of slots, each call on inputs that
// exist since a moment before. REQUIRES of the caller: the host-wide timing lock, held exclusively.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/statusor.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "worker/devices/device_runtime.h"
#include "worker/pipeline/finding_log.h"
#include "worker/pipeline/pool_shelf.h"
#include "worker/pipeline/recorder.h"
#include "worker/pipeline/timed_calls.h"
#include "worker/reference/reference.h"
#include "worker/runner/candidate_process.h"
#include "worker/timing/interleaved.h"

namespace kernelsmith::worker {

struct TimingRequest {
  const v1::TaskCase* task_case = nullptr;
  std::vector<std::shared_ptr<const Variant>> variants;
  DeviceRuntime* runtime = nullptr;
  RunSpec candidate;              // pool_bytes is filled in
  CompiledObject incumbent;       // empty: none
  PoolShelf* shelf = nullptr;     // where the pool comes from
  Reference* baseline = nullptr;  // null: none
  MeasureOptions measure;
  absl::Duration limit;  // of each contestant, as TimeLimit counts it
  std::stop_token stop;
};

struct TimingResult {
  Verdict verdict;             // of the candidate
  v1::CaseTiming timing;       // when passed
  std::vector<KeptCall> kept;  // timed calls to compare in full
  std::string printed;         // by the candidate
  FindingLog findings;         // of the candidate
  std::string note;            // why the incumbent is missing, if it failed; else empty
};

// An error is the host's or the reference's fault.
absl::StatusOr<TimingResult> TimeCase(const TimingRequest& request, absl::BitGenRef random);

// Compares kept calls in full with what the reference says about exactly their inputs.
absl::StatusOr<Verdict> CheckKeptCalls(const v1::TaskCase& task_case, const v1::Tolerance& tolerance,
                                       absl::Span<const KeptCall> kept, Reference& reference, TimeLimit& limit,
                                       std::stop_token stop, v1::CaseReport& report);

}  // namespace kernelsmith::worker
