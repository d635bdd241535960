// Start and end of ACL, errors, versions.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "worker/emulator/runtime/client/calls.h"
#include "worker/emulator/runtime/kse.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)

constexpr char kCannVersion[] = "9.1.0";  // whose interface this is

struct PackageVersion {  // aclCANNPackageVersion
  char version[128];
  char major[64];
  char minor[64];
  char release[64];
  char patch[64];
  char reserved[128];
};

void CopyText(char* to, size_t room, const char* text) { std::snprintf(to, room, "%s", text); }

}  // namespace

ACL_API int aclInit(const char* config_path) {
  if (config_path != nullptr && *config_path != '\0' && !std::ifstream(config_path)) {
    return Fail(kInvalidFile, std::string("aclInit: cannot read ") + config_path + "; pass null or a JSON file");
  }
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  if (state.initialized > 0) return Fail(kRepeatInitialize, "aclInit: called before; it is needed once per process");
  state.initialized = 1;
  return kOk;
}

ACL_API int aclFinalize(void) {
  ProcessState& state = ProcessState::Get();
  std::vector<int> devices;
  {
    kernelsmith::common::MutexLock lock(state.mutex);
    if (state.initialized == 0) return Fail(kRepeatFinalize, "aclFinalize: called before, or without aclInit");
    state.initialized = 0;
    for (const auto& [device, use] : state.cards) devices.push_back(device);
  }
  for (const int device : devices) CloseCard("aclFinalize", device, true);
  return kOk;
}

ACL_API int aclFinalizeReference(uint64_t* references) {
  const int error = aclFinalize();
  if (error == kOk && references != nullptr) *references = 0;
  return error;
}

ACL_API const char* aclGetRecentErrMsg(void) { return TakeLastText(); }
ACL_API int aclrtPeekAtLastError(int /*level*/) { return PeekLastCode(); }
ACL_API int aclrtGetLastError(int /*level*/) { return TakeLastCode(); }

ACL_API int aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
  if (major == nullptr || minor == nullptr || patch == nullptr) return RequirePointer("aclrtGetVersion", nullptr);
  *major = 1;
  *minor = 17;
  *patch = 0;
  return kOk;
}

ACL_API int aclsysGetCANNVersion(int package, void* out) {
  if (const int error = RequirePointer("aclsysGetCANNVersion", out); error != kOk) return error;
  if (package < 0 || package > 7) return Fail(kInvalidParam, "aclsysGetCANNVersion: the package is one of 0 to 7");
  PackageVersion version{};
  CopyText(version.version, sizeof(version.version), kCannVersion);
  CopyText(version.major, sizeof(version.major), "9");
  CopyText(version.minor, sizeof(version.minor), "1");
  CopyText(version.release, sizeof(version.release), "0");
  CopyText(version.reserved, sizeof(version.reserved), kseLabel());
  std::memcpy(out, &version, sizeof(version));
  return kOk;
}

ACL_API int aclsysGetVersionStr(char* package, char* out) {
  if (package == nullptr || out == nullptr) return RequirePointer("aclsysGetVersionStr", nullptr);
  CopyText(out, 128, kCannVersion);
  return kOk;
}

ACL_API int aclsysGetVersionNum(char* package, int32_t* out) {
  if (package == nullptr || out == nullptr) return RequirePointer("aclsysGetVersionNum", nullptr);
  *out = 90100000;
  return kOk;
}

ACL_API const char* kseLabel(void) { return "emulated-cann " KERNELSMITH_VERSION; }
