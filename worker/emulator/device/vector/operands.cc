#include "worker/emulator/device/vector/operands.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {

std::string_view TypeName(Element type) {
  switch (type) {
    case Element::kFloat:
      return "float";
    case Element::kHalf:
      return "half";
    case Element::kBfloat16:
      return "bfloat16_t";
    case Element::kInt8:
      return "int8_t";
    case Element::kUint8:
      return "uint8_t";
    case Element::kInt16:
      return "int16_t";
    case Element::kUint16:
      return "uint16_t";
    case Element::kInt32:
      return "int32_t";
    case Element::kUint32:
      return "uint32_t";
    case Element::kInt64:
      return "int64_t";
    case Element::kUint64:
      return "uint64_t";
    case Element::kInt4:
      return "int4b_t";
    case Element::kDouble:
      return "double";
    case Element::kNone:
      break;
  }
  return "unknown type";
}

Plan PlanOf(Core& core, Instruction& instruction, const kse_where& where, const kse_lanes& lanes, uint32_t lane_count,
            bool any_repeats) {
  VectorState& state = core.vector();
  if (lanes.form == KSE_LANES_COUNT) {
    const int64_t count = static_cast<int64_t>(lanes.mask[0]);
    if (count < 0) instruction.Forbid(absl::StrCat("count ", count, " is negative; pass the number of elements"));
    state.count_mode = false;
    state.mask_low = state.mask_high = ~uint64_t{0};
    Plan plan = PlanCount(count < 0 ? 0 : static_cast<uint64_t>(count), lane_count);
    plan.contiguous = true;
    return plan;
  }
  if (lanes.form == KSE_LANES_BITS) {
    state.mask_low = lanes.mask[0];
    state.mask_high = lanes.mask[1];
  } else if (lanes.form == KSE_LANES_PREFIX) {
    const uint64_t length = lanes.mask[0];
    if (!state.count_mode && length > lane_count) {
      core.Report(Check::kArgument, where,
                  absl::StrCat("mask ", length, " exceeds the ", lane_count,
                               " lanes of a repeat, all of which are computed; pass at most ", lane_count),
                  false);
    }
    const Mask mask = state.count_mode ? Mask{.low = length} : Mask::Prefix(std::min<uint64_t>(length, 128));
    state.mask_low = mask.low;
    state.mask_high = mask.high;
  }
  // In counter mode the register holds the number of elements and repeats are counted by the unit.
  const bool contiguous = lanes.form == KSE_LANES_REGISTER_COUNT;
  if (state.count_mode) {
    Plan plan = PlanCount(state.mask_low, lane_count);
    plan.contiguous = contiguous;
    return plan;
  }
  if (lanes.repeats < 0 || (lanes.repeats > 255 && !any_repeats)) {
    instruction.Forbid(absl::StrCat("repeat ", lanes.repeats, " is not in 0 to 255; split the call"));
    return {};
  }
  Plan plan =
      PlanMask({.low = state.mask_low, .high = state.mask_high}, static_cast<uint32_t>(lanes.repeats), lane_count);
  plan.contiguous = contiguous;
  return plan;
}

bool CheckAligned(Instruction& instruction, const kse_tensor& tensor, uint32_t alignment) {
  if (tensor.address % alignment == 0) return true;
  instruction.Fail(Check::kMisaligned,
                   absl::StrCat("an operand starts at byte ", tensor.address, " of UB, which is no multiple of ",
                                alignment, "; choose offsets so that every operand is aligned"),
                   /*stops=*/true);
  return false;
}

void Declare(Instruction& instruction, const kse_tensor& tensor, const Span& span, AccessKind kind) {
  // Runs inside a block may start anywhere; what has to be aligned is the operand.
  if (kind == AccessKind::kWrite) {
    instruction.Write(tensor, span, 1);
  } else {
    instruction.Read(tensor, span, 1);
  }
}

Operand Bind(Core& core, Instruction& instruction, const kse_operand& operand, const Plan& plan, AccessKind kind,
             uint32_t alignment) {
  const kse_tensor& tensor = *operand.tensor;
  Operand bound{.type = TypeOf(tensor)};
  bound.lattice = {
      .bits = ElementBits(bound.type), .block_stride = operand.block_stride, .repeat_stride = operand.repeat_stride};
  if (plan.contiguous) {
    bound.lattice.block_stride = 1;
    bound.lattice.repeat_stride = static_cast<uint32_t>(bound.lattice.BytesOf(plan.lanes) / kBlockBytes);
  }
  if (plan.repeats == 0) return bound;
  if (tensor.space != KSE_SPACE_UB) {
    instruction.Forbid("an operand is not in the unified buffer, where the vector unit works; copy it there first");
    return bound;
  }
  const uint32_t end = plan.End();
  if (kind == AccessKind::kWrite && bound.lattice.block_stride == 0 && bound.lattice.BytesOf(end) > kBlockBytes) {
    instruction.Forbid("the destination's block stride is 0, so that its blocks overwrite each other; pass at least 1");
    return bound;
  }
  if (!CheckAligned(instruction, tensor, alignment)) return bound;
  for (const Span& span : Spans(plan, bound.lattice)) Declare(instruction, tensor, span, kind);
  if (!instruction.ok()) return bound;
  bound.data = core.Arena(Space::kUb) + tensor.address;
  bound.shadow = core.Shadow(bound.data);
  return bound;
}

Operand BindRange(Core& core, Instruction& instruction, const kse_tensor& tensor, uint64_t bytes, AccessKind kind,
                  uint32_t alignment) {
  Operand bound{.type = TypeOf(tensor)};
  bound.lattice.bits = ElementBits(bound.type);
  if (bytes == 0) return bound;
  if (tensor.space != KSE_SPACE_UB) {
    instruction.Forbid("an operand is not in the unified buffer, where the vector unit works; copy it there first");
    return bound;
  }
  if (!CheckAligned(instruction, tensor, alignment)) return bound;
  Declare(instruction, tensor, {.run_bytes = static_cast<uint32_t>(bytes)}, kind);
  if (!instruction.ok()) return bound;
  bound.data = core.Arena(Space::kUb) + tensor.address;
  bound.shadow = core.Shadow(bound.data);
  return bound;
}

void GatherLanes(const Operand& from, uint32_t repeat, uint32_t end, std::byte* values, uint8_t* shadows) {
  const uint64_t bytes = (uint64_t{end} * from.bits() + 7) / 8;
  const std::byte* base = from.data + uint64_t{repeat} * from.lattice.repeat_stride * kBlockBytes;
  const uint8_t* shadow = from.shadow + uint64_t{repeat} * from.lattice.repeat_stride * kBlockBytes;
  for (uint64_t at = 0; at < bytes; at += kBlockBytes) {
    const uint64_t n = std::min<uint64_t>(kBlockBytes, bytes - at);
    std::memcpy(values + at, base + at * from.lattice.block_stride, n);
    std::memcpy(shadows + at, shadow + at * from.lattice.block_stride, n);
  }
}

void ScatterLanes(const Operand& to, uint32_t repeat, const Mask& mask, const std::byte* values,
                  const uint8_t* shadows) {
  const uint32_t end = mask.End();
  if (mask.IsPrefix()) {
    const uint64_t bytes = (uint64_t{end} * to.bits() + 7) / 8;
    std::byte* base = to.data + uint64_t{repeat} * to.lattice.repeat_stride * kBlockBytes;
    uint8_t* shadow = to.shadow + uint64_t{repeat} * to.lattice.repeat_stride * kBlockBytes;
    for (uint64_t at = 0; at < bytes; at += kBlockBytes) {
      const uint64_t n = std::min<uint64_t>(kBlockBytes, bytes - at);
      std::memcpy(base + at * to.lattice.block_stride, values + at, n);
      std::memcpy(shadow + at * to.lattice.block_stride, shadows + at, n);
    }
    return;
  }
  const uint32_t step = to.bits() < 8 ? 2 : 1;  // lanes that share a byte are masked alike
  const uint32_t bytes = step * to.bits() / 8;
  for (uint32_t lane = 0; lane < end; lane += step) {
    if (!mask.Has(lane)) continue;
    const uint64_t at = to.lattice.ByteOf(repeat, lane);
    std::memcpy(to.data + at, values + to.lattice.BytesOf(lane), bytes);
    std::memcpy(to.shadow + at, shadows + to.lattice.BytesOf(lane), bytes);
  }
}

namespace {

template <class Word>
void MergeWords(const uint8_t* shadows, uint32_t lanes, uint8_t* defined) {
  Word ones;
  std::memset(&ones, 1, sizeof(ones));
  for (uint32_t i = 0; i < lanes; ++i) {
    Word word;
    std::memcpy(&word, shadows + i * sizeof(Word), sizeof(Word));
    defined[i] &= static_cast<uint8_t>(word == ones);
  }
}

}  // namespace

void MergeDefined(const uint8_t* shadows, uint32_t bits, uint32_t lanes, uint8_t* defined) {
  switch (bits) {
    case 4:
      for (uint32_t i = 0; i < lanes; ++i) defined[i] &= shadows[i / 2];
      return;
    case 8:
      for (uint32_t i = 0; i < lanes; ++i) defined[i] &= shadows[i];
      return;
    case 16:
      return MergeWords<uint16_t>(shadows, lanes, defined);
    case 32:
      return MergeWords<uint32_t>(shadows, lanes, defined);
    default:
      return MergeWords<uint64_t>(shadows, lanes, defined);
  }
}

void SpreadDefined(const uint8_t* defined, uint32_t bits, uint32_t lanes, uint8_t* shadows) {
  if (bits == 4) {
    for (uint32_t i = 0; i < lanes; i += 2) shadows[i / 2] = defined[i] & (i + 1 < lanes ? defined[i + 1] : 1);
    return;
  }
  const uint32_t bytes = bits / 8;
  for (uint32_t i = 0; i < lanes; ++i) std::memset(shadows + i * bytes, defined[i], bytes);
}

float ScalarFloat(uint64_t bits, Element type) {
  switch (type) {
    case Element::kFloat:
      return BitsFloat(static_cast<uint32_t>(bits));
    case Element::kHalf:
      return HalfToFloat(static_cast<uint16_t>(bits));
    case Element::kBfloat16:
      return Bfloat16ToFloat(static_cast<uint16_t>(bits));
    default:
      return static_cast<float>(ScalarInteger(bits, type));
  }
}

int64_t ScalarInteger(uint64_t bits, Element type) {
  switch (type) {
    case Element::kInt8:
      return static_cast<int8_t>(bits);
    case Element::kInt16:
      return static_cast<int16_t>(bits);
    case Element::kInt32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

}  // namespace kernelsmith::emulator::vector
