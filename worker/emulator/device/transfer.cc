#include "worker/emulator/device/transfer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/atomic.h"
#include "worker/emulator/device/launch_state.h"

namespace kernelsmith::emulator {
namespace {

constexpr uint32_t kBlock = 32;
constexpr uint32_t kMostBursts = 4095;
constexpr uint32_t kMostPadBytes = 2097151;

bool IsLocal(const Tensor& tensor) { return tensor.space != KSE_SPACE_GLOBAL; }

uint32_t ElementBytes(uint8_t element) {
  switch (element) {
    case KSE_HALF:
    case KSE_BFLOAT16:
    case KSE_INT16:
    case KSE_UINT16:
      return 2;
    case KSE_FLOAT:
    case KSE_INT32:
    case KSE_UINT32:
      return 4;
    case KSE_INT64:
    case KSE_UINT64:
    case KSE_DOUBLE:
      return 8;
    default:
      return 1;
  }
}

Span SpanOf(uint32_t bytes, uint32_t count, uint64_t stride) {
  return Span{.run_bytes = bytes, .runs = count, .run_stride = count > 1 ? static_cast<uint32_t>(stride) : 0};
}

// Counts how many bytes at the start and at the end of a write change nothing.
class Unchanged {
 public:
  void Add(const std::byte* before, const std::byte* after, uint32_t bytes) {
    if (std::memcmp(before, after, bytes) == 0) {
      tail_ += bytes;
      if (!differs_) head_ += bytes;
      return;
    }
    if (!differs_) head_ += static_cast<uint64_t>(std::mismatch(before, before + bytes, after).first - before);
    differs_ = true;
    tail_ = 0;
    while (before[bytes - 1 - tail_] == after[bytes - 1 - tail_]) ++tail_;
  }
  void Fill(Record& record) const {
    record.c = static_cast<uint32_t>(std::min<uint64_t>(head_, UINT32_MAX));
    record.d = static_cast<uint32_t>(std::min<uint64_t>(tail_, UINT32_MAX));
  }

 private:
  uint64_t head_ = 0;
  uint64_t tail_ = 0;
  bool differs_ = false;
};

// One burst into global memory, by the atomic mode.
void Deliver(Core& core, std::byte* to, const std::byte* from, uint32_t bytes, Unchanged& unchanged) {
  if (core.atomic == Core::Atomic::kNone) {
    unchanged.Add(to, from, bytes);
    std::memcpy(to, from, bytes);
  } else {
    ApplyAtomic(core.atomic, core.atomic_element, to, from, bytes);
  }
}

// Strides are 32 bits wide in the trace, and no card has memory for more bursts.
bool StridesFit(Instruction& i, const kse_bursts& bursts) {
  if (bursts.count <= 1 || (bursts.dst_stride <= UINT32_MAX && bursts.src_stride <= UINT32_MAX)) return true;
  i.Forbid("a stride between two bursts exceeds 4 GiB");
  return false;
}

// Global addresses have to be multiples of the element.
void RequireGlobalAlignment(Instruction& i, const Tensor& tensor) {
  const uint32_t bytes = ElementBytes(tensor.element);
  if (IsLocal(tensor) || tensor.address % bytes == 0) return;
  i.Fail(Check::kMisaligned,
         absl::StrCat("the global address 0x", absl::Hex(tensor.address), " is no multiple of its elements' ", bytes,
                      " bytes; use DataCopyPad or another offset"),
         /*stops=*/true);
}

}  // namespace

Pipe PipeOfTransfer(Space dst, Space src) {
  if (src == Space::kGlobal) return dst == Space::kGlobal ? Pipe::kAll : Pipe::kMte2;
  if (dst == Space::kGlobal) return src == Space::kL0C ? Pipe::kFixpipe : Pipe::kMte3;
  if (src == Space::kUb) return dst == Space::kUb ? Pipe::kVector : Pipe::kMte3;
  if (src == Space::kL1) return Pipe::kMte1;
  return Pipe::kFixpipe;
}

void CopyBursts(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const Where& where) {
  const Pipe pipe = PipeOfTransfer(static_cast<Space>(dst.space), static_cast<Space>(src.space));
  Instruction i(core, pipe == Pipe::kAll ? Pipe::kScalar : pipe, Kind::kMove, where);
  if (pipe == Pipe::kAll) return i.Forbid("there is no transfer from global memory to global memory; go through UB");
  if (bursts.count > kMostBursts) return i.Forbid(absl::StrCat("blockCount ", bursts.count, " exceeds 4095"));
  if (bursts.count == 0 || bursts.bytes == 0 || !StridesFit(i, bursts)) return;
  RequireGlobalAlignment(i, dst);
  RequireGlobalAlignment(i, src);
  if (!i.ok()) return;
  std::byte* to = i.Write(dst, SpanOf(bursts.bytes, bursts.count, bursts.dst_stride));
  const std::byte* from = i.Read(src, SpanOf(bursts.bytes, bursts.count, bursts.src_stride));
  if (!i.ok()) return;
  Unchanged unchanged;
  for (uint32_t burst = 0; burst < bursts.count; ++burst) {
    std::byte* to_burst = to + burst * bursts.dst_stride;
    const std::byte* from_burst = from + burst * bursts.src_stride;
    if (!IsLocal(dst)) {
      i.RequireDefined(from_burst, bursts.bytes, "global memory");
      Deliver(core, to_burst, from_burst, bursts.bytes, unchanged);
    } else if (IsLocal(src)) {
      std::memmove(to_burst, from_burst, bursts.bytes);
      core.CopyDefined(to_burst, from_burst, bursts.bytes);
    } else {
      std::memcpy(to_burst, from_burst, bursts.bytes);
      core.SetDefined(to_burst, bursts.bytes);
    }
  }
  if (!IsLocal(dst)) unchanged.Fill(i.record());
  i.IssueMove(uint64_t{bursts.bytes} * bursts.count, bursts.count);
}

void CopyLinear(Core& core, const Tensor& dst, const Tensor& src, uint64_t bytes, const Where& where) {
  const uint64_t whole = bytes / kBlock * kBlock;
  if (whole != bytes) {
    core.Report(Check::kRoundedDown, where,
                absl::StrCat("copies ", bytes, " bytes, of which the hardware moves ", whole,
                             ": whole blocks of 32 bytes only; use DataCopyPad or a count that fills blocks"),
                /*error=*/true, /*stops=*/false, nullptr,
                PipeOfTransfer(static_cast<Space>(dst.space), static_cast<Space>(src.space)));
  }
  CopyBursts(
      core, dst, src,
      kse_bursts{
          .count = whole == 0 ? 0u : 1u, .bytes = static_cast<uint32_t>(whole), .dst_stride = 0, .src_stride = 0},
      where);
}

void CopyPadIn(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const kse_padding& padding,
               const Where& where) {
  Instruction i(core, Pipe::kMte2, Kind::kMove, where);
  if (bursts.count > kMostBursts) return i.Forbid(absl::StrCat("blockCount ", bursts.count, " exceeds 4095"));
  if (bursts.bytes > kMostPadBytes) return i.Forbid(absl::StrCat("blockLen ", bursts.bytes, " exceeds 2097151 bytes"));
  if (bursts.count == 0 || bursts.bytes == 0 || !StridesFit(i, bursts)) return;
  const uint32_t element = padding.element_bytes;
  if (bursts.bytes % element != 0) {
    return i.Forbid(absl::StrCat("blockLen ", bursts.bytes, " is no multiple of the element's ", element, " bytes"));
  }
  const uint32_t left = padding.left * element;
  const uint32_t right = padding.right * element;
  if (left > kBlock || right > kBlock) {
    return i.Forbid(absl::StrCat("paddings of ", left, " and ", right, " bytes: each may take 32 bytes at most"));
  }
  if (padding.by_value != 0 && element == 8 && padding.value != 0) {
    return i.Forbid("elements of 8 bytes can only be padded with 0");
  }
  const uint32_t asked = left + bursts.bytes + right;
  const uint32_t padded = (asked + kBlock - 1) / kBlock * kBlock;
  std::byte* to = i.Write(dst, SpanOf(padded, bursts.count, bursts.dst_stride));
  const std::byte* from = i.Read(src, SpanOf(bursts.bytes, bursts.count, bursts.src_stride));
  if (!i.ok()) return;
  const bool sided = left != 0 || right != 0;
  const bool valued = padding.by_value != 0 || core.pad_value_set;
  const uint64_t value = padding.by_value != 0 ? padding.value : core.pad_value;
  for (uint32_t burst = 0; burst < bursts.count; ++burst) {
    std::byte* to_burst = to + burst * bursts.dst_stride;
    const std::byte* from_burst = from + burst * bursts.src_stride;
    if (padded != bursts.bytes) {
      // Without padding on either side the rest of a block repeats the first element.
      const std::byte* fill = sided ? reinterpret_cast<const std::byte*>(&value) : from_burst;
      for (uint32_t at = 0; at < left; at += element) std::memcpy(to_burst + at, fill, element);
      for (uint32_t at = left + bursts.bytes; at + element <= padded; at += element) {
        std::memcpy(to_burst + at, fill, element);
      }
      core.SetDefined(to_burst, padded, valued || !sided);
    }
    std::memcpy(to_burst + left, from_burst, bursts.bytes);
    core.SetDefined(to_burst + left, bursts.bytes);
  }
  i.IssueMove(uint64_t{bursts.bytes} * bursts.count, bursts.count, padded != bursts.bytes);
}

void CopyPadOut(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const Where& where) {
  Instruction i(core, Pipe::kMte3, Kind::kMove, where);
  if (bursts.count > kMostBursts) return i.Forbid(absl::StrCat("blockCount ", bursts.count, " exceeds 4095"));
  if (bursts.bytes > kMostPadBytes) return i.Forbid(absl::StrCat("blockLen ", bursts.bytes, " exceeds 2097151 bytes"));
  if (bursts.count == 0 || bursts.bytes == 0 || !StridesFit(i, bursts)) return;
  const uint32_t element = ElementBytes(dst.element);
  if (bursts.bytes % element != 0) {
    return i.Forbid(absl::StrCat("blockLen ", bursts.bytes, " is no multiple of the element's ", element, " bytes"));
  }
  std::byte* to = i.Write(dst, SpanOf(bursts.bytes, bursts.count, bursts.dst_stride));
  const std::byte* from = i.Read(src, SpanOf(bursts.bytes, bursts.count, bursts.src_stride));
  if (!i.ok()) return;
  Unchanged unchanged;
  for (uint32_t burst = 0; burst < bursts.count; ++burst) {
    const std::byte* from_burst = from + burst * bursts.src_stride;
    i.RequireDefined(from_burst, bursts.bytes, "global memory");
    Deliver(core, to + burst * bursts.dst_stride, from_burst, bursts.bytes, unchanged);
  }
  unchanged.Fill(i.record());
  i.IssueMove(uint64_t{bursts.bytes} * bursts.count, bursts.count, bursts.bytes % kBlock != 0);
}

}  // namespace kernelsmith::emulator
