// Which lanes an instruction computes, and which bytes an operand therefore touches. Pure.
//
// A repeat is what the vector unit does at once: eight blocks of 32 bytes of the widest operand, 256 bytes. In normal
// mode one mask counts for all repeats; in counter mode (and in the count form of calls) the number of elements gives
// repeats and the mask of the last one.
//
// Example:
//   Plan plan = PlanCount(1000, 128);             // 8 repeats of 128 lanes, the last one of 104
//   for (const Span& s : Spans(plan, {.bits = 16, .block_stride = 1, .repeat_stride = 8})) ...
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "worker/emulator/device/core.h"

namespace kernelsmith::emulator::vector {

struct Mask {
  uint64_t low = 0;
  uint64_t high = 0;

  bool Has(uint32_t lane) const { return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0; }
  uint32_t Count() const;
  // One past the highest lane; 0: none.
  uint32_t End() const;
  // Lanes 0 to End() - 1, without a gap.
  bool IsPrefix() const { return Count() == End(); }
  bool operator==(const Mask& other) const { return low == other.low && high == other.high; }

  // The first `lanes` lanes.
  static Mask Prefix(uint64_t lanes);
};

struct Plan {
  uint32_t lanes = 0;       // of a repeat
  uint32_t repeats = 0;     // 0: nothing to do
  Mask mask;                // of every repeat but the last
  Mask last;                // of the last one
  bool contiguous = false;  // operands have no strides: repeats follow each other, whatever their types

  // One past the highest lane of any repeat.
  uint32_t End() const { return repeats > 1 && mask.End() > last.End() ? mask.End() : last.End(); }
  const Mask& MaskOf(uint32_t repeat) const { return repeat + 1 == repeats ? last : mask; }
  uint64_t Active() const { return repeats == 0 ? 0 : uint64_t{repeats - 1} * mask.Count() + last.Count(); }
  // No lane is left out but at the very end.
  bool Dense() const { return last.IsPrefix() && (repeats <= 1 || mask.Count() == lanes); }
};

// The first `count` elements.
Plan PlanCount(uint64_t count, uint32_t lanes);
// `repeats` times the same mask; lanes beyond `lanes` are ignored.
Plan PlanMask(const Mask& mask, uint32_t repeats, uint32_t lanes);

// Where lanes lie: strides in blocks of 32 bytes.
struct Lattice {
  uint32_t bits = 16;  // of an element
  uint32_t block_stride = 1;
  uint32_t repeat_stride = 8;

  uint64_t BytesOf(uint64_t lanes) const { return lanes * bits / 8; }
  // Byte of a lane from the start of the tensor.
  uint64_t ByteOf(uint32_t repeat, uint32_t lane) const {
    const uint64_t byte = BytesOf(lane);
    return uint64_t{repeat} * repeat_stride * 32 + byte / 32 * block_stride * 32 + byte % 32;
  }
  // Successive lanes follow each other without a gap, over all repeats.
  bool Flat(const Plan& plan) const {
    const bool blocks = block_stride == 1 || BytesOf(plan.repeats > 1 ? plan.lanes : plan.last.End()) <= 32;
    return blocks && (plan.repeats <= 1 || uint64_t{repeat_stride} * 32 == BytesOf(plan.lanes));
  }
};

// The bytes of active lanes, as few spans as express them; exact, unless a mask has so many separate gaps that whole
// blocks are named instead.
std::vector<Span> Spans(const Plan& plan, const Lattice& lattice);

}  // namespace kernelsmith::emulator::vector
