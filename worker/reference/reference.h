// The reference of one task: resolves it, draws inputs, says what outputs are right, and is the PyTorch baseline.
//
// Example:
//   auto reference = *Reference::Start(source, options, limit);
//   const v1::TaskSpec& spec = reference->spec();
//   auto inputs = *reference->Draw(spec.cases(0), seed, limit);
//   auto expected = *reference->Expect(spec.cases(0), inputs, limit);
//
// Errors are those of ReferenceProcess::Call.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/reference/packed_tensors.h"
#include "worker/reference/reference_process.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

// What is right for one set of inputs.
struct Expected {
  struct Numbers {
    double rms = 0;    // of the finite expected values
    double error = 0;  // RMS error of the reference in the task's precision against the oracle
  };
  PackedTensors values;  // ExpectedDescriptors of the case's outputs
  std::vector<Numbers> numbers;
  std::string note;  // why there is no double-precision oracle; empty if there is one
};

// Thread-compatible.
class Reference {
 public:
  // Starts the process and resolves the task. INVALID_ARGUMENT: the task is wrong.
  static absl::StatusOr<std::unique_ptr<Reference>> Start(const v1::TaskSource& source, const ReferenceOptions& options,
                                                          TimeLimit& limit, std::stop_token stop = {});

  // Without probe notes.
  const v1::TaskSpec& spec() const { return spec_; }
  bool alive() const { return process_->alive(); }
  ReferenceProcess& process() { return *process_; }

  // Inputs of one variant.
  absl::StatusOr<PackedTensors> Draw(const v1::TaskCase& task_case, int64_t seed, TimeLimit& limit,
                                     std::stop_token stop = {});
  // Expected outputs of exactly these inputs. With `rounded`, also the reference's own outputs in the task's types.
  absl::StatusOr<Expected> Expect(const v1::TaskCase& task_case, const PackedTensors& inputs, TimeLimit& limit,
                                  std::stop_token stop = {}, PackedTensors* rounded = nullptr);

  // Baseline: forward on the inputs in the pool's slots, where they lie.
  absl::Status OpenBaseline(const SlotPool& pool, TimeLimit& limit, std::stop_token stop = {});
  // Time of one call per slot, in the order given: wall by this process's steady clock, or, on a card, by its events.
  absl::StatusOr<absl::Duration> RunBaseline(absl::Span<const int> slots, TimeLimit& limit, std::stop_token stop = {});
  // Wall of as many calls of an empty function under the same protocol. REQUIRES: OpenBaseline.
  absl::StatusOr<absl::Duration> RunEmptyBaseline(absl::Span<const int> slots, TimeLimit& limit,
                                                  std::stop_token stop = {});
  absl::Status CloseBaseline(TimeLimit& limit);

 private:
  Reference(std::unique_ptr<ReferenceProcess> process, std::string card)
      : process_(std::move(process)), card_(std::move(card)) {}
  absl::StatusOr<absl::Duration> TimedCall(const nlohmann::json& request, TimeLimit& limit, std::stop_token stop);

  std::unique_ptr<ReferenceProcess> process_;
  const std::string card_;  // where the baseline runs; empty: on the host
  v1::TaskSpec spec_;
};

}  // namespace kernelsmith::worker
