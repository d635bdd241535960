#include "worker/emulator/device/vector/select.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

constexpr uint32_t kMaxLanes = 128;

template <class T>
bool Holds(T a, T b, kse_compare mode) {
  switch (mode) {
    case KSE_LT:
      return a < b;
    case KSE_GT:
      return a > b;
    case KSE_EQ:
      return a == b;
    case KSE_LE:
      return a <= b;
    case KSE_GE:
      return a >= b;
    case KSE_NE:
      return a != b;
  }
  return false;
}

// Lanes of a repeat: their bits in memory and whether they are defined.
struct Lanes {
  std::array<std::byte, kRepeatBytes> values;
  std::array<uint8_t, kMaxLanes> defined;

  void Load(const Operand& from, uint32_t repeat, uint32_t end) {
    std::array<uint8_t, kRepeatBytes> shadows;
    GatherLanes(from, repeat, end, values.data(), shadows.data());
    std::memset(defined.data(), 1, end);
    MergeDefined(shadows.data(), from.bits(), end, defined.data());
  }
  void Fill(uint64_t scalar, uint32_t bits) {
    for (uint32_t i = 0; i < kRepeatBytes * 8 / bits; ++i) std::memcpy(values.data() + i * bits / 8, &scalar, bits / 8);
    std::memset(defined.data(), 1, defined.size());
  }
  uint64_t Bits(uint32_t lane, uint32_t bytes) const {
    uint64_t bits = 0;
    std::memcpy(&bits, values.data() + lane * bytes, bytes);
    return bits;
  }
};

bool CompareLane(Element type, uint64_t a, uint64_t b, kse_compare mode) {
  if (type == Element::kInt32) return Holds(static_cast<int32_t>(a), static_cast<int32_t>(b), mode);
  return Holds(ScalarFloat(a, type), ScalarFloat(b, type), mode);
}

bool Supported(Instruction& instruction, Element type, kse_compare mode) {
  if (type == Element::kFloat || type == Element::kHalf || (type == Element::kInt32 && mode == KSE_EQ)) return true;
  instruction.Forbid(absl::StrCat(std::string(TypeName(type)),
                                  " is not supported on dav-2201 with this mode; compare half or float, or int32_t for "
                                  "equality"));
  return false;
}

// Comparisons to memory compute whole repeats; masks do not count.
Plan PlanOfCompare(Core& core, Instruction& instruction, const kse_where& where, const kse_lanes& lanes,
                   uint32_t lane_count) {
  if (lanes.form != KSE_LANES_COUNT) {
    if (lanes.repeats < 0 || lanes.repeats > 255) {
      instruction.Forbid(absl::StrCat("repeat ", lanes.repeats, " is not in 0 to 255; split the call"));
      return {};
    }
    return PlanMask(Mask::Prefix(lane_count), static_cast<uint32_t>(lanes.repeats), lane_count);
  }
  const uint64_t count = lanes.mask[0];
  if (count % lane_count != 0) {
    core.Report(Check::kArgument, where,
                absl::StrCat("count ", count, " is no multiple of the ", lane_count,
                             " elements of 256 bytes, and the rest is not compared; pad the count"));
  }
  return PlanCount(count / lane_count * lane_count, lane_count);
}

}  // namespace

void Compare(Core& core, const kse_tensor* dst, const kse_operand& a, const kse_operand* b, uint64_t scalar,
             kse_compare mode, const kse_lanes& lanes, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(*a.tensor);
  if (!Supported(instruction, type, mode)) return;
  const uint32_t bytes = ElementBits(type) / 8;
  const uint32_t lane_count = kRepeatBytes / bytes;
  const Plan plan = dst == nullptr ? PlanOf(core, instruction, where, lanes, lane_count)
                                   : PlanOfCompare(core, instruction, where, lanes, lane_count);
  if (!instruction.ok() || plan.repeats == 0) return;
  const Operand left = Bind(core, instruction, a, plan, AccessKind::kRead);
  Operand right;
  if (b != nullptr) right = Bind(core, instruction, *b, plan, AccessKind::kRead);
  Operand out;
  if (dst != nullptr)
    out = BindRange(core, instruction, *dst, uint64_t{plan.repeats} * lane_count / 8, AccessKind::kWrite);
  if (!instruction.ok()) return;
  Lanes x, y;
  y.Fill(scalar, bytes * 8);
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    const uint32_t end = mask.End();
    x.Load(left, repeat, end);
    if (b != nullptr) y.Load(right, repeat, end);
    std::array<uint8_t, kMaxLanes / 8> bits{};
    std::array<uint8_t, kMaxLanes / 8> defined;
    defined.fill(1);
    for (uint32_t lane = 0; lane < end; ++lane) {
      if (!mask.Has(lane)) continue;
      const bool holds = CompareLane(type, x.Bits(lane, bytes), y.Bits(lane, bytes), mode);
      bits[lane / 8] = static_cast<uint8_t>(bits[lane / 8] | (holds ? 1 << lane % 8 : 0));
      defined[lane / 8] &= x.defined[lane] & y.defined[lane];
    }
    if (dst == nullptr) {
      std::memcpy(core.vector().compare_mask, bits.data(), 16);
    } else {
      std::memcpy(out.data + repeat * (lane_count / 8), bits.data(), lane_count / 8);
      std::memcpy(out.shadow + repeat * (lane_count / 8), defined.data(), lane_count / 8);
    }
  }
  instruction.Issue(Compute::kCompare, type, plan.Active(), plan.repeats);
}

void Select(Core& core, const kse_operand& dst, const kse_tensor* selector, const kse_operand& a, const kse_operand* b,
            uint64_t scalar, bool per_repeat, const kse_lanes& lanes, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(*dst.tensor);
  const uint32_t bytes = ElementBits(type) / 8;
  const uint32_t lane_count = kRepeatBytes / bytes;
  const Plan plan = PlanOf(core, instruction, where, lanes, lane_count);
  if (!instruction.ok() || plan.repeats == 0) return;
  const uint32_t end = plan.End();
  const uint64_t highest = per_repeat ? uint64_t{plan.repeats - 1} * lane_count + plan.last.End() : end;
  Operand bits;
  if (selector != nullptr) bits = BindRange(core, instruction, *selector, (highest + 7) / 8, AccessKind::kRead);
  const Operand first = Bind(core, instruction, a, plan, AccessKind::kRead);
  Operand second;
  if (b != nullptr) second = Bind(core, instruction, *b, plan, AccessKind::kRead);
  const Operand out = Bind(core, instruction, dst, plan, AccessKind::kWrite);
  if (!instruction.ok()) return;
  std::array<std::byte, 16> register_bits;
  std::memcpy(register_bits.data(), core.vector().compare_mask, 16);
  Lanes x, y;
  y.Fill(scalar, bytes * 8);
  std::array<uint8_t, kRepeatBytes> shadows;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    const uint32_t n = mask.End();
    x.Load(first, repeat, n);
    if (b != nullptr) y.Load(second, repeat, n);
    for (uint32_t lane = 0; lane < n; ++lane) {
      const uint64_t bit = (per_repeat ? uint64_t{repeat} * lane_count : 0) + lane;
      const std::byte byte = selector == nullptr ? register_bits[bit / 8] : bits.data[bit / 8];
      const bool bit_defined = selector == nullptr || bits.shadow[bit / 8] != 0;
      const bool take_first = (static_cast<unsigned>(byte) >> bit % 8 & 1) != 0;
      if (!take_first) {
        std::memcpy(x.values.data() + lane * bytes, y.values.data() + lane * bytes, bytes);
        x.defined[lane] = y.defined[lane];
      }
      x.defined[lane] = static_cast<uint8_t>(x.defined[lane] & (bit_defined ? 1 : 0));
    }
    SpreadDefined(x.defined.data(), out.bits(), n, shadows.data());
    ScatterLanes(out, repeat, mask, x.values.data(), shadows.data());
  }
  instruction.Issue(Compute::kSelect, type, plan.Active(), plan.repeats);
}

}  // namespace kernelsmith::emulator::vector

extern "C" {

using kernelsmith::emulator::Core;
namespace vector = kernelsmith::emulator::vector;

void kse_vector_compare(const kse_tensor* dst, const kse_operand* a, const kse_operand* b, uint64_t scalar,
                        uint8_t mode, const kse_lanes* lanes, const kse_where* where) {
  vector::Compare(Core::Current(), dst, *a, b, scalar, static_cast<kse_compare>(mode), *lanes, *where);
}

void kse_vector_select(const kse_operand* dst, const kse_tensor* selector, const kse_operand* a, const kse_operand* b,
                       uint64_t scalar, bool per_repeat, const kse_lanes* lanes, const kse_where* where) {
  vector::Select(Core::Current(), *dst, selector, *a, b, scalar, per_repeat, *lanes, *where);
}
}
