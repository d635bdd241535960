// Transfers as kernels call them.

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/atomic.h"
#include "worker/emulator/device/transfer.h"

namespace kernelsmith::emulator {
namespace {

constexpr uint32_t kBlock = 32;
constexpr uint32_t kRepeat = 256;

// Bytes of each of the eight blocks of a repeat that take part, from the first on; all else stays.
struct Lanes {
  std::array<uint64_t, 2> bits{};
  uint32_t count = 0;  // lanes from the first, where bits do not count
  bool by_bits = false;

  bool Active(uint32_t lane) const {
    return by_bits ? lane < 128 && (bits[lane / 64] >> (lane % 64) & 1) != 0 : lane < count;
  }
  uint32_t Last() const {
    if (!by_bits) return count;
    uint32_t last = 0;
    for (uint32_t lane = 0; lane < 128; ++lane) {
      if (Active(lane)) last = lane + 1;
    }
    return last;
  }
};

void CopyMasked(Core& core, const Tensor& dst, const Tensor& src, const Lanes& lanes, uint32_t repeats,
                uint32_t dst_block, uint32_t src_block, uint32_t dst_repeat, uint32_t src_repeat, const Where& where) {
  Instruction i(core, Pipe::kVector, Kind::kCompute, where);
  const uint32_t element = dst.element == KSE_FLOAT || dst.element == KSE_INT32 || dst.element == KSE_UINT32 ? 4 : 2;
  const uint32_t last = lanes.Last();
  if (!core.vector().count_mode && last > kRepeat / element) {
    return i.Forbid(absl::StrCat("mask ", last, " exceeds the ", kRepeat / element, " lanes of a repeat"));
  }
  if (repeats == 0 || last == 0) return;
  const uint32_t per_block = kBlock / element;
  const uint32_t blocks = (last + per_block - 1) / per_block;
  const auto span = [&](uint32_t block, uint32_t repeat) {
    return Span{.run_bytes = kBlock,
                .runs = blocks,
                .run_stride = block * kBlock,
                .repeats = repeats,
                .repeat_stride = repeat * kBlock};
  };
  std::byte* to = i.Write(dst, span(dst_block, dst_repeat));
  const std::byte* from = i.Read(src, span(src_block, src_repeat));
  if (!i.ok()) return;
  uint64_t moved = 0;
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    for (uint32_t lane = 0; lane < last; ++lane) {
      if (!lanes.Active(lane)) continue;
      const uint64_t within = uint64_t{lane % per_block} * element;
      std::byte* to_lane =
          to + (uint64_t{repeat} * dst_repeat + uint64_t{lane / per_block} * dst_block) * kBlock + within;
      const std::byte* from_lane =
          from + (uint64_t{repeat} * src_repeat + uint64_t{lane / per_block} * src_block) * kBlock + within;
      std::memmove(to_lane, from_lane, element);
      core.CopyDefined(to_lane, from_lane, element);
      ++moved;
    }
  }
  i.Issue(Compute::kCopy, static_cast<Element>(dst.element), moved, repeats);
}

}  // namespace
}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Check;
using kernelsmith::emulator::Core;
using kernelsmith::emulator::Element;
using kernelsmith::emulator::Instruction;
using kernelsmith::emulator::Kind;
using kernelsmith::emulator::Pipe;

void kse_copy_linear(const kse_tensor* dst, const kse_tensor* src, uint64_t bytes, const kse_where* where) {
  kernelsmith::emulator::CopyLinear(Core::Current(), *dst, *src, bytes, *where);
}
void kse_copy_bursts(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts, const kse_where* where) {
  kernelsmith::emulator::CopyBursts(Core::Current(), *dst, *src, *bursts, *where);
}
void kse_copy_pad_in(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts, const kse_padding* padding,
                     const kse_where* where) {
  kernelsmith::emulator::CopyPadIn(Core::Current(), *dst, *src, *bursts, *padding, *where);
}
void kse_copy_pad_out(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts, const kse_where* where) {
  kernelsmith::emulator::CopyPadOut(Core::Current(), *dst, *src, *bursts, *where);
}

void kse_set_pad_value(uint64_t bits, uint32_t) {
  Core::Current().pad_value = bits;
  Core::Current().pad_value_set = true;
}

void kse_copy_masked(const kse_tensor* dst, const kse_tensor* src, const uint64_t* lanes, uint32_t bits,
                     uint32_t repeats, uint32_t dst_block_stride, uint32_t src_block_stride, uint32_t dst_repeat_stride,
                     uint32_t src_repeat_stride, const kse_where* where) {
  Core& core = Core::Current();
  kernelsmith::emulator::Lanes active;
  if (lanes == nullptr) {
    const kernelsmith::emulator::VectorState& state = core.vector();
    active.by_bits = !state.count_mode;
    active.bits = {state.mask_low, state.mask_high};
    active.count = static_cast<uint32_t>(state.mask_low);
  } else if (bits != 0) {
    active.by_bits = true;
    active.bits = {lanes[0], lanes[1]};
  } else {
    active.count = static_cast<uint32_t>(std::min<uint64_t>(lanes[0], UINT32_MAX));
  }
  kernelsmith::emulator::CopyMasked(core, *dst, *src, active, repeats, dst_block_stride, src_block_stride,
                                    dst_repeat_stride, src_repeat_stride, *where);
}

void kse_fill_global(const kse_tensor* dst, uint64_t elements, uint32_t element_bytes, uint64_t bits,
                     const kse_where* where) {
  Core& core = Core::Current();
  // In pieces, as a buffer in UB would deliver it.
  constexpr uint64_t kPiece = 32768;
  const uint64_t bytes = elements * element_bytes;
  for (uint64_t at = 0; at < bytes; at += kPiece) {
    const uint32_t piece = static_cast<uint32_t>(std::min(kPiece, bytes - at));
    Instruction i(core, Pipe::kMte3, Kind::kMove, *where);
    std::byte* to = i.Write(*dst, {.offset = at, .run_bytes = piece});
    if (!i.ok()) return;
    for (uint32_t offset = 0; offset + element_bytes <= piece; offset += element_bytes) {
      std::memcpy(to + offset, &bits, element_bytes);
    }
    i.IssueMove(piece);
  }
}

void kse_set_atomic(uint32_t operation, uint8_t element, const kse_where* where) {
  Core& core = Core::Current();
  const auto type = static_cast<Element>(element);
  if (operation != 0 && !kernelsmith::emulator::AtomicSupports(type)) {
    core.Report(Check::kArgument, *where,
                "atomic writes exist for int8_t, int16_t, int32_t, half, bfloat16_t and float; convert the data first");
    return;
  }
  core.atomic = static_cast<Core::Atomic>(operation);
  core.atomic_element = type;
  kernelsmith::emulator::Record record{};
  record.kind = Kind::kAtomicMode;
  record.a = operation != 0 ? 1 : 0;
  core.Append(record, nullptr, 0, *where);
}

void kse_get_atomic(uint32_t* operation, uint8_t* element) {
  *operation = static_cast<uint32_t>(Core::Current().atomic);
  *element = static_cast<uint8_t>(Core::Current().atomic_element);
}
