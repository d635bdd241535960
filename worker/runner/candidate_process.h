// A candidate's shared object in a process of its own, inside a jail, driven from outside. Nothing the process says is
// believed: it announces that a batch is done, whereupon the parent freezes it and then reads its own clock and the
// bytes.
//
// Example:
//   CandidateSpec spec;
//   spec.object_path = compiled.object_path;
//   auto process = *CandidateProcess::Create(spec);
//   int handle = *process->AddPool(*pool);                    // one pool per case
//   auto batch = *process->RunBatch(handle, {0, 1, 2}, TimeLimit(absl::Seconds(10)));
//   if (batch.end == BatchEnd::kDone && batch.tasks == 1) ... // frozen: read pool->Output(...)
//   else if (batch.end == BatchEnd::kDied) ... process->exit() ...
//
// After RunBatch the process is frozen; the next RunBatch thaws it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "worker/jail/jail.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

struct CandidateSpec {
  std::string object_path;  // shared object with ks_kernel; empty: the runner's own empty kernel (calibration)
  int cpu_count = 1;        // told to the candidate
  ResourceLimits limits;    // memory_bytes is the candidate's own, on top of the pools
  int64_t pool_bytes = 0;   // bytes of all pools that will be added (SlotPool::total_bytes)
  std::string runner_path;  // empty: kernelsmith-runner beside this program, or in ../bin or ../libexec
  absl::Duration start_limit = absl::Seconds(20);  // as TimeLimit counts it, until the object is loaded; its static
                                                   // initialisers count
};

enum class BatchEnd {
  kDone,         // every call returned 0, as the process says
  kFailed,       // a call returned something else: return_code, slot
  kException,    // a call threw; detail
  kOutOfMemory,  // a call ran out of memory, as the process says
  kDied,         // the process ended: exit() says how
  kDeadline,     // killed when its limit was over; exit().kind is kDeadline
  kStarved,      // as kDeadline, but the host was too busy to let it run: detail
  kProtocol,     // it said what no runner says; killed. Someone forged the command channel: detail
  kJudged,       // a runner that shares nothing with the candidate's host code says what went wrong: status, detail
};

// What the process said about its own end, where it could. Any of these is a rejection; they only tell it apart.
enum class FaultHint {
  kNone,
  kInputWrite,     // a signal at an address inside an input
  kOutOfMemory,    // a signal after an allocation failed, or little address space left
  kForbiddenCall,  // a system call that no kernel needs: fork, exec, socket, ptrace, ...; detail names it
};

// What a device's own clock said about a batch.
struct DeviceTimes {
  std::vector<double> call_us;    // one per slot, in the order given: its launches between two events
  std::vector<double> launch_us;  // one per launch of every call, in order
  double batch_us = 0;            // the whole batch between two events
};

struct BatchOutcome {
  BatchEnd end = BatchEnd::kDone;
  absl::Duration wall;  // parent's steady clock from sending the batch until the process was frozen
  int return_code = 0;  // with kFailed
  int slot = -1;        // with kFailed, kException, kOutOfMemory: the slot that was being called
  // Threads and processes in the jail once frozen, the runner's own thread included: 1 when nothing was left behind.
  // 0 when the process is gone.
  int tasks = 0;
  FaultHint hint = FaultHint::kNone;
  std::string detail;                        // text for people; may hold bytes the candidate chose
  v1::EvaluationStatus status = v1::PASSED;  // with kJudged
  std::optional<DeviceTimes> device;         // targets with a clock of their own
  std::vector<v1::Finding> findings;         // of checkers that watched the batch
};

// Thread-compatible: one caller at a time, except Kill.
class CandidateProcess {
 public:
  // Starts the jail and loads the object. FAILED_PRECONDITION if the object cannot be loaded (message is the dynamic
  // linker's); DEADLINE_EXCEEDED if loading takes longer than start_limit, UNAVAILABLE if it was starved; ABORTED if
  // the process dies while loading, with the ExitReport in *exit if given; RESOURCE_EXHAUSTED if it exhausts memory;
  // anything else is the host's fault.
  static absl::StatusOr<std::unique_ptr<CandidateProcess>> Create(const CandidateSpec& spec,
                                                                  ExitReport* exit = nullptr);
  virtual ~CandidateProcess() = default;

  // Maps the pool into the process and prepares its calls. The pool must outlive this. Returns a handle for RunBatch.
  // ABORTED if the process is dead or does not answer.
  virtual absl::StatusOr<int> AddPool(const SlotPool& pool) = 0;

  // Calls ks_kernel once for each slot, in the order given, and freezes. Several batches may share a limit. An error
  // status is the host's fault only.
  virtual absl::StatusOr<BatchOutcome> RunBatch(int pool, absl::Span<const int> slots, TimeLimit& limit) = 0;
  absl::StatusOr<BatchOutcome> RunBatch(int pool, absl::Span<const int> slots, TimeLimit&& limit) {
    return RunBatch(pool, slots, limit);
  }

  // Asks the process to quit, and reports how it ended. A process that does not is killed after `grace`, as TimeLimit
  // counts it.
  virtual ExitReport Quit(absl::Duration grace = absl::Seconds(2)) = 0;
  // How the process ended. REQUIRES: RunBatch said kDied, kDeadline, kStarved or kProtocol, or Quit was called.
  virtual const ExitReport& exit() const = 0;
  virtual int CountTasks() = 0;
  // From any thread: ends the process at once; a RunBatch under way returns kDied with exit().kind kKilled.
  virtual void Kill() = 0;
};

// Median wall time of a batch of `calls` empty calls under the same protocol, taken over `repeats` batches. Subtract it
// from the wall of a batch of as many calls.
absl::StatusOr<absl::Duration> MeasureEmptyBatch(const SlotPool& pool, int calls, int repeats);

}  // namespace kernelsmith::worker
