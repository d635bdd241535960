// Signals between the cores of a launch: counters by which one core waits for others. Which counter an API uses is a
// family and two numbers; the trace carries a short number for it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

namespace kernelsmith::emulator {

class Signals {
 public:
  enum class Family : uint8_t {
    kAll,    // SyncAll by hardware: scope 0
    kSoft,   // SyncAll by software: scope = cores that take part
    kPair,   // IBSet: scope = address of the workspace, id = block and event
    kCross,  // CrossCoreSetFlag: scope = setting core, id = flag
    kOrder,  // NotifyNextBlock: scope = block
    kGroup,  // Arrive of a GroupBarrier: scope = address of its workspace, id = number of the arriving core
  };
  struct Signal {
    uint32_t number;       // in the trace
    uint32_t set = 0;      // times it was set
    uint32_t awaited = 0;  // times it was awaited
  };

  Signal& Get(Family family, uint64_t scope, uint64_t id) {
    const auto [entry, added] = signals_.try_emplace({family, scope, id}, Signal{next_});
    if (added) ++next_;
    return entry->second;
  }

  // Times a core has awaited a flag (kCross), its predecessor (kOrder) or a group (kGroup).
  uint32_t& Waits(Family family, uint32_t core, uint64_t id) { return waits_[{family, core, id}]; }

 private:
  std::map<std::tuple<Family, uint64_t, uint64_t>, Signal> signals_;
  std::map<std::tuple<Family, uint32_t, uint64_t>, uint32_t> waits_;
  uint32_t next_ = 1;
};

}  // namespace kernelsmith::emulator
