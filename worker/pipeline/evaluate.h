// Judges candidates on one card: screen, compile, load, verify twice, time, census. Nothing a candidate does changes
// the verdict but its outputs; the reference's troubles are never the candidate's fault.
//
// Example:
//   Evaluator evaluator(options);                    // options name toolchain, lock folder, caches
//   v1::InspectResult task = evaluator.Inspect(source, {});
//   v1::EvaluateWork work;                           // task, spec, candidate, secret, epoch
//   v1::EvaluationReport report = evaluator.Evaluate(work, {.progress = ShowActivity});
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/worker.pb.h"
#include "worker/devices/device_runtime.h"
#include "worker/pipeline/recorder.h"
#include "worker/reference/reference_process.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

struct EvaluatorOptions {
  std::shared_ptr<Toolchain> toolchain;
  std::shared_ptr<DeviceRuntime> runtime;  // null: that of the cpu target, with cpu_count and runner_path
  v1::Target target;
  bool emulated = false;  // the card is not real: for the report
  int cpu_count = 1;      // threads of the host that PyTorch may run at once
  std::string lock_dir;   // host-wide; the same for every worker of the host
  std::string cache_dir;  // variants; may be shared by the workers of a host
  int64_t reference_cache_bytes = int64_t{2} << 30;
  ReferenceOptions reference;  // threads are set to cpu_count
  std::string worker_id;
  std::string card_id;
  std::string host;
  std::string runner_path;  // empty: see CandidateSpec
  double noise_floor = 0;
  absl::Duration inspect_limit = absl::Seconds(120);  // for a reference to be resolved and probed
  absl::Duration timing_cap = absl::Seconds(3);  // of one case's timed rounds; final evaluations take three times it
};

// How a caller watches and ends one evaluation. All may be empty.
struct EvaluationControl {
  std::function<void(absl::string_view activity)> progress;  // for people; called on the evaluating thread
  // Complete output of the compiler ("compiler.log") and of the candidate ("candidate.log"), raw bytes.
  std::function<void(absl::string_view name, absl::string_view content)> log;
  std::stop_token stop;  // the result is EVALUATION_CANCELLED soon after
};

// Thread-safe: Prepare of one candidate may run beside Evaluate of another.
class Evaluator {
 public:
  explicit Evaluator(EvaluatorOptions options);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Traces, shapes and probes a task.
  v1::InspectResult Inspect(const v1::TaskSource& source, const EvaluationControl& control);
  // Screens and compiles only; fills the compile cache. The report has these two gates.
  v1::EvaluationReport Prepare(const v1::EvaluateWork& work, const EvaluationControl& control);
  v1::EvaluationReport Evaluate(const v1::EvaluateWork& work, const EvaluationControl& control);
  // Verifies both and times them interleaved: candidate is `a`, incumbent `b`.
  v1::EvaluationReport Compare(const v1::CompareWork& work, const EvaluationControl& control);

 private:
  struct State;
  static Verdict Resolve(State& state, const v1::TaskSource& source, bool alone, std::stop_token stop,
                         v1::TaskSpec& spec);

  std::unique_ptr<State> state_;
};

}  // namespace kernelsmith::worker
