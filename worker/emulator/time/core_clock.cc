#include "worker/emulator/time/core_clock.h"

#include <algorithm>

namespace kernelsmith::emulator {
namespace {

constexpr uint64_t kCacheLine = 64;

// First to last byte of an access.
uint64_t Extent(const Access& access) {
  return uint64_t{access.repeats - 1} * access.repeat_stride + uint64_t{access.runs - 1} * access.run_stride +
         access.run_bytes;
}

}  // namespace

CoreClock::CoreClock(const Costs& costs, bool auto_sync, double start)
    : costs_(costs),
      banks_(costs.bank_groups, costs.bank_bytes),
      auto_sync_(auto_sync),
      start_(start),
      scalar_(start),
      began_(kPipes * costs.queue_depth) {
  free_.fill(start);
  done_.fill(start);
}

void CoreClock::Issue(const Record& record) {
  const double work = record.scalar_steps * costs_.step + costs_.issue;
  scalar_ += work;
  busy_[0] += work;
  if (record.pipe == Pipe::kScalar || record.pipe == Pipe::kAll) return;
  const size_t p = size_t(record.pipe);
  double& began = began_[p * costs_.queue_depth + issued_[p]++ % costs_.queue_depth];
  scalar_ = std::max(scalar_, began);  // the queue is full until that instruction starts
  free_[p] = std::max(free_[p], scalar_);
  began = free_[p];
}

void CoreClock::Occupy(Pipe pipe, double begin, double free, double done) {
  const size_t p = size_t(pipe);
  busy_[p] += std::max(0.0, done - std::max(begin, done_[p]));
  free_[p] = free;
  done_[p] = std::max(done_[p], done);
}

void CoreClock::Remember(const Entry& entry, double done) {
  if (!auto_sync_) return;
  for (const Access& access : entry.accesses) {
    if (access.space != Space::kUb) continue;
    recent_[next_recent_++ % kRecent] = {access.offset, access.offset + Extent(access), done,
                                         access.kind == AccessKind::kWrite};
  }
}

void CoreClock::AwaitCompiled(const Entry& entry) {
  if (!auto_sync_) return;
  const Access& access = entry.accesses.front();
  const bool store = entry.record->kind == Kind::kScalarStore;
  const uint64_t end = access.offset + Extent(access);
  for (const Recent& recent : recent_) {
    if (recent.done <= scalar_ || !(recent.write || store)) continue;
    if (recent.begin < end && access.offset < recent.end) scalar_ = recent.done + costs_.flag;
  }
}

void CoreClock::Compute(const Entry& entry) {
  const Record& record = *entry.record;
  if (record.pipe == Pipe::kScalar) {
    scalar_ += 1;
    busy_[0] += 1;
    return;
  }
  const double begin = free_[size_t(record.pipe)];
  const double end = begin + costs_.Compute(record, banks_.Of(entry));
  Occupy(record.pipe, begin, end, end);
  Remember(entry, end);
}

void CoreClock::LocalMove(const Entry& entry) {
  const double begin = free_[size_t(entry.record->pipe)];
  const double end = begin + costs_.LocalMove(*entry.record);
  Occupy(entry.record->pipe, begin, end, end);
  Remember(entry, end);
}

void CoreClock::GlobalMove(const Entry& entry, SharedMemory& shared) {
  const Record& record = *entry.record;
  const double begin = free_[size_t(record.pipe)];
  const double sends = begin + costs_.transfer_start + (record.a > 1 ? (record.a - 1) * costs_.burst : 0);
  uint64_t bytes = 0;
  L2::Traffic traffic;
  bool reads = true;
  const bool uncached = (record.hints & kUncached) != 0;
  for (const Access& access : entry.accesses) {
    if (access.space != Space::kGlobal) continue;
    reads = access.kind == AccessKind::kRead;
    const uint64_t runs = access.runs * uint64_t{access.repeats};
    bytes += runs * access.run_bytes;
    // Many short rows close to each other fill the lines between them.
    const bool scattered = runs > 1 && runs <= 4096;
    for (uint64_t run = 0; run < (scattered ? runs : 1); ++run) {
      const uint64_t at =
          access.offset + run / access.runs * access.repeat_stride + run % access.runs * access.run_stride;
      const uint64_t end = at + (scattered ? access.run_bytes : runs * access.run_bytes);
      if (uncached) {
        if (reads) traffic.hits += shared.l2.Hits(at, end);
        continue;
      }
      const auto touched = shared.l2.Touch(at, end, !reads);
      traffic.hits += touched.hits;
      traffic.evicted += touched.evicted;
    }
  }
  const double rate = reads ? costs_.core_read_rate : costs_.core_write_rate;
  double end = shared.l2_bandwidth.Transfer(sends, static_cast<double>(bytes), rate);
  if (reads || uncached) {
    const uint64_t missed = bytes - std::min(traffic.hits, bytes);
    end = std::max(end, shared.memory.Transfer(sends, static_cast<double>(missed), rate));
  }
  // What is pushed out takes bandwidth from those who read later, not time from this transfer.
  shared.memory.Transfer(sends, static_cast<double>(traffic.evicted), costs_.memory_rate);
  (reads ? bytes_read_ : bytes_written_) += bytes;
  const double done = end + (reads ? costs_.read_latency : costs_.write_latency);
  Occupy(record.pipe, begin, end, done);
  Remember(entry, done);
}

void CoreClock::Scalar(const Entry& entry, SharedMemory& shared) {
  // One record may stand for a whole loop over neighbouring elements.
  double cost = costs_.scalar_load * (1.0 + entry.record->a);
  if (!entry.accesses.empty()) {
    const Access& access = entry.accesses.front();
    if (access.space == Space::kGlobal) {
      const uint64_t first = access.offset / kCacheLine;
      const uint64_t last = (access.offset + std::max<uint64_t>(Extent(access), 1) - 1) / kCacheLine;
      const uint64_t missed = last - first + (first == cached_line_ ? 0 : 1);
      if (missed > 0) {
        cost += static_cast<double>(missed) * costs_.scalar_global;
        shared.l2.Touch(first * kCacheLine, (last + 1) * kCacheLine, false);
        bytes_read_ += missed * kCacheLine;
      }
      cached_line_ = last;
    } else {
      AwaitCompiled(entry);
    }
  }
  scalar_ += cost;
  busy_[0] += cost;
}

CoreClock::Flag& CoreClock::FlagOf(Pipe source, Pipe waiting, uint32_t event) {
  const uint32_t key = (event * 8 + uint32_t(source)) * 8 + uint32_t(waiting);
  for (Flag& flag : flags_) {
    if (flag.key == key) return flag;
  }
  return flags_.emplace_back(Flag{key, start_});
}

void CoreClock::SetFlag(const Record& record) {
  FlagOf(record.pipe, Pipe(record.a), record.b).time = Done(record.pipe) + costs_.flag;
}

void CoreClock::WaitFlag(const Record& record) {
  const double time = FlagOf(Pipe(record.a), record.pipe, record.b).time;
  if (record.pipe == Pipe::kScalar) {
    scalar_ = std::max(scalar_, time);
  } else {
    double& free = free_[size_t(record.pipe)];
    free = std::max(free, time);
  }
}

void CoreClock::Barrier(Pipe pipe) { Hold(pipe, Done(pipe) + costs_.barrier); }

double CoreClock::Done(Pipe pipe) const {
  if (pipe == Pipe::kScalar) return scalar_;
  if (pipe != Pipe::kAll) return std::max(done_[size_t(pipe)], free_[size_t(pipe)]);
  double done = scalar_;
  for (int p = 1; p < kPipes; ++p) done = std::max(done, Done(Pipe(p)));
  return done;
}

void CoreClock::Hold(Pipe pipe, double time) {
  if (pipe == Pipe::kScalar || pipe == Pipe::kAll) {
    scalar_ = std::max(scalar_, time);
    return;
  }
  double& free = free_[size_t(pipe)];
  free = std::max(free, time);
}

void CoreClock::Report(CoreTime& time) const {
  time.total_us = (Done(Pipe::kAll) - start_) / costs_.cycles_per_us;
  for (int p = 0; p < kPipes; ++p) time.busy_us[p] = busy_[p] / costs_.cycles_per_us;
  time.bytes_read = bytes_read_;
  time.bytes_written = bytes_written_;
}

}  // namespace kernelsmith::emulator
