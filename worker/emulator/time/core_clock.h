// The clocks of one core: its scalar unit issues, its pipes work side by side. Times are cycles since the launch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "worker/emulator/time/bandwidth.h"
#include "worker/emulator/time/costs.h"
#include "worker/emulator/time/time.h"
#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {

// What the cores of a launch share.
struct SharedMemory {
  explicit SharedMemory(const Costs& costs, uint64_t l2_bytes)
      : memory(costs.memory_rate), l2_bandwidth(costs.l2_rate), l2(l2_bytes) {}
  SharedBandwidth memory;
  SharedBandwidth l2_bandwidth;
  L2 l2;
};

class CoreClock {
 public:
  CoreClock(const Costs& costs, bool auto_sync, double start);

  // Scalar code before a record, and handing it to its pipe.
  void Issue(const Record& record);
  // When the transfer of a record that was issued starts.
  double Start(const Record& record) const { return free_[size_t(record.pipe)]; }

  void Compute(const Entry& entry);
  void LocalMove(const Entry& entry);
  // A transfer between global memory and the core.
  void GlobalMove(const Entry& entry, SharedMemory& shared);
  void Scalar(const Entry& entry, SharedMemory& shared);

  void SetFlag(const Record& record);
  void WaitFlag(const Record& record);
  void Barrier(Pipe pipe);

  // When everything that was issued to `pipe` (kAll: to any) is complete.
  double Done(Pipe pipe) const;
  // Nothing of `pipe` (kScalar and kAll: of the whole core) starts before `time`.
  void Hold(Pipe pipe, double time);

  double start() const { return start_; }
  // Fills busy times and bytes.
  void Report(CoreTime& time) const;

 private:
  struct Flag {
    uint32_t key;
    double time;
  };
  // A recent touch of UB by another pipe, for the waits that the compiler inserts before scalar accesses.
  struct Recent {
    uint64_t begin = 0, end = 0;
    double done = 0;
    bool write = false;
  };
  static constexpr size_t kRecent = 16;

  Flag& FlagOf(Pipe source, Pipe waiting, uint32_t event);
  void Occupy(Pipe pipe, double begin, double free, double done);
  void Remember(const Entry& entry, double done);
  void AwaitCompiled(const Entry& entry);

  const Costs& costs_;
  Banks banks_;
  bool auto_sync_;
  double start_;
  double scalar_;
  std::array<double, kPipes> free_;  // when the pipe can start its next instruction
  std::array<double, kPipes> done_;
  std::array<double, kPipes> busy_ = {};
  std::array<uint32_t, kPipes> issued_ = {};
  std::vector<double> began_;  // of the last queue_depth instructions of each pipe
  std::vector<Flag> flags_;
  std::array<Recent, kRecent> recent_;
  size_t next_recent_ = 0;
  uint64_t cached_line_ = ~uint64_t{0};
  uint64_t bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace kernelsmith::emulator
