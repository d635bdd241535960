#include "worker/emulator/time/banks.h"

#include <algorithm>
#include <vector>

namespace kernelsmith::emulator {
namespace {

constexpr uint64_t kBlock = 32;
constexpr uint32_t kBlocksOfRepeat = 8;
constexpr uint32_t kSeen = 32;       // repeats looked at: groups come round after 16 blocks, so patterns are short
constexpr uint32_t kMaxGroups = 64;  // counted below

// Appends the blocks that a repeat of `repeats` touches.
void AppendBlocks(const Access& access, uint32_t repeat, uint32_t repeats, std::vector<uint64_t>& blocks) {
  uint64_t begin = access.offset;
  uint32_t runs = access.runs;
  uint64_t run_bytes = access.run_bytes;
  if (access.repeats > 1) {
    begin += uint64_t{repeat % access.repeats} * access.repeat_stride;
  } else if (runs > 1) {
    runs = std::max(1U, runs / repeats);
    begin += uint64_t{repeat} * runs * access.run_stride;
  } else {
    run_bytes = std::max<uint64_t>(1, run_bytes / repeats);
    begin += repeat * run_bytes;
  }
  uint32_t left = kBlocksOfRepeat;
  for (uint32_t run = 0; run < runs && left > 0; ++run) {
    const uint64_t at = begin + uint64_t{run} * access.run_stride;
    for (uint64_t block = at / kBlock; block <= (at + run_bytes - 1) / kBlock && left > 0; ++block, --left) {
      blocks.push_back(block);
    }
  }
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

}  // namespace

BankCycles Banks::Of(const Entry& entry) {
  const Record& record = *entry.record;
  if (record.kind != Kind::kCompute || record.pipe != Pipe::kVector || record.d == 0) return {};
  uint64_t key = Mix(1, record.d);
  for (const Access& access : entry.accesses) {
    if (access.space != Space::kUb) return {};
    key = Mix(key, access.offset << 2 | (access.kind == AccessKind::kWrite ? 1 : 0));
    key = Mix(key, uint64_t{access.run_bytes} << 32 | access.runs);
    key = Mix(key, uint64_t{access.run_stride} << 32 | access.repeats);
    key = Mix(key, access.repeat_stride);
  }
  Known& known = known_[key % kKnown];
  if (known.key != key) known = {key, Compute(entry)};
  return known.cycles;
}

BankCycles Banks::Compute(const Entry& entry) const {
  const uint32_t groups = std::min(groups_, kMaxGroups);
  const uint32_t repeats = entry.record->d;
  const uint32_t seen = std::min(repeats, kSeen);
  const uint64_t bank_blocks = bank_bytes_ / kBlock;
  std::vector<uint64_t> reads, writes, written;  // blocks of this repeat, and of the one before
  BankCycles sum{.access = 0, .clashes = 0};
  for (uint32_t repeat = 0; repeat < seen; ++repeat) {
    reads.clear();
    written.swap(writes);
    writes.clear();
    for (const Access& access : entry.accesses) {
      AppendBlocks(access, repeat, repeats, access.kind == AccessKind::kWrite ? writes : reads);
    }
    std::array<uint32_t, kMaxGroups> read{}, write{};
    uint32_t busiest = 1;
    for (const uint64_t block : reads) busiest = std::max(busiest, ++read[block % groups]);
    for (const uint64_t block : writes) busiest = std::max(busiest, ++write[block % groups]);
    const auto clashes = [&](uint64_t block) {
      return std::any_of(written.begin(), written.end(), [&](uint64_t other) {
        return other % groups == block % groups && other / bank_blocks == block / bank_blocks;
      });
    };
    sum.access += busiest;
    sum.clashes += std::any_of(reads.begin(), reads.end(), clashes) ? 1 : 0;
  }
  return {sum.access / seen, sum.clashes / seen};
}

}  // namespace kernelsmith::emulator
