// Entry points that the compiler's instrumentation of device code calls: one before every load and store through a
// pointer (the names of the kernel address sanitizer) and one at the start of every basic block.

#include <cstring>

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/scalar_access.h"

using kernelsmith::emulator::CheckRawAccess;
using kernelsmith::emulator::Core;

#define KSE_ACCESS(bytes)                                                                                   \
  void __asan_load##bytes(uintptr_t address) { CheckRawAccess(address, bytes, /*store=*/false); }           \
  void __asan_store##bytes(uintptr_t address) { CheckRawAccess(address, bytes, /*store=*/true); }           \
  void __asan_load##bytes##_noabort(uintptr_t address) { CheckRawAccess(address, bytes, /*store=*/false); } \
  void __asan_store##bytes##_noabort(uintptr_t address) { CheckRawAccess(address, bytes, /*store=*/true); }

extern "C" {

void __sanitizer_cov_trace_pc() {
  if (Core* core = Core::CurrentOrNull()) core->Step();
}

KSE_ACCESS(1)
KSE_ACCESS(2)
KSE_ACCESS(4)
KSE_ACCESS(8)
KSE_ACCESS(16)

void __asan_loadN(uintptr_t address, size_t bytes) { CheckRawAccess(address, bytes, /*store=*/false); }
void __asan_storeN(uintptr_t address, size_t bytes) { CheckRawAccess(address, bytes, /*store=*/true); }
void __asan_loadN_noabort(uintptr_t address, size_t bytes) { CheckRawAccess(address, bytes, /*store=*/false); }
void __asan_storeN_noabort(uintptr_t address, size_t bytes) { CheckRawAccess(address, bytes, /*store=*/true); }

void* __asan_memcpy(void* to, const void* from, size_t bytes) {
  CheckRawAccess(reinterpret_cast<uintptr_t>(from), bytes, /*store=*/false);
  CheckRawAccess(reinterpret_cast<uintptr_t>(to), bytes, /*store=*/true);
  return std::memmove(to, from, bytes);
}
void* __asan_memmove(void* to, const void* from, size_t bytes) { return __asan_memcpy(to, from, bytes); }
void* __asan_memset(void* to, int value, size_t bytes) {
  CheckRawAccess(reinterpret_cast<uintptr_t>(to), bytes, /*store=*/true);
  return std::memset(to, value, bytes);
}
void __asan_handle_no_return() {}

}  // extern "C"

#undef KSE_ACCESS
