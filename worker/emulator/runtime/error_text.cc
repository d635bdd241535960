#include "worker/emulator/runtime/error_text.h"

#include <sys/time.h>

#include <cstdio>
#include <ctime>

namespace kernelsmith::emulator {
namespace {

std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::string ErrorTime() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  tm local{};
  ::localtime_r(&now.tv_sec, &local);
  char day[40];
  std::strftime(day, sizeof(day), "%Y-%m-%d-%H:%M:%S", &local);
  char fraction[16];
  std::snprintf(fraction, sizeof(fraction), ".%03d.%03d", static_cast<int>(now.tv_usec / 1000),
                static_cast<int>(now.tv_usec % 1000));
  return std::string(day) + fraction;
}

std::string ErrorText(const char* code, int pid, const std::string& time, const std::string& reason) {
  const std::string name = code;
  return name + (name == "EE1001" ? ": Invalid argument.\n" : ": Inner Error!\n") + name +
         "[PID: " + std::to_string(pid) + "] " + time + " (" + name + "):  " + reason + "\n";
}

int FaultCode(const Fault& fault) {
  if (fault.kind == FaultKind::kTimeout) return 507014;
  return fault.cube ? 507015 : 507035;
}

std::string FaultText(const Fault& fault, int pid, const std::string& time) {
  const char* unit = fault.cube ? "aicore" : "aivec";
  const char* happened = "[vector core exception]";
  const char* ret = "0x31";
  if (fault.kind == FaultKind::kTimeout) {
    happened = "[aicore timeout]";
    ret = "0x25";
  } else if (fault.cube) {
    happened = "[aicore exception]";
    ret = "0x26";
  }
  std::string text =
      ErrorText("EZ9999", pid, time,
                "The error from device(chipId:" + std::to_string(fault.device) + ", dieId:0), serial number is " +
                    std::to_string(fault.task) + ", there is an exception of " + unit + " error, core id is " +
                    std::to_string(fault.core) + ", error code = " + Hex(fault.error_bits) +
                    ", dump info: pc start: 0x0, current: 0x0.[FUNC:RunLaunch][FILE:emulated-device]");
  text += "        TraceBack (most recent call last):\n";
  text +=
      "       The extend info: errcode:(" + Hex(fault.error_bits) + ", 0, 0) errorStr: " + fault.error_string + "\n";
  text += std::string("       Kernel task happen error, retCode=") + ret + ", " + happened + ".\n";
  if (!fault.cube) text += std::string("       AIV Kernel happen error, retCode=") + ret + ".\n";
  text += "       [DFX_INFO]AI Core kernel execution failed, device_id=" + std::to_string(fault.device) +
          ", stream_id=" + std::to_string(fault.stream) + ", task_id=" + std::to_string(fault.task) +
          ", fault kernel_name=" + fault.kernel + ".\n";
  if (!fault.explanation.empty()) text += "       emulated-cann: " + fault.explanation + "\n";
  return text;
}

}  // namespace kernelsmith::emulator
