// Texts of errors in the form CANN's logs have, so that whoever parses those parses ours: a first line that says what
// kind it is, then "<code>[PID: n] <time> (<code>):  <reason>", then how it got there.
#pragma once

#include <cstdint>
#include <string>

namespace kernelsmith::emulator {

// Now, as "2026-08-22-14:14:25.036.721".
std::string ErrorTime();

// `code` as "EE1001" (an argument) or "EE9999".
std::string ErrorText(const char* code, int pid, const std::string& time, const std::string& reason);

// What ends a kernel on a card.
enum class FaultKind { kException, kTimeout };

struct Fault {
  FaultKind kind = FaultKind::kException;
  bool cube = false;  // an AIC core, or a kernel that uses both
  uint32_t device = 0;
  uint32_t stream = 0;
  uint64_t task = 0;  // sequence number
  uint32_t core = 0;
  uint64_t error_bits = 0;   // the core's error register
  std::string error_string;  // "VEC instruction error: the ub address out of bounds."
  std::string kernel;
  std::string explanation;  // ours: operation, file, line
};

// 507014, 507015 or 507035. A time-out is 507014 for vector kernels too: that is what cards of this generation return.
int FaultCode(const Fault& fault);
std::string FaultText(const Fault& fault, int pid, const std::string& time);

}  // namespace kernelsmith::emulator
