#include "worker/emulator/time/replay.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {

Replay::Replay(const TraceReader& trace, const v1::Soc& soc, const TimeOptions& options)
    : trace_(trace),
      options_(options),
      costs_(soc),
      shared_(costs_, static_cast<uint64_t>(soc.l2_bytes())),
      physical_{static_cast<uint32_t>(soc.aiv_cores()), static_cast<uint32_t>(soc.aic_cores())},
      cores_(trace.cores()) {}

void Replay::Index() {
  std::vector<size_t> counts(cores_.size() + 1);
  for (const Entry& entry : trace_) ++counts[entry.record->core + 1];
  for (size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
  for (size_t i = 0; i < cores_.size(); ++i) cores_[i].next = cores_[i].end = counts[i];
  order_.resize(trace_.records());
  for (const Entry& entry : trace_) {
    const Record& record = *entry.record;
    CoreState& core = cores_[record.core];
    order_[core.end++] = trace_.IndexOf(&record);
    if (record.kind == Kind::kLaunch) {
      core.time.block = record.a;
      core.time.sub_block = record.b;
      core.time.kind = CoreKind(record.c);
    }
    if (record.kind == Kind::kSyncAll) ++meetings_[{record.a, record.b}].expected;
  }
  for (size_t i = 0; i < cores_.size(); ++i) {
    waiting_to_start_[size_t(cores_[i].time.kind)].push_back(static_cast<uint16_t>(i));
  }
}

void Replay::StartNext(CoreKind kind, double time) {
  const size_t k = size_t(kind);
  if (started_[k] == waiting_to_start_[k].size()) return;
  const uint16_t core = waiting_to_start_[k][started_[k]++];
  const double start = time + costs_.block_start;
  cores_[core].clock = std::make_unique<CoreClock>(costs_, options_.auto_sync, start);
  turns_.emplace(start, core);
}

absl::StatusOr<LaunchTime> Replay::Run() {
  Index();
  for (const CoreKind kind : {CoreKind::kAiv, CoreKind::kAic}) {
    for (uint32_t i = 0; i < physical_[size_t(kind)]; ++i) StartNext(kind, 0);
  }
  do {
    while (!turns_.empty()) {
      const uint16_t core = turns_.top().second;
      turns_.pop();
      Advance(core);
    }
  } while (trace_.truncated() && ReleaseStuck());
  if (finished_ != cores_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("trace deadlocks: ", cores_.size() - finished_, " of ", cores_.size(),
                     " cores wait for a SyncAll or a signal that never comes; see the findings of the launch"));
  }
  LaunchTime result;
  result.total_us = (costs_.launch + end_) / costs_.cycles_per_us;
  for (CoreState& core : cores_) result.cores.push_back(core.time);
  return result;
}

void Replay::Advance(uint16_t core) {
  CoreState& state = cores_[core];
  while (state.next != state.end) {
    const Entry entry = trace_.At(order_[state.next]);
    if (!state.issued) state.clock->Issue(*entry.record);
    state.issued = true;
    if (!Step(core, entry)) return;
    state.issued = false;
    ++state.next;
  }
  Finish(core);
}

bool Replay::Step(uint16_t core, const Entry& entry) {
  const Record& record = *entry.record;
  CoreClock& clock = *cores_[core].clock;
  switch (record.kind) {
    case Kind::kCompute:
      clock.Compute(entry);
      return true;
    case Kind::kMove: {
      const bool global = record.pipe != Pipe::kScalar &&
                          std::any_of(entry.accesses.begin(), entry.accesses.end(),
                                      [](const Access& access) { return access.space == Space::kGlobal; });
      if (!global) {
        clock.LocalMove(entry);
        return true;
      }
      const double start = clock.Start(record);
      if (!turns_.empty() && start > turns_.top().first) {
        turns_.emplace(start, core);
        return false;
      }
      clock.GlobalMove(entry, shared_);
      return true;
    }
    case Kind::kScalarLoad:
    case Kind::kScalarStore:
      clock.Scalar(entry, shared_);
      return true;
    case Kind::kSetFlag:
      clock.SetFlag(record);
      return true;
    case Kind::kWaitFlag:
      clock.WaitFlag(record);
      return true;
    case Kind::kBarrier:
      clock.Barrier(record.pipe);
      return true;
    case Kind::kSyncAll:
      return SyncAll(core, record);
    case Kind::kSyncSet:
      SyncSet(core, record);
      return true;
    case Kind::kSyncWait:
      return SyncWait(core, record);
    default:
      return true;
  }
}

bool Replay::SyncAll(uint16_t core, const Record& record) {
  Meeting& meeting = meetings_[{record.a, record.b}];
  meeting.time = std::max(meeting.time, cores_[core].clock->Done(Pipe::kAll));
  meeting.waiting.push_back(core);
  if (meeting.waiting.size() < meeting.expected) return false;
  // The last one lets all go on.
  const double time = meeting.time + costs_.sync_all;
  for (const uint16_t other : meeting.waiting) {
    CoreState& state = cores_[other];
    state.clock->Hold(Pipe::kAll, time);
    state.issued = false;
    ++state.next;
    turns_.emplace(time, other);
  }
  meetings_.erase({record.a, record.b});
  return false;
}

void Replay::SyncSet(uint16_t core, const Record& record) {
  const auto key = std::make_pair(record.a, record.b);
  const double time = cores_[core].clock->Done(record.pipe) + costs_.cross_core;
  double& set = signals_[key];
  set = std::max(set, time);
  const auto waiting = waiting_for_signal_.find(key);
  if (waiting == waiting_for_signal_.end()) return;
  for (const uint16_t other : waiting->second) turns_.emplace(set, other);
  waiting_for_signal_.erase(waiting);
}

bool Replay::SyncWait(uint16_t core, const Record& record) {
  const auto set = signals_.find({record.a, record.b});
  if (set == signals_.end()) {
    waiting_for_signal_[{record.a, record.b}].push_back(core);
    return false;
  }
  cores_[core].clock->Hold(record.pipe, set->second);
  return true;
}

bool Replay::ReleaseStuck() {
  const size_t before = turns_.size();
  for (auto& [key, cores] : waiting_for_signal_) {
    signals_[key] = 0;
    for (const uint16_t core : cores) turns_.emplace(0, core);
  }
  waiting_for_signal_.clear();
  return turns_.size() > before;
}

void Replay::Finish(uint16_t core) {
  CoreState& state = cores_[core];
  const double end = state.clock->Done(Pipe::kAll);
  state.clock->Report(state.time);
  state.clock.reset();
  end_ = std::max(end_, end);
  ++finished_;
  StartNext(state.time.kind, end);
}

}  // namespace kernelsmith::emulator
