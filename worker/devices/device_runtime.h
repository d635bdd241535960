// What the pipeline needs of a card: processes that run compiled candidates, and how their times are to be taken. One
// implementation per target; the pipeline knows no other difference between them.
//
// Example:
//   std::unique_ptr<CandidateProcess> process = *runtime.Start({.object = compiled}, &exit);
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/types.pb.h"
#include "worker/jail/jail.h"
#include "worker/reference/baseline_card.h"
#include "worker/runner/candidate_process.h"
#include "worker/timing/batch_plan.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

struct RunSpec {
  CompiledObject object;
  ResourceLimits limits;   // memory_bytes is the candidate's own, on top of the pools
  int64_t pool_bytes = 0;  // of all pools that will be added
  bool sanitized = false;  // under the target's sanitizer, whose messages are what the process prints
};

struct TimingPolicy {
  v1::ClockDomain clock = v1::PARENT;
  bool exclusive_host = true;  // nothing else may compile or run on this host meanwhile
  bool baseline = true;        // PyTorch can be timed by the same clock
  BaselineCard baseline_card;  // and where it runs then
  std::string no_baseline;     // else why not, for reports
  PoolLimits pool;             // of the timed calls
};

// Thread-safe.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  // What a candidate is told as ks_call.cpu_count: cores of the card.
  virtual int cores() const = 0;
  virtual const TimingPolicy& timing() const = 0;
  // Whether RunSpec::sanitized means anything: OK, or why not.
  virtual absl::Status CanSanitize() const { return absl::UnimplementedError("this target has no sanitizer"); }
  // Errors and `exit` as for CandidateProcess::Create.
  virtual absl::StatusOr<std::unique_ptr<CandidateProcess>> Start(const RunSpec& spec, ExitReport* exit) = 0;
  // A process whose calls do nothing, to subtract what a call costs by itself; null where the clock counts no such
  // cost.
  virtual absl::StatusOr<std::unique_ptr<CandidateProcess>> StartEmpty(int64_t pool_bytes) = 0;
};

}  // namespace kernelsmith::worker
