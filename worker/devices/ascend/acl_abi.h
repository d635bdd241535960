// The part of the AscendCL C ABI that the worker uses: own declarations of facts that are the same in CANN 8.1 and 9.1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelsmith::worker::acl {

using Error = int;
using Handle = void*;  // stream, event

inline constexpr Error kSuccess = 0;
inline constexpr Error kRepeatInitialise = 100002;
inline constexpr Error kStubLibrary = 100039;
inline constexpr Error kStreamTimeout = 507046;  // this side stopped waiting

inline constexpr int kHugePagesFirst = 0;
inline constexpr int kHostToDevice = 1;
inline constexpr int kDeviceToHost = 2;
inline constexpr int kHighBandwidthMemory = 1;
inline constexpr uint32_t kEventTimeLine = 0x8;
inline constexpr uint32_t kStreamFastLaunch = 0x1;
inline constexpr uint32_t kStreamFastSync = 0x2;
inline constexpr uint64_t kStopOnFailure = 1;
inline constexpr int kAiCores = 0;
inline constexpr int kVectorCores = 1;
inline constexpr int kL2Bytes = 2;
inline constexpr int kDriverPackage = 7;

struct PackageVersion {
  char version[128];
  char major[64];
  char minor[64];
  char release[64];
  char patch[64];
  char reserved[128];
};

// X(name, return type, parameters)
#define KERNELSMITH_ACL_REQUIRED(X)                                    \
  X(aclInit, Error, (const char*))                                     \
  X(aclFinalize, Error, ())                                            \
  X(aclGetRecentErrMsg, const char*, ())                               \
  X(aclrtGetSocName, const char*, ())                                  \
  X(aclrtGetDeviceCount, Error, (uint32_t*))                           \
  X(aclrtSetDevice, Error, (int32_t))                                  \
  X(aclrtResetDeviceForce, Error, (int32_t))                           \
  X(aclrtCreateStreamWithConfig, Error, (Handle*, uint32_t, uint32_t)) \
  X(aclrtDestroyStream, Error, (Handle))                               \
  X(aclrtSetStreamFailureMode, Error, (Handle, uint64_t))              \
  X(aclrtSynchronizeStreamWithTimeout, Error, (Handle, int32_t))       \
  X(aclrtSetOpExecuteTimeOut, Error, (uint32_t))                       \
  X(aclrtMalloc, Error, (void**, size_t, int))                         \
  X(aclrtFree, Error, (void*))                                         \
  X(aclrtMemcpy, Error, (void*, size_t, const void*, size_t, int))     \
  X(aclrtMemset, Error, (void*, size_t, int32_t, size_t))              \
  X(aclrtMemsetAsync, Error, (void*, size_t, int32_t, size_t, Handle)) \
  X(aclrtCreateEventWithFlag, Error, (Handle*, uint32_t))              \
  X(aclrtDestroyEvent, Error, (Handle))                                \
  X(aclrtRecordEvent, Error, (Handle, Handle))                         \
  X(aclrtEventElapsedTime, Error, (float*, Handle, Handle))

// Absent in some versions, or only there on an emulated card.
#define KERNELSMITH_ACL_OPTIONAL(X)                           \
  X(aclrtGetLastError, Error, (int))                          \
  X(aclrtGetMemInfo, Error, (int, size_t*, size_t*))          \
  X(aclGetDeviceCapability, Error, (uint32_t, int, int64_t*)) \
  X(aclsysGetCANNVersion, Error, (int, PackageVersion*))      \
  X(kseLabel, const char*, ())                                \
  X(kseReport, size_t, (int32_t, char*, size_t))

}  // namespace kernelsmith::worker::acl
