// What must be complete before what: vector clocks over the pipes of each core, and of the cores over each other.
//
// A pipe's work is cut into epochs. SetFlag<A_B>, a barrier and a signal to other cores end the epoch of the pipe they
// follow; whoever learns of them knows that everything of that epoch and before is complete. An instruction on pipe P
// starts after all that P has acquired (WaitFlag, PipeBarrier) and all that the scalar unit had acquired when it issued
// the instruction; merely being issued later orders nothing (see docs/emulator.md for the documents behind each rule).
//
// Example:
//   order.SetFlag(core, Pipe::kMte2, Pipe::kVector, 0);
//   order.WaitFlag(core, Pipe::kMte2, Pipe::kVector, 0);
//   order.Ordered({.epoch, .core, .pipe = Pipe::kMte2}, core, Pipe::kVector);  // true
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "worker/emulator/check/shadow.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// By pipe: all epochs up to this one are complete.
struct Clock {
  std::array<uint32_t, kPipes + 1> at = {};

  void Join(const Clock& other) {
    for (size_t i = 0; i < at.size(); ++i) at[i] = at[i] < other.at[i] ? other.at[i] : at[i];
  }
};

class Order {
 public:
  // `max_cores`: how many run side by side. When more than those wait for each other, which hangs on hardware, order
  // between cores is not followed any more.
  Order(uint32_t cores, uint32_t max_cores) : cores_(cores), max_cores_(max_cores) {}

  void Launch(uint16_t core, CoreKind kind) { cores_[core].kind = kind; }
  // To be called before each record of a core: a core that left SyncAll learns what the others did before it.
  void Enter(uint16_t core) {
    if (cores_[core].synchronizing) Resolve(core);
  }
  void End(uint16_t core);

  // The stamp of a touch by `pipe`, now.
  Stamp Touch(uint16_t core, Pipe pipe, uint32_t record, bool atomic);

  // True if the earlier touch is complete before an instruction issued now on `pipe` of `core` starts.
  bool Ordered(const Stamp& earlier, uint16_t core, Pipe pipe) const;

  // Returns false if the flag was set already.
  bool SetFlag(uint16_t core, Pipe source, Pipe waiting, uint32_t event, uint32_t record);
  // Returns false if it was not set.
  bool WaitFlag(uint16_t core, Pipe source, Pipe waiting, uint32_t event);
  // Records of the sets that nobody waited for.
  std::vector<uint32_t> LeftFlags(uint16_t core) const;

  // Returns false if there was nothing to wait for.
  bool Barrier(uint16_t core, Pipe pipe);
  // As the compiler inserts it between two pipes: everything of `source` so far before everything of `waiting` from now
  // on.
  void Edge(uint16_t core, Pipe source, Pipe waiting);

  void SyncAll(uint16_t core, bool all_kinds, uint32_t generation);
  void SyncSet(uint16_t core, Pipe pipe, uint32_t signal);
  void SyncWait(uint16_t core, uint32_t signal);

 private:
  struct Flag {
    uint16_t key;
    uint32_t count = 0;
    uint32_t record = 0;
    Clock clock;
  };
  struct Arrival {
    uint32_t generation = 0;
    Clock clock;
  };
  struct CoreOrder {
    CoreKind kind = CoreKind::kAiv;
    std::array<Clock, kPipes> acquired;
    std::array<uint32_t, kPipes> epoch = {1, 1, 1, 1, 1, 1, 1};
    std::array<bool, kPipes> used = {};  // touched something in the current epoch
    std::vector<Flag> flags;
    bool synchronizing = false;
    bool all_kinds = false;
    uint32_t generation = 0;
    Arrival arrivals[2][2];     // by scope and parity of the generation
    std::vector<Clock> remote;  // by core; empty until a core learns of others
  };

  Clock Release(CoreOrder& core, Pipe pipe);
  Clock ReleaseAll(CoreOrder& core);
  void AcquireAll(CoreOrder& core, const Clock& clock);
  bool Follows();
  std::vector<Clock>& Remote(CoreOrder& core);
  void Resolve(uint16_t core);
  Flag& FlagOf(CoreOrder& core, Pipe source, Pipe waiting, uint32_t event);

  std::vector<CoreOrder> cores_;
  uint32_t max_cores_;
  bool across_ = true;
  absl::flat_hash_map<uint32_t, std::vector<Clock>> signals_;
};

}  // namespace kernelsmith::emulator
