// The process in which one launch runs, as the device process sees it: forked from it, jailed, watched, and gone before
// its trace is read.
//
// Example:
//   auto executor = ExecutorProcess::Start(std::move(launch), soc, memory, memory_bytes);
//   while (!executor->Ended()) { poll(executor->descriptors()); executor->Read(); }   // or executor->Kill("time-out")
//   ExecutorEnd end = executor->Finish();
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/emulator/device/executor.h"
#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

struct ExecutorEnd {
  LaunchEnd end = LaunchEnd::kDone;
  std::string message;  // one line
  std::string console;  // what the kernel printed, at most kConsoleLimit bytes
};

inline constexpr size_t kConsoleLimit = size_t{1} << 20;

// Thread-compatible.
class ExecutorProcess {
 public:
  // RESOURCE_EXHAUSTED if there is no memory for the trace or no process to be had.
  static absl::StatusOr<std::unique_ptr<ExecutorProcess>> Start(const Launch& launch, const v1::Soc& soc,
                                                                const GlobalMemory& memory, uint64_t memory_bytes);
  // Kills it if it still runs.
  ~ExecutorProcess();
  ExecutorProcess(const ExecutorProcess&) = delete;
  ExecutorProcess& operator=(const ExecutorProcess&) = delete;

  int result_descriptor() const { return result_; }
  int console_descriptor() const { return console_; }

  // Takes what can be read without waiting.
  void Read();
  // Nothing more can come: it has ended.
  bool Ended() const { return ended_; }
  // Ends it; Finish says LaunchEnd::kTimeout and this message.
  void Kill(const std::string& message);

  // Reaps. REQUIRES: Ended().
  ExecutorEnd Finish();
  absl::Span<const std::byte> trace() const { return absl::MakeConstSpan(trace_, trace_bytes_); }

 private:
  ExecutorProcess() = default;

  pid_t pid_ = -1;
  int result_ = -1;
  int console_ = -1;
  bool ended_ = false;
  std::string killed_because_;
  std::string result_bytes_;
  std::string console_bytes_;
  bool console_cut_ = false;
  std::byte* trace_ = nullptr;
  size_t trace_bytes_ = 0;
};

}  // namespace kernelsmith::emulator
