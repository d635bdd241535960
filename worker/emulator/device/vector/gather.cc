#include "worker/emulator/device/vector/gather.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

bool RepeatsAllowed(Instruction& instruction, int32_t repeats) {
  if (repeats >= 0 && repeats <= 255) return true;
  instruction.Forbid(absl::StrCat("repeat ", repeats, " is not in 0 to 255; split the call"));
  return false;
}

bool Keeps(uint8_t fixed, uint64_t lane) {
  switch (fixed) {
    case 1:
      return lane % 2 == 0;
    case 2:
      return lane % 2 == 1;
    case 7:
      return true;
    default:
      return lane % 4 == fixed - 3u;
  }
}

// `n` lanes of one repeat that may be longer than 256 bytes (counter mode of GatherMask).
std::vector<Span> LongSpans(uint64_t bytes, uint32_t repeats, uint32_t block_stride, uint64_t repeat_stride) {
  const auto repeated = [&](Span span) {
    span.repeats = repeats;
    span.repeat_stride = static_cast<uint32_t>(repeat_stride);
    return span;
  };
  if (block_stride == 1 || bytes <= kBlockBytes) return {repeated({.run_bytes = static_cast<uint32_t>(bytes)})};
  std::vector<Span> spans;
  const uint32_t blocks = static_cast<uint32_t>(bytes / kBlockBytes);
  spans.push_back(repeated({.run_bytes = kBlockBytes, .runs = blocks, .run_stride = block_stride * kBlockBytes}));
  if (bytes % kBlockBytes != 0) {
    spans.push_back(repeated({.offset = uint64_t{blocks} * block_stride * kBlockBytes,
                              .run_bytes = static_cast<uint32_t>(bytes % kBlockBytes)}));
  }
  return spans;
}

}  // namespace

uint64_t GatherMask(Core& core, const kse_tensor& dst, const kse_operand& src, const kse_operand* pattern,
                    uint8_t fixed, bool counter, uint32_t mask, int32_t repeats, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  core.vector().count_mode = false;
  const Element type = TypeOf(*src.tensor);
  const uint32_t bytes = ElementBits(type) / 8;
  const uint64_t lanes = counter ? mask : kRepeatBytes / bytes;
  if (pattern == nullptr && (fixed < 1 || fixed > 7)) {
    instruction.Forbid(absl::StrCat("pattern ", static_cast<int>(fixed), " is not in 1 to 7"));
  }
  if (!RepeatsAllowed(instruction, repeats) || !instruction.ok() || repeats == 0 || lanes == 0) return 0;
  const uint64_t src_stride = uint64_t{src.repeat_stride} * kBlockBytes;
  const uint64_t pattern_stride = pattern == nullptr ? 0 : uint64_t{pattern->repeat_stride} * kBlockBytes;
  if (!CheckAligned(instruction, *src.tensor, kBlockBytes) || !CheckAligned(instruction, dst, kBlockBytes)) return 0;
  for (const Span& span : LongSpans(lanes * bytes, static_cast<uint32_t>(repeats), src.block_stride, src_stride)) {
    Declare(instruction, *src.tensor, span, AccessKind::kRead);
  }
  if (pattern != nullptr) {
    if (!CheckAligned(instruction, *pattern->tensor, kBlockBytes)) return 0;
    Declare(instruction, *pattern->tensor,
            {.run_bytes = static_cast<uint32_t>((lanes + 7) / 8),
             .repeats = static_cast<uint32_t>(repeats),
             .repeat_stride = static_cast<uint32_t>(pattern_stride)},
            AccessKind::kRead);
  }
  if (!instruction.ok()) return 0;
  std::byte* ub = core.Arena(Space::kUb);
  const std::byte* from = ub + src.tensor->address;
  const std::byte* bits = pattern == nullptr ? nullptr : ub + pattern->tensor->address;
  std::vector<std::byte> kept;
  std::vector<uint8_t> shadows;
  uint64_t count = 0;
  for (int32_t repeat = 0; repeat < repeats; ++repeat) {
    if (bits != nullptr) {
      instruction.RequireDefined(bits + static_cast<uint64_t>(repeat) * pattern_stride, (lanes + 7) / 8,
                                 "the count of gathered elements");
    }
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      const bool keep =
          bits == nullptr
              ? Keeps(fixed, lane)
              : (static_cast<unsigned>(bits[static_cast<uint64_t>(repeat) * pattern_stride + lane / 8]) >> lane % 8 &
                 1) != 0;
      if (!keep) continue;
      const uint64_t byte = lane * bytes;
      const std::byte* at = from + static_cast<uint64_t>(repeat) * src_stride +
                            byte / kBlockBytes * src.block_stride * kBlockBytes + byte % kBlockBytes;
      kept.insert(kept.end(), at, at + bytes);
      shadows.insert(shadows.end(), core.Shadow(at), core.Shadow(at) + bytes);
      ++count;
    }
  }
  if (count != 0) {
    Declare(instruction, dst, {.run_bytes = static_cast<uint32_t>(kept.size())}, AccessKind::kWrite);
    if (!instruction.ok()) return 0;
    std::memcpy(ub + dst.address, kept.data(), kept.size());
    std::memcpy(core.Shadow(ub + dst.address), shadows.data(), shadows.size());
  }
  const uint64_t units = (lanes * bytes + kRepeatBytes - 1) / kRepeatBytes;
  instruction.Issue(Compute::kGatherMask, type, lanes * static_cast<uint64_t>(repeats),
                    static_cast<uint32_t>(units) * static_cast<uint32_t>(repeats));
  return count;
}

void Gather(Core& core, const kse_operand& dst, const kse_tensor& src, const kse_tensor& offsets, uint32_t base,
            const kse_lanes& lanes, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(src);
  const uint32_t bytes = ElementBits(type) / 8;
  const Plan plan = PlanOf(core, instruction, where, lanes, kRepeatBytes / bytes);
  if (!instruction.ok() || plan.repeats == 0) return;
  const uint64_t entries = uint64_t{plan.repeats - 1} * plan.lanes + plan.last.End();
  const Operand table = BindRange(core, instruction, offsets, entries * 4, AccessKind::kRead);
  const Operand out = Bind(core, instruction, dst, plan, AccessKind::kWrite);
  if (!instruction.ok() || !CheckAligned(instruction, src, kBlockBytes)) return;
  instruction.RequireDefined(table.data, entries * 4, "the addresses of gathered elements");
  const auto offset_of = [&](uint32_t repeat, uint32_t lane) {
    uint32_t offset;
    std::memcpy(&offset, table.data + (uint64_t{repeat} * plan.lanes + lane) * 4, 4);
    return uint64_t{base} + offset;
  };
  uint64_t lowest = ~uint64_t{0};
  uint64_t highest = 0;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    for (uint32_t lane = 0; lane < plan.MaskOf(repeat).End(); ++lane) {
      if (!plan.MaskOf(repeat).Has(lane)) continue;
      const uint64_t offset = offset_of(repeat, lane);
      if (offset % bytes != 0) {
        instruction.Forbid(
            absl::StrCat("offset ", offset, " is no multiple of the element's ", bytes, " bytes; offsets count bytes"));
        return;
      }
      lowest = std::min(lowest, offset);
      highest = std::max(highest, offset + bytes);
    }
  }
  if (highest - lowest > UINT32_MAX) highest = lowest + UINT32_MAX;
  Declare(instruction, src, {.offset = lowest, .run_bytes = static_cast<uint32_t>(highest - lowest)},
          AccessKind::kRead);
  if (!instruction.ok()) return;
  const std::byte* from = core.Arena(Space::kUb) + src.address;
  std::array<std::byte, kRepeatBytes> values;
  std::array<uint8_t, kRepeatBytes> shadows;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    for (uint32_t lane = 0; lane < mask.End(); ++lane) {
      if (!mask.Has(lane)) continue;
      const std::byte* at = from + offset_of(repeat, lane);
      std::memcpy(values.data() + lane * bytes, at, bytes);
      std::memcpy(shadows.data() + lane * bytes, core.Shadow(at), bytes);
    }
    ScatterLanes(out, repeat, mask, values.data(), shadows.data());
  }
  instruction.Issue(Compute::kGather, type, plan.Active(), plan.repeats);
}

void GatherBlocks(Core& core, const kse_operand& dst, const kse_tensor& src, const kse_tensor& offsets, int32_t repeats,
                  const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  if (!RepeatsAllowed(instruction, repeats) || repeats == 0) return;
  const Element type = TypeOf(src);
  const uint32_t lane_count = kRepeatBytes * 8 / ElementBits(type);
  const Plan plan = PlanMask(Mask::Prefix(lane_count), static_cast<uint32_t>(repeats), lane_count);
  kse_operand to = dst;
  if (to.block_stride == 0) to.block_stride = 1;  // as documented
  const Operand table = BindRange(core, instruction, offsets, uint64_t{plan.repeats} * 32, AccessKind::kRead);
  const Operand out = Bind(core, instruction, to, plan, AccessKind::kWrite);
  if (!instruction.ok() || !CheckAligned(instruction, src, kBlockBytes)) return;
  instruction.RequireDefined(table.data, uint64_t{plan.repeats} * 32, "the addresses of gathered blocks");
  std::vector<uint32_t> starts(uint64_t{plan.repeats} * 8);
  std::memcpy(starts.data(), table.data, starts.size() * 4);
  for (const uint32_t start : starts) {
    if (start % kBlockBytes == 0) continue;
    instruction.Forbid(absl::StrCat("offset ", start, " is no multiple of 32 bytes; offsets name blocks"));
    return;
  }
  const auto [lowest, highest] = std::minmax_element(starts.begin(), starts.end());
  Declare(instruction, src, {.offset = *lowest, .run_bytes = *highest - *lowest + kBlockBytes}, AccessKind::kRead);
  if (!instruction.ok()) return;
  const std::byte* from = core.Arena(Space::kUb) + src.address;
  for (uint32_t i = 0; i < starts.size(); ++i) {
    std::byte* block =
        out.data + (uint64_t{i / 8} * to.repeat_stride + uint64_t{i % 8} * to.block_stride) * kBlockBytes;
    std::memmove(block, from + starts[i], kBlockBytes);
    core.CopyDefined(block, from + starts[i], kBlockBytes);
  }
  instruction.Issue(Compute::kGather, type, plan.Active(), plan.repeats);
}

void FillBlocks(Core& core, const kse_operand& dst, const kse_tensor& src, int32_t repeats, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  if (!RepeatsAllowed(instruction, repeats) || repeats == 0) return;
  const Element type = TypeOf(src);
  const uint32_t bytes = ElementBits(type) / 8;
  const uint32_t lane_count = kRepeatBytes / bytes;
  const Plan plan = PlanMask(Mask::Prefix(lane_count), static_cast<uint32_t>(repeats), lane_count);
  const Operand from = BindRange(core, instruction, src, uint64_t{plan.repeats} * 8 * bytes, AccessKind::kRead);
  const Operand out = Bind(core, instruction, dst, plan, AccessKind::kWrite);
  if (!instruction.ok()) return;
  for (uint32_t i = 0; i < plan.repeats * 8; ++i) {
    std::byte* block =
        out.data + (uint64_t{i / 8} * dst.repeat_stride + uint64_t{i % 8} * dst.block_stride) * kBlockBytes;
    for (uint32_t at = 0; at < kBlockBytes; at += bytes) {
      std::memcpy(block + at, from.data + uint64_t{i} * bytes, bytes);
      std::memcpy(core.Shadow(block + at), from.shadow + uint64_t{i} * bytes, bytes);
    }
  }
  instruction.Issue(Compute::kBrcb, type, plan.Active(), plan.repeats);
}

}  // namespace kernelsmith::emulator::vector

extern "C" {

using kernelsmith::emulator::Core;
namespace vector = kernelsmith::emulator::vector;

uint64_t kse_vector_gather_mask(const kse_tensor* dst, const kse_operand* src, const kse_operand* pattern,
                                uint8_t fixed, bool counter, uint32_t mask, int32_t repeats, const kse_where* where) {
  return vector::GatherMask(Core::Current(), *dst, *src, pattern, fixed, counter, mask, repeats, *where);
}

void kse_vector_gather(const kse_operand* dst, const kse_tensor* src, const kse_tensor* offsets, uint32_t base,
                       const kse_lanes* lanes, const kse_where* where) {
  vector::Gather(Core::Current(), *dst, *src, *offsets, base, *lanes, *where);
}

void kse_vector_gather_blocks(const kse_operand* dst, const kse_tensor* src, const kse_tensor* offsets, int32_t repeats,
                              const kse_where* where) {
  vector::GatherBlocks(Core::Current(), *dst, *src, *offsets, repeats, *where);
}

void kse_vector_brcb(const kse_operand* dst, const kse_tensor* src, int32_t repeats, const kse_where* where) {
  vector::FillBlocks(Core::Current(), *dst, *src, repeats, *where);
}
}
