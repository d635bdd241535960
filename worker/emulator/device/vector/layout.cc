// Instructions that change the order of elements: transposes, TransDataTo5HD, Broadcast.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

// Elements with their definedness, moved one at a time.
struct Copy {
  std::vector<std::byte> values;
  std::vector<uint8_t> shadows;

  Copy(const Operand& from, uint64_t bytes)
      : values(from.data, from.data + bytes), shadows(from.shadow, from.shadow + bytes) {}

  void Put(const Operand& to, uint64_t at, uint64_t from, uint32_t bytes) const {
    std::memcpy(to.data + at, values.data() + from, bytes);
    std::memcpy(to.shadow + at, shadows.data() + from, bytes);
  }
};

void Transpose16(Core& core, const kse_tensor& dst, const kse_tensor& src, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Operand from = BindRange(core, instruction, src, 512, AccessKind::kRead);
  const Operand to = BindRange(core, instruction, dst, 512, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const Copy copy(from, 512);
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < 16; ++column) {
      copy.Put(to, (uint64_t{column} * 16 + row) * 2, (uint64_t{row} * 16 + column) * 2, 2);
    }
  }
  instruction.Issue(Compute::kTranspose, TypeOf(src), 256, 2);
}

void TransposeChannels(Core& core, const kse_tensor& dst, const kse_tensor& src, const kse_tensor& workspace,
                       uint32_t n, uint32_t c, uint32_t hw, bool to_channels_last, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const uint32_t bytes = ElementBits(TypeOf(src)) / 8;
  if (c > 4095 || hw > 4095) {
    instruction.Forbid(absl::StrCat("c = ", c, ", h times w = ", hw, "; both have to be at most 4095"));
    return;
  }
  const uint64_t total = uint64_t{n} * c * hw;
  if (total == 0) return;
  if (hw * bytes % kBlockBytes != 0) {
    instruction.Forbid(absl::StrCat("planes of ", hw * bytes, " bytes are no multiple of 32; pad h times w"));
    return;
  }
  const uint64_t unit = (bytes == 1 ? 32 : 16) * kBlockBytes;  // as documented per type
  const uint64_t scratch = (to_channels_last ? uint64_t{c} + 2 : 2 * uint64_t{c} + 1) * unit;
  const Operand from = BindRange(core, instruction, src, total * bytes, AccessKind::kRead);
  const Operand to = BindRange(core, instruction, dst, total * bytes, AccessKind::kWrite);
  const Operand spare = BindRange(core, instruction, workspace, scratch, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const Copy copy(from, total * bytes);
  std::memset(spare.shadow, 0, scratch);
  for (uint32_t image = 0; image < n; ++image) {
    for (uint32_t channel = 0; channel < c; ++channel) {
      for (uint32_t pixel = 0; pixel < hw; ++pixel) {
        const uint64_t first = ((uint64_t{image} * c + channel) * hw + pixel) * bytes;
        const uint64_t last = ((uint64_t{image} * hw + pixel) * c + channel) * bytes;
        copy.Put(to, to_channels_last ? last : first, to_channels_last ? first : last, bytes);
      }
    }
  }
  instruction.Issue(Compute::kTranspose, TypeOf(src), total,
                    static_cast<uint32_t>((total * bytes + kRepeatBytes - 1) / kRepeatBytes));
}

// Sixteen addresses as tensors of one block.
struct Addresses {
  std::array<kse_tensor, 16> blocks;

  bool Take(Core& core, Instruction& instruction, const uint64_t* addresses, uint8_t element) {
    for (uint32_t i = 0; i < 16; ++i) {
      const void* pointer = reinterpret_cast<const void*>(addresses[i]);
      uint64_t offset = 0;
      if (!core.memory().Contains(pointer) || core.memory().Locate(pointer, offset) != Space::kUb) {
        instruction.Forbid(absl::StrCat("address ", i, " of the list is not in UB; take addresses from GetPhyAddr"));
        return false;
      }
      blocks[i] = {.address = offset,
                   .bytes = core.ArenaBytes(Space::kUb) - offset,
                   .elements = 0,
                   .space = KSE_SPACE_UB,
                   .position = 0,
                   .element = element};
      if (!CheckAligned(instruction, blocks[i], kBlockBytes)) return false;
    }
    return true;
  }
};

void Trans5hd(Core& core, uint8_t element, const uint64_t* dst_list, const uint64_t* src_list, bool dst_high,
              bool src_high, int32_t repeats, uint32_t dst_stride, uint32_t src_stride, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  if (repeats < 0 || repeats > 255) {
    instruction.Forbid(absl::StrCat("repeat ", repeats, " is not in 0 to 255; split the call"));
    return;
  }
  const uint32_t bytes = ElementBits(static_cast<Element>(element)) / 8;
  Addresses to, from;
  if (repeats == 0 || !to.Take(core, instruction, dst_list, element) ||
      !from.Take(core, instruction, src_list, element)) {
    return;
  }
  const uint64_t n = static_cast<uint64_t>(repeats);
  // A single repeat starts one stride after the addresses (documentation of repeatTimes).
  const uint64_t dst_start = n == 1 ? uint64_t{dst_stride} * kBlockBytes : 0;
  const uint64_t src_start = n == 1 ? uint64_t{src_stride} * kBlockBytes : 0;
  const uint32_t run = bytes == 1 ? kBlockBytes / 2 : kBlockBytes;
  const auto declare = [&](const Addresses& list, uint64_t start, uint32_t stride, bool high, AccessKind kind) {
    // Equal distances, as usual, make one access.
    const uint64_t step = list.blocks[1].address - list.blocks[0].address;
    bool even = list.blocks[1].address > list.blocks[0].address && step <= UINT32_MAX;
    for (uint32_t i = 1; i < 16; ++i) {
      even = even && list.blocks[i].address - list.blocks[i - 1].address == step;
    }
    const Span span{.offset = start + (high ? run : 0),
                    .run_bytes = run,
                    .runs = even ? 16u : 1u,
                    .run_stride = even ? static_cast<uint32_t>(step) : 0,
                    .repeats = static_cast<uint32_t>(n),
                    .repeat_stride = stride * kBlockBytes};
    for (uint32_t i = 0; i < (even ? 1u : 16u); ++i) Declare(instruction, list.blocks[i], span, kind);
  };
  declare(from, src_start, src_stride, bytes == 1 && src_high, AccessKind::kRead);
  declare(to, dst_start, dst_stride, bytes == 1 && dst_high, AccessKind::kWrite);
  if (!instruction.ok()) return;
  std::byte* ub = core.Arena(Space::kUb);
  for (uint64_t repeat = 0; repeat < n; ++repeat) {
    std::array<std::array<std::byte, kBlockBytes>, 16> values;
    std::array<std::array<uint8_t, kBlockBytes>, 16> shadows;
    for (uint32_t i = 0; i < 16; ++i) {
      const std::byte* block = ub + from.blocks[i].address + src_start + repeat * src_stride * kBlockBytes;
      std::memcpy(values[i].data(), block, kBlockBytes);
      std::memcpy(shadows[i].data(), core.Shadow(block), kBlockBytes);
    }
    // Position p of all sixteen sources, in order: one block (16-bit), half a block (8-bit), two blocks (32-bit).
    const uint32_t positions = bytes == 4 ? 8 : 16;
    for (uint32_t p = 0; p < positions; ++p) {
      for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t source = (p + (bytes == 1 && src_high ? 16 : 0)) * bytes;
        const uint32_t block = bytes == 4 ? 2 * p + i / 8 : p;
        const uint32_t target = bytes == 4 ? i % 8 * 4 : (i + (bytes == 1 && dst_high ? 16 : 0)) * bytes;
        std::byte* out = ub + to.blocks[block].address + dst_start + repeat * dst_stride * kBlockBytes + target;
        std::memcpy(out, values[i].data() + source, bytes);
        std::memcpy(core.Shadow(out), shadows[i].data() + source, bytes);
      }
    }
  }
  instruction.Issue(Compute::kTranspose, static_cast<Element>(element), n * 512 / bytes, static_cast<uint32_t>(n));
}

void Broadcast(Core& core, const kse_tensor& dst, const kse_tensor& src, const uint32_t* dst_shape,
               const uint32_t* src_shape, uint32_t dimensions, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const uint32_t bytes = ElementBits(TypeOf(src)) / 8;
  uint64_t dst_total = 1;
  uint64_t src_total = 1;
  for (uint32_t i = 0; i < dimensions; ++i) {
    if (src_shape[i] != dst_shape[i] && src_shape[i] != 1) {
      instruction.Forbid(absl::StrCat("dimension ", i, " of ", src_shape[i], " does not broadcast to ", dst_shape[i],
                                      "; it has to be equal or 1"));
      return;
    }
    dst_total *= dst_shape[i];
    src_total *= src_shape[i];
  }
  if (dst_total == 0) return;
  const Operand from = BindRange(core, instruction, src, src_total * bytes, AccessKind::kRead);
  const Operand to = BindRange(core, instruction, dst, dst_total * bytes, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const Copy copy(from, src_total * bytes);
  for (uint64_t i = 0; i < dst_total; ++i) {
    uint64_t rest = i;
    uint64_t source = 0;
    uint64_t weight = 1;
    for (uint32_t d = dimensions; d-- > 0;) {
      const uint64_t at = rest % dst_shape[d];
      rest /= dst_shape[d];
      source += (src_shape[d] == 1 ? 0 : at) * weight;
      weight *= src_shape[d];
    }
    copy.Put(to, i * bytes, source * bytes, bytes);
  }
  instruction.Issue(Compute::kBroadcast, TypeOf(src), dst_total,
                    static_cast<uint32_t>((dst_total * bytes + kRepeatBytes - 1) / kRepeatBytes));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector

extern "C" {

using kernelsmith::emulator::Core;
namespace emulator = kernelsmith::emulator;
namespace vector = kernelsmith::emulator::vector;

void kse_vector_transpose16(const kse_tensor* dst, const kse_tensor* src, const kse_where* where) {
  vector::Transpose16(Core::Current(), *dst, *src, *where);
}

void kse_vector_transpose(const kse_tensor* dst, const kse_tensor* src, const kse_tensor* workspace, uint32_t n,
                          uint32_t c, uint32_t hw, uint8_t type, const kse_where* where) {
  // Values of TransposeType.
  constexpr uint8_t kNone = 0;
  constexpr uint8_t k16By16 = 10;
  constexpr uint8_t kToChannelsLast = 11;
  constexpr uint8_t kToChannelsFirst = 12;
  Core& core = Core::Current();
  switch (type) {
    case kNone:
      return;
    case k16By16:
      return vector::Transpose16(core, *dst, *src, *where);
    case kToChannelsLast:
    case kToChannelsFirst:
      return vector::TransposeChannels(core, *dst, *src, *workspace, n, c, hw, type == kToChannelsLast, *where);
    default:
      break;
  }
  emulator::Instruction(core, emulator::Pipe::kVector, emulator::Kind::kCompute, *where)
      .Forbid(absl::StrCat("transposeType ", static_cast<int>(type),
                           " is not supported; use TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or TRANSPOSE_NHWC2NCHW"));
}

void kse_vector_trans_5hd(uint8_t element, const uint64_t* dst, const uint64_t* src, bool dst_high, bool src_high,
                          int32_t repeats, uint32_t dst_repeat_stride, uint32_t src_repeat_stride,
                          const kse_where* where) {
  vector::Trans5hd(Core::Current(), element, dst, src, dst_high, src_high, repeats, dst_repeat_stride,
                   src_repeat_stride, *where);
}

void kse_vector_addresses(const kse_tensor* first, uint32_t step, uint64_t* addresses) {
  Core& core = Core::Current();
  for (uint32_t i = 0; i < 16; ++i) {
    const auto* tensor =
        reinterpret_cast<const kse_tensor*>(reinterpret_cast<const std::byte*>(first) + uint64_t{i} * step);
    const bool inside = tensor->space == KSE_SPACE_UB && tensor->address < core.ArenaBytes(emulator::Space::kUb);
    addresses[i] = inside ? reinterpret_cast<uint64_t>(core.Arena(emulator::Space::kUb) + tensor->address) : 0;
  }
}

void kse_vector_load_addresses(const kse_tensor* tensor, uint64_t* addresses, const kse_where* where) {
  Core& core = Core::Current();
  emulator::Instruction instruction(core, emulator::Pipe::kVector, emulator::Kind::kCompute, *where);
  const vector::Operand list = vector::BindRange(core, instruction, *tensor, 128, emulator::AccessKind::kRead);
  std::memset(addresses, 0, 128);
  if (!instruction.ok()) return;
  instruction.RequireDefined(list.data, 128, "the addresses of blocks");
  std::memcpy(addresses, list.data, 128);
  instruction.Issue(emulator::Compute::kOther, emulator::Element::kUint64, 16, 1);
}

void kse_vector_broadcast(const kse_tensor* dst, const kse_tensor* src, const uint32_t* dst_shape,
                          const uint32_t* src_shape, uint32_t dimensions, const kse_where* where) {
  vector::Broadcast(Core::Current(), *dst, *src, dst_shape, src_shape, dimensions, *where);
}
}
