// Scalar stores to global memory stay in the core's data cache, in lines of 64 bytes, until DataCacheCleanAndInvalid.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

class CacheLines {
 public:
  static constexpr uint64_t kLineBytes = 64;

  struct Dirty {
    uint16_t core = 0;
    uint32_t record = 0;  // the store
    uint64_t line = 0;    // address
  };

  bool empty() const { return dirty_.empty(); }

  // Returns the store of another core that the same line still holds, if any.
  const Dirty* Store(uint16_t core, uint64_t begin, uint64_t end, uint32_t record);

  // Dirty lines in [begin, end) that a reader does not see: those of other cores, and those of its own core unless it
  // is the scalar unit that reads.
  const Dirty* Stale(uint16_t core, Pipe pipe, uint64_t begin, uint64_t end) const;

  // No accesses: everything of the core.
  void Clean(uint16_t core, absl::Span<const Access> accesses);

  // Removes and returns what the core never cleaned.
  std::vector<Dirty> Leave(uint16_t core);

 private:
  std::map<uint64_t, Dirty> dirty_;  // by line number
};

}  // namespace kernelsmith::emulator
