#include "worker/runner/slot_pool.h"

#include <algorithm>
#include <cstring>

#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kGuardBytes = 256;  // before, between and after outputs

int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// splitmix64 (Steele, Lea, Flood 2014).
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The poison at an 8-byte aligned offset within the slot.
uint64_t PoisonWord(uint64_t seed, int64_t offset) {
  return Mix(seed + static_cast<uint64_t>(offset) * 0x2545f4914f6cdd1du);
}

std::byte PoisonByte(uint64_t seed, int64_t offset) {
  const uint64_t word = PoisonWord(seed, offset & ~int64_t{7});
  return reinterpret_cast<const std::byte*>(&word)[offset & 7];
}

bool HoldsPoison(const std::byte* slot, uint64_t seed, int64_t begin, int64_t end) {
  for (int64_t at = begin; at < end;) {
    if (at % 8 == 0 && at + 8 <= end) {
      uint64_t word = 0;
      std::memcpy(&word, slot + at, sizeof word);
      if (word != PoisonWord(seed, at)) return false;
      at += 8;
    } else {
      if (slot[at] != PoisonByte(seed, at)) return false;
      ++at;
    }
  }
  return true;
}

struct SlotLayout {
  std::vector<SlotPool::Placement> placements;
  int64_t stride = 0;
};

template <typename Tensors>
absl::StatusOr<SlotLayout> Place(const Tensors& tensors, int64_t guard) {
  SlotLayout slot;
  int64_t offset = guard;
  for (const v1::TensorDescriptor& tensor : tensors) {
    ASSIGN_OR_RETURN(TensorLayout layout, LayoutOf(tensor));
    const int64_t bytes = layout.buffer_bytes;
    slot.placements.push_back({std::move(layout), offset});
    offset = RoundUp(offset + bytes + guard, kAlignment);
  }
  // Not rounded to pages: buffers of equal page offset would compete for the same cache sets.
  slot.stride = tensors.empty() ? 0 : RoundUp(offset, kAlignment);
  return slot;
}

}  // namespace

absl::StatusOr<int64_t> SlotPool::BytesPerSlot(const v1::TaskCase& task_case) {
  ASSIGN_OR_RETURN(const SlotLayout inputs, Place(task_case.inputs(), 0));
  ASSIGN_OR_RETURN(const SlotLayout outputs, Place(task_case.outputs(), kGuardBytes));
  return inputs.stride + outputs.stride;
}

absl::StatusOr<std::unique_ptr<SlotPool>> SlotPool::Create(const v1::TaskCase& task_case, int slots) {
  auto pool = std::unique_ptr<SlotPool>(new SlotPool());
  pool->task_case_ = task_case;
  pool->slots_ = slots;
  pool->patterns_.assign(static_cast<size_t>(slots), 0);
  ASSIGN_OR_RETURN(SlotLayout inputs, Place(task_case.inputs(), 0));
  ASSIGN_OR_RETURN(SlotLayout outputs, Place(task_case.outputs(), kGuardBytes));
  pool->inputs_ = std::move(inputs.placements);
  pool->outputs_ = std::move(outputs.placements);
  pool->input_stride_ = inputs.stride;
  pool->output_stride_ = outputs.stride;
  ASSIGN_OR_RETURN(pool->input_memory_,
                   SharedMemory::Create("ks-inputs", inputs.stride * slots, SharedMemory::Access::kParentWrites));
  ASSIGN_OR_RETURN(pool->output_memory_,
                   SharedMemory::Create("ks-outputs", outputs.stride * slots, SharedMemory::Access::kChildWrites));
  for (int slot = 0; slot < slots; ++slot) pool->Poison(slot, 0);
  return pool;
}

absl::Span<std::byte> SlotPool::Input(int slot, int index) {
  const Placement& place = inputs_[static_cast<size_t>(index)];
  return {input_memory_.data() + slot * input_stride_ + place.offset, static_cast<size_t>(place.layout.buffer_bytes)};
}

absl::Span<const std::byte> SlotPool::Input(int slot, int index) const {
  return const_cast<SlotPool*>(this)->Input(slot, index);
}

absl::Span<std::byte> SlotPool::Output(int slot, int index) {
  const Placement& place = outputs_[static_cast<size_t>(index)];
  return {output_memory_.data() + slot * output_stride_ + place.offset, static_cast<size_t>(place.layout.buffer_bytes)};
}

absl::Span<const std::byte> SlotPool::Output(int slot, int index) const {
  return const_cast<SlotPool*>(this)->Output(slot, index);
}

uint64_t SlotPool::PoisonSeed(int slot) const {
  return Mix(patterns_[static_cast<size_t>(slot)] ^ (uint64_t{0x51a7} << 48 | static_cast<uint64_t>(slot)));
}

void SlotPool::Poison(int slot, uint64_t pattern) {
  patterns_[static_cast<size_t>(slot)] = pattern;
  const uint64_t seed = PoisonSeed(slot);
  std::byte* const base = output_memory_.data() + slot * output_stride_;
  for (int64_t at = 0; at < output_stride_; at += 8) {
    const uint64_t word = PoisonWord(seed, at);
    std::memcpy(base + at, &word, sizeof word);
  }
}

bool SlotPool::GuardsIntact(int slot) const {
  const uint64_t seed = PoisonSeed(slot);
  const std::byte* const base = output_memory_.data() + slot * output_stride_;
  int64_t guard_begin = 0;
  for (const Placement& place : outputs_) {
    if (!HoldsPoison(base, seed, guard_begin, place.offset)) return false;
    guard_begin = place.offset + place.layout.buffer_bytes;
    if (!place.layout.has_gaps) continue;
    std::vector<bool> used(static_cast<size_t>(place.layout.buffer_bytes), false);
    ForEachElement(place.layout, [&](int64_t at) { std::fill_n(used.begin() + at, place.layout.element_bytes, true); });
    for (int64_t at = 0; at < place.layout.buffer_bytes; ++at) {
      if (used[static_cast<size_t>(at)]) continue;
      if (base[place.offset + at] != PoisonByte(seed, place.offset + at)) return false;
    }
  }
  return HoldsPoison(base, seed, guard_begin, output_stride_);
}

int64_t SlotPool::PoisonedElements(int slot, int output) const {
  const uint64_t seed = PoisonSeed(slot);
  const std::byte* const base = output_memory_.data() + slot * output_stride_;
  const Placement& place = outputs_[static_cast<size_t>(output)];
  int64_t poisoned = 0;
  ForEachElement(place.layout, [&](int64_t at) {
    const int64_t begin = place.offset + at;
    if (HoldsPoison(base, seed, begin, begin + place.layout.element_bytes)) ++poisoned;
  });
  return poisoned;
}

}  // namespace kernelsmith::worker
