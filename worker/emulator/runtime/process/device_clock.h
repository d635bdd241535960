// Simulated time of the card: what launches and copies would have taken. It stands still between them. Pure.
#pragma once

#include <cstdint>

#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

class DeviceClock {
 public:
  explicit DeviceClock(const v1::Soc& soc);

  void AddLaunch(double us) { us_ += us; }
  void AddHostCopy(uint64_t bytes);    // over PCIe
  void AddDeviceCopy(uint64_t bytes);  // reads and writes
  void AddFill(uint64_t bytes);

  // In the resolution of event times: 20 ns on cards of this generation.
  uint64_t ticks() const { return static_cast<uint64_t>(us_ * static_cast<double>(ticks_per_ms_) / 1000); }
  uint64_t ticks_per_ms() const { return ticks_per_ms_; }

 private:
  double memory_bytes_per_us_;
  uint64_t ticks_per_ms_;
  double us_ = 0;
};

}  // namespace kernelsmith::emulator
