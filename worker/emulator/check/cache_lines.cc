#include "worker/emulator/check/cache_lines.h"

#include "worker/emulator/check/shadow.h"

namespace kernelsmith::emulator {

const CacheLines::Dirty* CacheLines::Store(uint16_t core, uint64_t begin, uint64_t end, uint32_t record) {
  const Dirty* shared = nullptr;
  for (uint64_t line = begin / kLineBytes; line * kLineBytes < end; ++line) {
    const auto [entry, fresh] = dirty_.try_emplace(line, Dirty{core, record, line * kLineBytes});
    if (fresh) continue;
    if (entry->second.core == core) {
      entry->second.record = record;
    } else {
      shared = &entry->second;
    }
  }
  return shared;
}

const CacheLines::Dirty* CacheLines::Stale(uint16_t core, Pipe pipe, uint64_t begin, uint64_t end) const {
  for (auto entry = dirty_.lower_bound(begin / kLineBytes); entry != dirty_.end() && entry->first * kLineBytes < end;
       ++entry) {
    if (entry->second.core != core || pipe != Pipe::kScalar) return &entry->second;
  }
  return nullptr;
}

void CacheLines::Clean(uint16_t core, absl::Span<const Access> accesses) {
  if (accesses.empty()) {
    Leave(core);
    return;
  }
  for (const Access& access : accesses) {
    ForEachRun(access, [&](uint64_t begin, uint64_t end) {
      auto entry = dirty_.lower_bound(begin / kLineBytes);
      while (entry != dirty_.end() && entry->first * kLineBytes < end) {
        entry = entry->second.core == core ? dirty_.erase(entry) : std::next(entry);
      }
    });
  }
}

std::vector<CacheLines::Dirty> CacheLines::Leave(uint16_t core) {
  std::vector<Dirty> left;
  for (auto entry = dirty_.begin(); entry != dirty_.end();) {
    if (entry->second.core == core) {
      left.push_back(entry->second);
      entry = dirty_.erase(entry);
    } else {
      ++entry;
    }
  }
  return left;
}

}  // namespace kernelsmith::emulator
