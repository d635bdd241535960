// Kernels loaded by name from an image, and their launches.
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>

#include "worker/emulator/runtime/client/calls.h"
#include "worker/emulator/runtime/client/kernel_arguments.h"
#include "worker/emulator/runtime/client/kernel_image.h"
#include "worker/emulator/runtime/client/launch.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)

int Load(const char* call, const void* data, size_t bytes, void** handle) {
  if (const int error = RequirePointer(call, data); error != kOk) return error;
  if (const int error = RequirePointer(call, handle); error != kOk) return error;
  const std::shared_ptr<Image> image = AddImage(data, bytes, true);
  if (!image->kernels.empty()) {
    *handle = image.get();
    return kOk;
  }
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  state.images.erase(image.get());
  return Fail(kParamInvalid, std::string(call) + ": no device image of the emulated CANN, or one without kernels");
}

int FindKernel(const char* call, const void* function, Kernel* kernel) {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.kernels.find(function);
  if (found == state.kernels.end()) {
    return Fail(kInvalidHandle, std::string(call) + ": the function is not one; take it from aclrtBinaryGetFunction");
  }
  *kernel = found->second;
  return kOk;
}

}  // namespace

ACL_API void* aclrtCreateBinary(const void* data, size_t bytes) {
  if (data == nullptr || bytes == 0) {
    RequirePointer("aclrtCreateBinary", nullptr);
    return nullptr;
  }
  return AddImage(data, bytes, true).get();
}

ACL_API int aclrtDestroyBinary(void* binary) {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  return state.images.erase(binary) > 0 ? kOk : Fail(kInvalidHandle, "aclrtDestroyBinary: the binary is not one");
}

ACL_API int aclrtBinaryLoad(const void* binary, void** handle) {
  std::shared_ptr<Image> image;
  {
    ProcessState& state = ProcessState::Get();
    kernelsmith::common::MutexLock lock(state.mutex);
    if (const auto found = state.images.find(const_cast<void*>(binary)); found != state.images.end())
      image = found->second;
  }
  if (image == nullptr) return Fail(kInvalidHandle, "aclrtBinaryLoad: the binary is not one, or was destroyed");
  return Load("aclrtBinaryLoad", image->bytes, image->size, handle);
}

ACL_API int aclrtBinaryLoadFromFile(const char* path, void* /*options*/, void** handle) {
  if (const int error = RequirePointer("aclrtBinaryLoadFromFile", path); error != kOk) return error;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(kInvalidFile, std::string("aclrtBinaryLoadFromFile: cannot read ") + path);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  return Load("aclrtBinaryLoadFromFile", bytes.data(), bytes.size(), handle);
}

ACL_API int aclrtBinaryLoadFromData(const void* data, size_t bytes, const void* /*options*/, void** handle) {
  return Load("aclrtBinaryLoadFromData", data, bytes, handle);
}

ACL_API int aclrtBinaryUnLoad(void* handle) {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.images.find(handle);
  if (found == state.images.end())
    return Fail(kInvalidHandle, "aclrtBinaryUnLoad: the binary is not one, or was unloaded");
  for (auto kernel = state.kernels.begin(); kernel != state.kernels.end();) {
    kernel = kernel->second.image == found->second ? state.kernels.erase(kernel) : std::next(kernel);
  }
  state.images.erase(found);
  return kOk;
}

ACL_API int aclrtBinaryGetFunction(const void* handle, const char* name, void** function) {
  constexpr char kCall[] = "aclrtBinaryGetFunction";
  if (const int error = RequirePointer(kCall, name); error != kOk) return error;
  if (const int error = RequirePointer(kCall, function); error != kOk) return error;
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.images.find(const_cast<void*>(handle));
  if (found == state.images.end())
    return Fail(kInvalidHandle, "aclrtBinaryGetFunction: the binary is not one, or was unloaded");
  const std::string kernel = ResolveKernel(found->second->kernels, name);
  if (kernel.empty()) {
    return Fail(kKernelLookup,
                std::string("aclrtBinaryGetFunction: the image has no kernel, or more than one, called ") + name);
  }
  // A handle is the address of the kernel's name in the image's own list: unique, and valid as long as the image.
  for (const std::string& exported : found->second->kernels) {
    if (exported == kernel) *function = const_cast<std::string*>(&exported);
  }
  state.kernels[*function] = {found->second, kernel};
  return kOk;
}

ACL_API int aclrtGetFunctionAttribute(void* function, int /*attribute*/, int64_t* value) {
  if (const int error = RequirePointer("aclrtGetFunctionAttribute", value); error != kOk) return error;
  Kernel kernel;
  if (const int error = FindKernel("aclrtGetFunctionAttribute", function, &kernel); error != kOk) return error;
  return Fail(kFeatureNotSupported, "aclrtGetFunctionAttribute: images of the emulated card carry no attributes");
}

ACL_API int aclrtLaunchKernel(void* function, uint32_t blocks, const void* arguments, size_t bytes, void* stream) {
  LaunchRequest request{.blocks = blocks, .stream = stream};
  if (const int error = FindKernel("aclrtLaunchKernel", function, &request.kernel); error != kOk) return error;
  request.device_arguments = reinterpret_cast<uint64_t>(arguments);
  request.device_argument_bytes = bytes;
  return Launch("aclrtLaunchKernel", request);
}

ACL_API int aclrtLaunchKernelV2(void* function, uint32_t blocks, const void* arguments, size_t bytes, void* /*config*/,
                                void* stream) {
  return aclrtLaunchKernel(function, blocks, arguments, bytes, stream);
}

ACL_API int aclrtLaunchKernelWithConfig(void* function, uint32_t blocks, void* stream, void* /*config*/,
                                        void* arguments, void* /*reserved*/) {
  constexpr char kCall[] = "aclrtLaunchKernelWithConfig";
  LaunchRequest request{.blocks = blocks, .stream = stream};
  if (const int error = FindKernel(kCall, function, &request.kernel); error != kOk) return error;
  return LaunchWithArguments(kCall, request, arguments);
}

// `placeholders`: pairs of uint32_t, where in the arguments an address goes and where in them the data lies.
ACL_API int aclrtLaunchKernelWithHostArgs(void* function, uint32_t blocks, void* stream, void* /*config*/,
                                          void* arguments, size_t bytes, const uint32_t* placeholders, size_t count) {
  constexpr char kCall[] = "aclrtLaunchKernelWithHostArgs";
  if (const int error = RequirePointer(kCall, arguments); error != kOk) return error;
  LaunchRequest request{.blocks = blocks, .stream = stream};
  if (const int error = FindKernel(kCall, function, &request.kernel); error != kOk) return error;
  return LaunchWithBlock(kCall, request, arguments, bytes, placeholders, count);
}

ACL_API int aclrtLaunchKernelWithArgsArray(void* /*function*/, uint32_t /*blocks*/, void* /*stream*/, void* /*config*/,
                                           void** /*arguments*/) {
  return Fail(
      kFeatureNotSupported,
      "aclrtLaunchKernelWithArgsArray: images of the emulated card do not say how many arguments a kernel has; use "
      "aclrtLaunchKernelWithConfig or <<<>>>");
}

ACL_API int aclrtGetHardwareSyncAddr(void** address) {
  if (const int error = RequirePointer("aclrtGetHardwareSyncAddr", address); error != kOk) return error;
  return Fail(kFeatureNotSupported, "aclrtGetHardwareSyncAddr: cores of the emulated card synchronise without memory");
}

ACL_API int aclrtDeviceL2CacheFlush(void* /*stream*/) {
  return Fail(kFeatureNotSupported, "aclrtDeviceL2CacheFlush: the emulated card keeps nothing cached between launches");
}
