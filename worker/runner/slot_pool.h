// The memory a candidate works on: S independent slots for one case, each with every input and output of the case at
// addresses of its own. Inputs lie in memory that only the parent can write (a memfd sealed with F_SEAL_FUTURE_WRITE);
// outputs lie in shared memory, each between guard zones. The parent reads and writes both through its own mapping.
//
// Example:
//   auto pool = *SlotPool::Create(task_case, 16);
//   std::memcpy(pool->Input(0, 0).data(), bytes.data(), bytes.size());
//   pool->Poison(0, 0x5eed);
//   ... run slot 0 in a CandidateProcess ...
//   if (!pool->GuardsIntact(0)) ...
//
// A buffer is the whole storage of its tensor: storage_offset elements, then the strided elements. 64-byte aligned.
// Read outputs only while no candidate runs (frozen or gone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/runner/shared_memory.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {

// Thread-compatible.
class SlotPool {
 public:
  // INVALID_ARGUMENT if the case has a tensor that cannot be laid out (unknown type, negative stride, ...);
  // RESOURCE_EXHAUSTED if the memory cannot be had. REQUIRES: slots >= 1.
  static absl::StatusOr<std::unique_ptr<SlotPool>> Create(const v1::TaskCase& task_case, int slots);

  int slots() const { return slots_; }
  int inputs() const { return static_cast<int>(inputs_.size()); }
  int outputs() const { return static_cast<int>(outputs_.size()); }
  const v1::TaskCase& task_case() const { return task_case_; }
  // Bytes of all slots, guard zones included.
  int64_t total_bytes() const { return input_stride_ * slots_ + output_stride_ * slots_; }
  // Bytes one more slot would take: what a caller needs to choose the number of slots.
  static absl::StatusOr<int64_t> BytesPerSlot(const v1::TaskCase& task_case);

  absl::Span<std::byte> Input(int slot, int index);
  absl::Span<const std::byte> Input(int slot, int index) const;
  absl::Span<std::byte> Output(int slot, int index);
  absl::Span<const std::byte> Output(int slot, int index) const;

  // Fills all outputs of the slot, and renews its guard zones, with bytes that depend on pattern, slot and position.
  void Poison(int slot, uint64_t pattern);
  // Whether the guard zones and, in outputs with gaps, the bytes that belong to no element are as Poison left them.
  bool GuardsIntact(int slot) const;
  // How many elements of the output still hold the poison of the last Poison(slot, ...). A few may do so by chance.
  int64_t PoisonedElements(int slot, int output) const;

  // For CandidateProcess: where the tensors lie inside the shared blocks.
  struct Placement {
    TensorLayout layout;
    int64_t offset;  // of the buffer within its slot, bytes
  };
  const std::vector<Placement>& input_placements() const { return inputs_; }
  const std::vector<Placement>& output_placements() const { return outputs_; }
  int64_t input_stride() const { return input_stride_; }    // bytes from slot to slot
  int64_t output_stride() const { return output_stride_; }  // likewise
  const SharedMemory& input_memory() const { return input_memory_; }
  const SharedMemory& output_memory() const { return output_memory_; }

 private:
  SlotPool() = default;
  uint64_t PoisonSeed(int slot) const;

  v1::TaskCase task_case_;
  int slots_ = 0;
  int64_t input_stride_ = 0;
  int64_t output_stride_ = 0;
  std::vector<Placement> inputs_;
  std::vector<Placement> outputs_;
  std::vector<uint64_t> patterns_;  // last poison of every slot
  SharedMemory input_memory_;
  SharedMemory output_memory_;
};

}  // namespace kernelsmith::worker
