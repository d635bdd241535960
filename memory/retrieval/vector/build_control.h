// How a long computation runs beside the traffic, and how it is stopped.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace kernelsmith::memory {

struct BuildControl {
  int threads = 2;
  // Both may be empty. Called from the calling thread, several times a second.
  std::function<bool()> cancelled;
  std::function<void(uint32_t done, uint32_t all)> progress;
};

// CANCELLED if someone said so.
inline absl::Status CheckCancelled(const BuildControl& control) {
  if (control.cancelled && control.cancelled()) return absl::CancelledError("building a vector segment was cancelled");
  return absl::OkStatus();
}

}  // namespace kernelsmith::memory
