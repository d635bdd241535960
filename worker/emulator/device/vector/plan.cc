#include "worker/emulator/device/vector/plan.h"

#include <algorithm>
#include <bit>

namespace kernelsmith::emulator::vector {

uint32_t Mask::Count() const { return static_cast<uint32_t>(std::popcount(low) + std::popcount(high)); }

uint32_t Mask::End() const {
  if (high != 0) return 128 - static_cast<uint32_t>(std::countl_zero(high));
  return 64 - static_cast<uint32_t>(std::countl_zero(low));
}

Mask Mask::Prefix(uint64_t lanes) {
  const auto bits = [](uint64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
  return {.low = bits(lanes), .high = lanes > 64 ? bits(lanes - 64) : 0};
}

Plan PlanCount(uint64_t count, uint32_t lanes) {
  Plan plan{.lanes = lanes, .repeats = static_cast<uint32_t>((count + lanes - 1) / lanes)};
  plan.mask = Mask::Prefix(lanes);
  plan.last = Mask::Prefix(plan.repeats == 0 ? 0 : count - uint64_t{plan.repeats - 1} * lanes);
  return plan;
}

Plan PlanMask(const Mask& mask, uint32_t repeats, uint32_t lanes) {
  const Mask all = Mask::Prefix(lanes);
  const Mask active{.low = mask.low & all.low, .high = mask.high & all.high};
  return {.lanes = lanes, .repeats = active.Count() == 0 ? 0 : repeats, .mask = active, .last = active};
}

namespace {

struct Run {
  uint64_t offset;
  uint32_t bytes;
};

// Unbroken byte ranges of one repeat, in order of lanes.
std::vector<Run> RunsOf(const Mask& mask, const Lattice& lattice) {
  std::vector<Run> runs;
  const uint32_t end = mask.End();
  const uint32_t step = lattice.bits < 8 ? 2 : 1;  // lanes that share a byte
  for (uint32_t lane = 0; lane < end; lane += step) {
    if (!mask.Has(lane) && !(step == 2 && mask.Has(lane + 1))) continue;
    const uint64_t at = lattice.ByteOf(0, lane);
    const uint32_t bytes = static_cast<uint32_t>(lattice.BytesOf(step));
    if (!runs.empty() && runs.back().offset + runs.back().bytes == at) {
      runs.back().bytes += bytes;
    } else {
      runs.push_back({at, bytes});
    }
  }
  return runs;
}

constexpr size_t kMaxRuns = 3;

// Equal runs at equal distances become one span.
std::vector<Span> Fold(const std::vector<Run>& runs) {
  std::vector<Span> spans;
  for (size_t i = 0; i < runs.size();) {
    size_t j = i + 1;
    const uint64_t stride = j < runs.size() ? runs[j].offset - runs[i].offset : 0;
    while (j < runs.size() && runs[j].bytes == runs[i].bytes && runs[j].offset - runs[j - 1].offset == stride) ++j;
    Span span{.offset = runs[i].offset, .run_bytes = runs[i].bytes};
    if (j - i > 1 && runs[i + 1].offset >= runs[i].offset + (stride == 0 ? 0 : 1)) {
      span.runs = stride == 0 ? 1 : static_cast<uint32_t>(j - i);
      span.run_stride = static_cast<uint32_t>(stride);
    } else {
      j = i + 1;
    }
    spans.push_back(span);
    i = j;
  }
  return spans;
}

std::vector<Span> SpansOfRepeat(const Mask& mask, const Lattice& lattice) {
  std::vector<Run> runs;
  if (mask.IsPrefix() && lattice.block_stride == 1) {
    runs.push_back({0, static_cast<uint32_t>((uint64_t{mask.End()} * lattice.bits + 7) / 8)});
  } else if (lattice.block_stride == 0) {
    runs.push_back({0, static_cast<uint32_t>(std::min<uint64_t>(32, lattice.BytesOf(mask.End())))});
  } else {
    runs = RunsOf(mask, lattice);
  }
  std::vector<Span> spans = Fold(runs);
  if (spans.size() <= kMaxRuns) return spans;
  std::vector<Run> blocks;
  for (const Run& run : runs) {
    const uint64_t block = run.offset / 32 * 32;
    if (blocks.empty() || blocks.back().offset != block) blocks.push_back({block, 32});
  }
  spans = Fold(blocks);
  if (spans.size() <= kMaxRuns) return spans;
  const uint64_t end = runs.back().offset + runs.back().bytes;
  return {{.offset = runs.front().offset, .run_bytes = static_cast<uint32_t>(end - runs.front().offset)}};
}

void Repeat(std::vector<Span>& spans, uint32_t repeats, uint64_t stride) {
  for (Span& span : spans) {
    if (repeats <= 1 || stride == 0) continue;
    if (span.runs == 1 && span.run_bytes == stride) {
      span.run_bytes *= repeats;
    } else {
      span.repeats = repeats;
      span.repeat_stride = static_cast<uint32_t>(stride);
    }
  }
}

}  // namespace

std::vector<Span> Spans(const Plan& plan, const Lattice& lattice) {
  if (plan.repeats == 0) return {};
  if (plan.Dense() && lattice.Flat(plan)) {
    return {{.run_bytes = static_cast<uint32_t>((plan.Active() * lattice.bits + 7) / 8)}};
  }
  const uint64_t stride = uint64_t{lattice.repeat_stride} * 32;
  if (plan.mask == plan.last || plan.repeats == 1) {
    std::vector<Span> spans = SpansOfRepeat(plan.last, lattice);
    Repeat(spans, plan.repeats, stride);
    return spans;
  }
  std::vector<Span> spans = SpansOfRepeat(plan.mask, lattice);
  Repeat(spans, plan.repeats - 1, stride);
  for (Span span : SpansOfRepeat(plan.last, lattice)) {
    span.offset += uint64_t{plan.repeats - 1} * stride;
    spans.push_back(span);
  }
  return spans;
}

}  // namespace kernelsmith::emulator::vector
