// Turns signals that code of a kernel raises (division by zero, wild pointers, bad instructions, stack overflow) into
// the end of that core. One at a time per process.
#pragma once

#include <signal.h>

#include <array>

namespace kernelsmith::emulator {

class LaunchState;

class FaultHandler {
 public:
  // Installs handlers for the launch; signals outside of a kernel keep their meaning.
  explicit FaultHandler(LaunchState& launch);
  ~FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

 private:
  std::array<struct sigaction, 5> before_{};
  stack_t stack_before_{};
};

}  // namespace kernelsmith::emulator
