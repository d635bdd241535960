#include "worker/emulator/check/order.h"

#include <algorithm>

namespace kernelsmith::emulator {
namespace {

// No honest kernel has more signals between cores.
constexpr size_t kMaxSignals = 1 << 14;

}  // namespace

Clock Order::Release(CoreOrder& core, Pipe pipe) {
  const size_t p = size_t(pipe);
  Clock& acquired = core.acquired[p];
  if (pipe != Pipe::kScalar) acquired.Join(core.acquired[0]);
  Clock clock = acquired;
  clock.at[p] = std::max(clock.at[p], core.used[p] ? core.epoch[p] : core.epoch[p] - 1);
  if (core.used[p]) {
    ++core.epoch[p];
    core.used[p] = false;
  }
  return clock;
}

Clock Order::ReleaseAll(CoreOrder& core) {
  Clock clock;
  for (int p = 0; p < kPipes; ++p) clock.Join(Release(core, Pipe(p)));
  return clock;
}

void Order::AcquireAll(CoreOrder& core, const Clock& clock) {
  for (Clock& acquired : core.acquired) acquired.Join(clock);
}

void Order::End(uint16_t core) { cores_[core].flags = {}; }

Stamp Order::Touch(uint16_t core, Pipe pipe, uint32_t record, bool atomic) {
  CoreOrder& self = cores_[core];
  const size_t p = size_t(pipe);
  if (pipe != Pipe::kScalar) self.acquired[p].Join(self.acquired[0]);
  self.used[p] = true;
  return {.epoch = self.epoch[p], .record = record, .core = core, .pipe = pipe, .atomic = atomic};
}

bool Order::Ordered(const Stamp& earlier, uint16_t core, Pipe pipe) const {
  const CoreOrder& self = cores_[core];
  const size_t p = size_t(earlier.pipe);
  if (earlier.core == core) {
    if (earlier.pipe == Pipe::kScalar && pipe == Pipe::kScalar) return true;
    return self.acquired[size_t(pipe)].at[p] >= earlier.epoch;
  }
  return !across_ || (!self.remote.empty() && self.remote[earlier.core].at[p] >= earlier.epoch);
}

Order::Flag& Order::FlagOf(CoreOrder& core, Pipe source, Pipe waiting, uint32_t event) {
  const auto key = static_cast<uint16_t>((event * 8 + uint32_t(source)) * 8 + uint32_t(waiting));
  for (Flag& flag : core.flags) {
    if (flag.key == key) return flag;
  }
  return core.flags.emplace_back(Flag{.key = key});
}

bool Order::SetFlag(uint16_t core, Pipe source, Pipe waiting, uint32_t event, uint32_t record) {
  CoreOrder& self = cores_[core];
  const Clock clock = Release(self, source);
  Flag& flag = FlagOf(self, source, waiting, event);
  const bool free = flag.count == 0;
  if (free) {
    flag.clock = clock;
    flag.record = record;
  } else {
    flag.clock.Join(clock);
  }
  ++flag.count;
  return free;
}

bool Order::WaitFlag(uint16_t core, Pipe source, Pipe waiting, uint32_t event) {
  CoreOrder& self = cores_[core];
  Flag& flag = FlagOf(self, source, waiting, event);
  self.acquired[size_t(waiting)].Join(flag.clock);
  if (flag.count == 0) return false;
  --flag.count;
  return true;
}

std::vector<uint32_t> Order::LeftFlags(uint16_t core) const {
  std::vector<uint32_t> records;
  for (const Flag& flag : cores_[core].flags) {
    if (flag.count > 0) records.push_back(flag.record);
  }
  std::sort(records.begin(), records.end());
  return records;
}

bool Order::Barrier(uint16_t core, Pipe pipe) {
  CoreOrder& self = cores_[core];
  if (pipe == Pipe::kAll) {
    const Clock known = self.acquired[0];
    const Clock clock = ReleaseAll(self);
    AcquireAll(self, clock);
    return known.at != clock.at;
  }
  Clock& acquired = self.acquired[size_t(pipe)];
  const uint32_t known = acquired.at[size_t(pipe)];
  const Clock clock = Release(self, pipe);
  acquired.Join(clock);
  return known != clock.at[size_t(pipe)];
}

void Order::Edge(uint16_t core, Pipe source, Pipe waiting) {
  CoreOrder& self = cores_[core];
  self.acquired[size_t(waiting)].Join(Release(self, source));
}

// False once order between cores is beyond this analysis; all of it then counts as given.
bool Order::Follows() {
  across_ = across_ && cores_.size() <= max_cores_;
  return across_;
}

std::vector<Clock>& Order::Remote(CoreOrder& core) {
  if (core.remote.empty()) core.remote.resize(cores_.size());
  return core.remote;
}

void Order::SyncAll(uint16_t core, bool all_kinds, uint32_t generation) {
  Barrier(core, Pipe::kAll);
  if (!Follows()) return;
  CoreOrder& self = cores_[core];
  self.arrivals[all_kinds][generation % 2] = {generation, self.acquired[0]};
  self.synchronizing = true;
  self.all_kinds = all_kinds;
  self.generation = generation;
}

// Runs when a core goes on after SyncAll: every other core of its scope has arrived, though perhaps not yet written so.
void Order::Resolve(uint16_t core) {
  CoreOrder& self = cores_[core];
  self.synchronizing = false;
  std::vector<Clock>& known = Remote(self);
  for (size_t other = 0; other < cores_.size(); ++other) {
    CoreOrder& peer = cores_[other];
    if (other == core || (!self.all_kinds && peer.kind != CoreKind::kAiv)) continue;
    const Arrival& arrival = peer.arrivals[self.all_kinds][self.generation % 2];
    known[other].Join(arrival.generation == self.generation ? arrival.clock : ReleaseAll(peer));
    if (self.all_kinds || peer.remote.empty()) continue;
    for (size_t third = 0; third < cores_.size(); ++third) {
      if (cores_[third].kind == CoreKind::kAic) known[third].Join(peer.remote[third]);
    }
  }
}

void Order::SyncSet(uint16_t core, Pipe pipe, uint32_t signal) {
  if (!Follows()) return;
  CoreOrder& self = cores_[core];
  const bool all = pipe == Pipe::kAll || pipe == Pipe::kScalar;
  const Clock own = all ? ReleaseAll(self) : Release(self, pipe);
  if (signals_.size() >= kMaxSignals && signals_.count(signal) == 0) {
    across_ = false;
    return;
  }
  std::vector<Clock>& clocks = signals_[signal];
  clocks.resize(cores_.size());
  clocks[core].Join(own);
  for (size_t i = 0; i < self.remote.size(); ++i) clocks[i].Join(self.remote[i]);
}

void Order::SyncWait(uint16_t core, uint32_t signal) {
  const auto found = signals_.find(signal);
  if (!Follows() || found == signals_.end()) return;
  std::vector<Clock>& known = Remote(cores_[core]);
  for (size_t i = 0; i < known.size(); ++i) known[i].Join(found->second[i]);
  // What comes back to the core that did it, by its own signal or through others, is complete for its own pipes too.
  AcquireAll(cores_[core], found->second[core]);
}

}  // namespace kernelsmith::emulator
