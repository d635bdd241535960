// A libascendcl.so for tests: the card is host memory, launches are calls, and errors are those that the variable
// KERNELSMITH_EMULATED_SOC asks for: "stub", "nodevice", "sync=507035", "malloc=207001", "set=507899". It has no kse
// symbols, so the worker takes it for a real card.
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Error = int;
using Handle = void*;

struct Event {
  double ms;
};

double g_clock_ms = 0;
Error g_pending = 0;
const char* g_message = nullptr;

// The code after "key=" in the script; 0 if it is not there.
Error Scripted(const char* key) {
  const char* script = std::getenv("KERNELSMITH_EMULATED_SOC");
  const char* found = script == nullptr ? nullptr : std::strstr(script, key);
  return found == nullptr ? 0 : std::atoi(found + std::strlen(key));
}

bool Asked(const char* word) {
  const char* script = std::getenv("KERNELSMITH_EMULATED_SOC");
  return script != nullptr && std::strstr(script, word) != nullptr;
}

Error Fail(Error code, const char* message) {
  if (code != 0) g_message = message;
  return code;
}

}  // namespace

extern "C" {

Error aclInit(const char*) { return Asked("stub") ? 100039 : 0; }
Error aclFinalize() { return 0; }
const char* aclGetRecentErrMsg() {
  const char* message = g_message;
  g_message = nullptr;
  return message;
}
const char* aclrtGetSocName() { return "Ascend910B3"; }
Error aclrtGetDeviceCount(uint32_t* count) {
  *count = 2;
  return 0;
}
Error aclrtSetDevice(int32_t device) {
  if (Asked("nodevice") || device > 1) return Fail(107001, "EE1001: there is no such device");
  return Fail(Scripted("set="), "EE9999: the driver is gone");
}
Error aclrtResetDeviceForce(int32_t) { return 0; }
Error aclrtCreateStreamWithConfig(Handle* stream, uint32_t, uint32_t) {
  static int stream_object;
  *stream = &stream_object;
  return 0;
}
Error aclrtDestroyStream(Handle) { return 0; }
Error aclrtSetStreamFailureMode(Handle, uint64_t) { return 0; }
Error aclrtSynchronizeStreamWithTimeout(Handle, int32_t) {
  if (g_pending == 0) g_pending = Scripted("sync=");
  return Fail(g_pending, "EZ9999: The error from device, there is an exception of aivec error");
}
Error aclrtSetOpExecuteTimeOut(uint32_t) { return 0; }
Error aclrtMalloc(void** memory, size_t bytes, int) {
  if (const Error code = Scripted("malloc="); code != 0) return Fail(code, "EL0004: out of memory");
  *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  return 0;
}
Error aclrtFree(void* memory) {
  std::free(memory);
  return 0;
}
Error aclrtMemcpy(void* to, size_t capacity, const void* from, size_t bytes, int) {
  if (capacity < bytes) return 107000;
  std::memcpy(to, from, bytes);
  return 0;
}
Error aclrtMemset(void* to, size_t capacity, int32_t value, size_t bytes) {
  if (capacity < bytes) return 107000;
  std::memset(to, value, bytes);
  return 0;
}
Error aclrtMemsetAsync(void* to, size_t capacity, int32_t value, size_t bytes, Handle) {
  return aclrtMemset(to, capacity, value, bytes);
}
Error aclrtCreateEventWithFlag(Handle* event, uint32_t) {
  *event = new Event{-1};
  return 0;
}
Error aclrtDestroyEvent(Handle event) {
  delete static_cast<Event*>(event);
  return 0;
}
// Every record happens a hundredth of a millisecond after the one before.
Error aclrtRecordEvent(Handle event, Handle) {
  g_clock_ms += 0.01;
  static_cast<Event*>(event)->ms = g_clock_ms;
  return 0;
}
Error aclrtEventElapsedTime(float* ms, Handle from, Handle to) {
  const double begin = static_cast<Event*>(from)->ms;
  const double end = static_cast<Event*>(to)->ms;
  if (begin < 0 || end < 0) return 507000;
  *ms = static_cast<float>(end - begin);
  return 0;
}
Error aclrtGetLastError(int) { return 0; }
Error aclGetDeviceCapability(uint32_t, int what, int64_t* value) {
  *value = what == 0 ? 20 : 40;
  return 0;
}
Error aclrtGetMemInfo(int, size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = *total_bytes = size_t{1} << 30;
  return 0;
}

}  // extern "C"
