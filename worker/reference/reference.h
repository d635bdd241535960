// The reference of one task: resolves it, draws inputs, says what outputs are right, and is the PyTorch baseline.
//
// Example:
//   auto reference = *Reference::Start(source, options, deadline);
//   const v1::TaskSpec& spec = reference->spec();
//   auto inputs = *reference->Draw(spec.cases(0), seed, deadline);
//   auto expected = *reference->Expect(spec.cases(0), inputs, deadline);
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
                                                          absl::Time deadline, std::stop_token stop = {});

  // Without probe notes.
  const v1::TaskSpec& spec() const { return spec_; }
  bool alive() const { return process_->alive(); }
  ReferenceProcess& process() { return *process_; }

  // Inputs of one variant.
  absl::StatusOr<PackedTensors> Draw(const v1::TaskCase& task_case, int64_t seed, absl::Time deadline,
                                     std::stop_token stop = {});
  // Expected outputs of exactly these inputs. With `rounded`, also the reference's own outputs in the task's types.
  absl::StatusOr<Expected> Expect(const v1::TaskCase& task_case, const PackedTensors& inputs, absl::Time deadline,
                                  std::stop_token stop = {}, PackedTensors* rounded = nullptr);

  // Baseline: forward on the inputs in the pool's slots, where they lie.
  absl::Status OpenBaseline(const SlotPool& pool, absl::Time deadline, std::stop_token stop = {});
  // Wall of one call per slot, in the order given, by this process's steady clock.
  absl::StatusOr<absl::Duration> RunBaseline(absl::Span<const int> slots, absl::Time deadline,
                                             std::stop_token stop = {});
  // Wall of as many calls of an empty function under the same protocol. REQUIRES: OpenBaseline.
  absl::StatusOr<absl::Duration> RunEmptyBaseline(absl::Span<const int> slots, absl::Time deadline,
                                                  std::stop_token stop = {});
  absl::Status CloseBaseline(absl::Time deadline);

 private:
  explicit Reference(std::unique_ptr<ReferenceProcess> process) : process_(std::move(process)) {}
  absl::StatusOr<absl::Duration> TimedCall(const nlohmann::json& request, absl::Time deadline, std::stop_token stop);

  std::unique_ptr<ReferenceProcess> process_;
  v1::TaskSpec spec_;
};

}  // namespace kernelsmith::worker
