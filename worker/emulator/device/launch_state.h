// What the cores of one launch share: the trace, global memory, signals between cores, the scheduler, and how it ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "worker/emulator/device/executor.h"
#include "worker/emulator/device/image.h"
#include "worker/emulator/device/scheduler.h"
#include "worker/emulator/device/signals.h"

namespace kernelsmith::emulator {

class LaunchState {
 public:
  LaunchState(const Launch& launch, const v1::Soc& soc, const GlobalMemory& memory, const Image& image, int console,
              TraceBuffer& trace)
      : launch_(launch), soc_(soc), memory_(memory), image_(image), console_(console), trace_(trace) {}

  const Launch& launch() const { return launch_; }
  const v1::Soc& soc() const { return soc_; }
  const Image& image() const { return image_; }
  TraceBuffer& trace() { return trace_; }
  Scheduler& scheduler() { return *scheduler_; }
  void set_scheduler(Scheduler* scheduler) { scheduler_ = scheduler; }
  Signals& signals() { return signals_; }
  uint32_t blocks() const { return launch_.blocks; }
  // Cores that run side by side.
  uint32_t cores() const;

  // Index of a static string of an image or of this program.
  uint32_t StaticText(const char* text);
  uint32_t Text(std::string_view text) { return trace_.Text(text.data(), text.size()); }
  // Whether one more finding about `check` at a place is worth a record; the same place over and over is not.
  bool AdmitFinding(Check check, const char* file, uint32_t line);

  // The allocation that holds all of the bytes; null if none does.
  const Allocation* Find(uint64_t address, uint64_t bytes);
  // "64 bytes past the end of the allocation of 4096 bytes at 0x12c0000000"
  std::string Describe(uint64_t address) const;

  // How the launch ends; the first call decides.
  void End(LaunchEnd end, std::string message);
  LaunchEnd end() const { return end_; }
  const std::string& message() const { return message_; }
  // No core shall run on.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // Output of the kernel.
  void Print(std::string_view text);

  // Workspace of the system (SetSysWorkspace).
  uint64_t system_workspace = 0;

 private:
  const Launch& launch_;
  const v1::Soc& soc_;
  const GlobalMemory& memory_;
  const Image& image_;
  int console_;
  TraceBuffer& trace_;
  Scheduler* scheduler_ = nullptr;
  Signals signals_;
  std::unordered_map<const void*, uint32_t> texts_;
  std::map<std::tuple<Check, const char*, uint32_t>, uint32_t> findings_;
  size_t last_allocation_ = 0;
  LaunchEnd end_ = LaunchEnd::kDone;
  std::string message_;
  bool stopped_ = false;
};

}  // namespace kernelsmith::emulator
