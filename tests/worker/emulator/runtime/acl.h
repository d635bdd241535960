// libascendcl.so of the build as a worker loads it: by dlopen, with declarations of our own.
//
// Example:
//   EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_DEVICES", "2"}}, [](const Acl& acl) {
//     EXPECT_EQ(acl.aclrtSetDevice(0), 0);
//   }));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kernelsmith::emulator {

struct KseArgument {
  const void* value;
  uint32_t size;
};

// X(name, result, parameters)
#define KERNELSMITH_ACL_FUNCTIONS(X)                                                                   \
  X(aclInit, int, (const char*))                                                                       \
  X(aclFinalize, int, ())                                                                              \
  X(aclGetRecentErrMsg, const char*, ())                                                               \
  X(aclrtGetVersion, int, (int32_t*, int32_t*, int32_t*))                                              \
  X(aclsysGetCANNVersion, int, (int, void*))                                                           \
  X(aclrtGetSocName, const char*, ())                                                                  \
  X(aclrtSetDevice, int, (int32_t))                                                                    \
  X(aclrtResetDevice, int, (int32_t))                                                                  \
  X(aclrtResetDeviceForce, int, (int32_t))                                                             \
  X(aclrtGetDevice, int, (int32_t*))                                                                   \
  X(aclrtGetDeviceCount, int, (uint32_t*))                                                             \
  X(aclrtSynchronizeDevice, int, ())                                                                   \
  X(aclrtSynchronizeDeviceWithTimeout, int, (int32_t))                                                 \
  X(aclrtDeviceTaskAbort, int, (int32_t, uint32_t))                                                    \
  X(aclrtCreateContext, int, (void**, int32_t))                                                        \
  X(aclrtDestroyContext, int, (void*))                                                                 \
  X(aclrtSetCurrentContext, int, (void*))                                                              \
  X(aclrtGetCurrentContext, int, (void**))                                                             \
  X(aclrtCreateStream, int, (void**))                                                                  \
  X(aclrtCreateStreamWithConfig, int, (void**, uint32_t, uint32_t))                                    \
  X(aclrtDestroyStream, int, (void*))                                                                  \
  X(aclrtDestroyStreamForce, int, (void*))                                                             \
  X(aclrtSynchronizeStream, int, (void*))                                                              \
  X(aclrtSynchronizeStreamWithTimeout, int, (void*, int32_t))                                          \
  X(aclrtStreamQuery, int, (void*, int*))                                                              \
  X(aclrtStreamWaitEvent, int, (void*, void*))                                                         \
  X(aclrtSetStreamFailureMode, int, (void*, uint64_t))                                                 \
  X(aclrtMalloc, int, (void**, size_t, int))                                                           \
  X(aclrtFree, int, (void*))                                                                           \
  X(aclrtMallocHost, int, (void**, size_t))                                                            \
  X(aclrtFreeHost, int, (void*))                                                                       \
  X(aclrtMemcpy, int, (void*, size_t, const void*, size_t, int))                                       \
  X(aclrtMemcpyAsync, int, (void*, size_t, const void*, size_t, int, void*))                           \
  X(aclrtMemset, int, (void*, size_t, int32_t, size_t))                                                \
  X(aclrtMemsetAsync, int, (void*, size_t, int32_t, size_t, void*))                                    \
  X(aclrtGetMemInfo, int, (int, size_t*, size_t*))                                                     \
  X(aclrtCreateEvent, int, (void**))                                                                   \
  X(aclrtCreateEventWithFlag, int, (void**, uint32_t))                                                 \
  X(aclrtCreateEventExWithFlag, int, (void**, uint32_t))                                               \
  X(aclrtDestroyEvent, int, (void*))                                                                   \
  X(aclrtRecordEvent, int, (void*, void*))                                                             \
  X(aclrtQueryEventStatus, int, (void*, int*))                                                         \
  X(aclrtQueryEvent, int, (void*, int*))                                                               \
  X(aclrtSynchronizeEvent, int, (void*))                                                               \
  X(aclrtSynchronizeEventWithTimeout, int, (void*, int32_t))                                           \
  X(aclrtEventElapsedTime, int, (float*, void*, void*))                                                \
  X(aclrtEventGetTimestamp, int, (void*, uint64_t*))                                                   \
  X(aclrtSetOpExecuteTimeOut, int, (uint32_t))                                                         \
  X(aclrtSetOpExecuteTimeOutWithMs, int, (uint32_t))                                                   \
  X(aclrtSetOpExecuteTimeOutV2, int, (uint64_t, uint64_t*))                                            \
  X(aclrtGetLastError, int, (int))                                                                     \
  X(aclrtPeekAtLastError, int, (int))                                                                  \
  X(aclGetDeviceCapability, int, (uint32_t, int, int64_t*))                                            \
  X(aclrtGetDeviceInfo, int, (uint32_t, int, int64_t*))                                                \
  X(aclrtCreateBinary, void*, (const void*, size_t))                                                   \
  X(aclrtDestroyBinary, int, (void*))                                                                  \
  X(aclrtBinaryLoad, int, (const void*, void**))                                                       \
  X(aclrtBinaryLoadFromFile, int, (const char*, void*, void**))                                        \
  X(aclrtBinaryLoadFromData, int, (const void*, size_t, const void*, void**))                          \
  X(aclrtBinaryUnLoad, int, (void*))                                                                   \
  X(aclrtBinaryGetFunction, int, (const void*, const char*, void**))                                   \
  X(aclrtLaunchKernel, int, (void*, uint32_t, const void*, size_t, void*))                             \
  X(aclrtLaunchKernelWithConfig, int, (void*, uint32_t, void*, void*, void*, void*))                   \
  X(aclrtLaunchKernelWithHostArgs, int, (void*, uint32_t, void*, void*, void*, size_t, void*, size_t)) \
  X(aclrtLaunchKernelWithArgsArray, int, (void*, uint32_t, void*, void*, void**))                      \
  X(aclrtKernelArgsInit, int, (void*, void**))                                                         \
  X(aclrtKernelArgsInitByUserMem, int, (void*, void*, void*, size_t))                                  \
  X(aclrtKernelArgsGetMemSize, int, (void*, size_t, size_t*))                                          \
  X(aclrtKernelArgsGetHandleMemSize, int, (void*, size_t*))                                            \
  X(aclrtKernelArgsAppend, int, (void*, void*, size_t, void**))                                        \
  X(aclrtKernelArgsAppendPlaceHolder, int, (void*, void**))                                            \
  X(aclrtKernelArgsGetPlaceHolderBuffer, int, (void*, void*, size_t, void**))                          \
  X(aclrtKernelArgsParaUpdate, int, (void*, void*, void*, size_t))                                     \
  X(aclrtKernelArgsFinalize, int, (void*))                                                             \
  X(kseRegisterImage, void*, (const void*, size_t))                                                    \
  X(kseRegisterKernel, void, (void*, const void*, const char*))                                        \
  X(kseLaunch, int, (const void*, uint32_t, void*, const KseArgument*, uint32_t))                      \
  X(kseLabel, const char*, ())                                                                         \
  X(kseReport, size_t, (int32_t, char*, size_t))

enum CopyKind { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice };

struct Acl {
#define X(name, result, parameters) result(*name) parameters;
  KERNELSMITH_ACL_FUNCTIONS(X)
#undef X

  // Message of the last error of this thread, "" if there is none. Clears it.
  std::string Message() const;
  // Device memory that holds the values; dies with the process.
  template <typename T>
  T* Upload(const std::vector<T>& values) const {
    void* memory = nullptr;
    aclrtMalloc(&memory, values.size() * sizeof(T), 0);
    aclrtMemcpy(memory, values.size() * sizeof(T), values.data(), values.size() * sizeof(T), kHostToDevice);
    return static_cast<T*>(memory);
  }
  template <typename T>
  std::vector<T> Download(const T* memory, size_t count) const {
    std::vector<T> values(count);
    aclrtMemcpy(values.data(), count * sizeof(T), memory, count * sizeof(T), kDeviceToHost);
    return values;
  }
  std::string Report(int device) const;
};

// Path of the library in the build.
std::string AclLibrary();
// Loads it into this process; aborts the test if something is missing.
Acl LoadAcl();

using Environment = std::vector<std::pair<std::string, std::string>>;

// Runs `body` in a process of its own, for the library keeps state and reads the environment once. True if it returned
// and nothing in it failed.
bool InProcess(const Environment& environment, const std::function<void(const Acl&)>& body);
// What it printed to standard output, too.
bool InProcess(const Environment& environment, const std::function<void(const Acl&)>& body, std::string* output);

// Device processes that are children of this process.
std::vector<int> DeviceProcesses(int parent);
// Polls until the condition holds; false after ten seconds.
bool Eventually(const std::function<bool()>& condition);
// The process exists and is no zombie.
bool Lives(int pid);

}  // namespace kernelsmith::emulator
