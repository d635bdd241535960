#include "worker/emulator/runtime/process/device_clock.h"

#include <algorithm>

namespace kernelsmith::emulator {
namespace {

constexpr double kHostBytesPerUs = 24e3;  // fitted: PCIe 4.0 x16 in practice
constexpr double kCopyStartUs = 5;        // fitted
constexpr uint64_t kDefaultTicksPerMs = 50000;

}  // namespace

DeviceClock::DeviceClock(const v1::Soc& soc)
    : memory_bytes_per_us_(std::max(soc.memory_bytes_per_s().value() / 1e6, 1.0)),
      ticks_per_ms_(static_cast<uint64_t>(soc.device_ticks_per_ms().value())) {
  if (ticks_per_ms_ == 0) ticks_per_ms_ = kDefaultTicksPerMs;
}

void DeviceClock::AddHostCopy(uint64_t bytes) { us_ += kCopyStartUs + static_cast<double>(bytes) / kHostBytesPerUs; }
void DeviceClock::AddDeviceCopy(uint64_t bytes) {
  us_ += kCopyStartUs + 2 * static_cast<double>(bytes) / memory_bytes_per_us_;
}
void DeviceClock::AddFill(uint64_t bytes) { us_ += kCopyStartUs + static_cast<double>(bytes) / memory_bytes_per_us_; }

}  // namespace kernelsmith::emulator
