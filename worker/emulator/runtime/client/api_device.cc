// Devices, contexts and what they can do.
#include <string>
#include <vector>

#include "worker/emulator/runtime/client/calls.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)

int RequireDevice(const char* call, uint32_t device) {
  const Settings& settings = ProcessState::Get().settings();
  if (device >= settings.devices.size()) {
    return Fail(kInvalidDeviceId, std::string(call) + ": there is no device " + std::to_string(device));
  }
  if (!settings.soc) return Fail(kSocVersion, std::string(call) + ": no card is described by " + settings.soc_path);
  return kOk;
}

int SynchronizeAll(const char* call, Deadline deadline) {
  std::shared_ptr<Context> context;
  if (const int error = RequireContext(call, context); error != kOk) return error;
  std::vector<std::shared_ptr<Stream>> streams;
  ProcessState& state = ProcessState::Get();
  {
    kernelsmith::common::MutexLock lock(state.mutex);
    for (const auto& [handle, other] : state.contexts) {
      if (other->card == context->card) streams.push_back(other->default_stream);
    }
    for (const auto& [handle, stream] : state.streams) {
      if (stream->card == context->card) streams.push_back(stream);
    }
  }
  int first = kOk;
  for (const std::shared_ptr<Stream>& stream : streams) {
    const int error = Synchronize(call, *stream, stream->last, deadline, kStreamSyncTimeout);
    if (first == kOk) first = error;
  }
  return first;
}

int SetOpTimeOut(uint64_t microseconds, uint64_t* actual) {
  // The card's timer counts in units of 2^32 cycles of a clock of 1 GHz, up to 254 of them; 0 is the longest.
  constexpr double kUnit = 4294967.296;
  constexpr uint64_t kUnits = 254;
  uint64_t units = kUnits;
  if (microseconds != 0) {
    units = static_cast<uint64_t>(static_cast<double>(microseconds) / kUnit);
    if (static_cast<double>(units) * kUnit < static_cast<double>(microseconds)) ++units;
    units = std::min(units, kUnits);
  }
  const auto in_force = static_cast<uint64_t>(static_cast<double>(units) * kUnit);
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  state.timeout_us = in_force;
  for (const auto& [device, use] : state.cards) {
    use.card->link().Tell({.kind = kernelsmith::emulator::MessageKind::kTimeOut, .a = in_force});
  }
  if (actual != nullptr) *actual = in_force;
  return kOk;
}

}  // namespace

ACL_API const char* aclrtGetSocName(void) {
  const Settings& settings = ProcessState::Get().settings();
  return settings.soc ? settings.soc->name.c_str() : nullptr;
}

ACL_API int aclrtSetDevice(int32_t device) {
  std::shared_ptr<Context> context;
  if (const int error = OpenCard("aclrtSetDevice", device, true, context); error != kOk) return error;
  SetCurrentContext(context);
  return kOk;
}

ACL_API int aclrtResetDevice(int32_t device) { return CloseCard("aclrtResetDevice", device, false); }
ACL_API int aclrtResetDeviceForce(int32_t device) { return CloseCard("aclrtResetDeviceForce", device, true); }

ACL_API int aclrtGetDevice(int32_t* device) {
  if (const int error = RequirePointer("aclrtGetDevice", device); error != kOk) return error;
  const std::shared_ptr<Context> context = CurrentContext();
  if (context == nullptr)
    return Fail(kContextNull, "aclrtGetDevice: this thread has no context; call aclrtSetDevice first");
  *device = context->device;
  return kOk;
}

ACL_API int aclrtGetDeviceCount(uint32_t* count) {
  if (const int error = RequirePointer("aclrtGetDeviceCount", count); error != kOk) return error;
  *count = static_cast<uint32_t>(ProcessState::Get().settings().devices.size());
  return kOk;
}

ACL_API int aclrtSynchronizeDevice(void) { return SynchronizeAll("aclrtSynchronizeDevice", Deadline::max()); }

ACL_API int aclrtSynchronizeDeviceWithTimeout(int32_t milliseconds) {
  if (milliseconds < -1)
    return Fail(kParamInvalid, "aclrtSynchronizeDeviceWithTimeout: the limit is -1 or milliseconds");
  return SynchronizeAll("aclrtSynchronizeDeviceWithTimeout", DeadlineAfter(milliseconds));
}

ACL_API int aclrtDeviceTaskAbort(int32_t device, uint32_t /*timeout*/) {
  ProcessState& state = ProcessState::Get();
  std::shared_ptr<Card> card;
  {
    kernelsmith::common::MutexLock lock(state.mutex);
    if (const auto use = state.cards.find(device); use != state.cards.end()) card = use->second.card;
  }
  if (card == nullptr) return Fail(kInvalidDeviceId, "aclrtDeviceTaskAbort: the device is not in use by this process");
  if (!card->link().Tell({.kind = kernelsmith::emulator::MessageKind::kAbort}))
    return DeviceLost("aclrtDeviceTaskAbort");
  return kOk;
}

ACL_API int aclrtCreateContext(void** context, int32_t device) {
  if (const int error = RequirePointer("aclrtCreateContext", context); error != kOk) return error;
  std::shared_ptr<Context> default_context;
  if (const int error = OpenCard("aclrtCreateContext", device, false, default_context); error != kOk) return error;
  const std::shared_ptr<Context> made = NewContext(device, default_context->card);
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  state.contexts[made.get()] = made;
  SetCurrentContext(made);
  *context = made.get();
  return kOk;
}

ACL_API int aclrtDestroyContext(void* context) {
  ProcessState& state = ProcessState::Get();
  std::shared_ptr<Context> gone;
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.contexts.find(context);
  if (found == state.contexts.end())
    return Fail(kContextNull, "aclrtDestroyContext: the context is not one, or was destroyed");
  gone = std::move(found->second);
  state.contexts.erase(found);
  return kOk;
}

ACL_API int aclrtSetCurrentContext(void* context) {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.contexts.find(context);
  if (found == state.contexts.end()) {
    return Fail(kContextNull, "aclrtSetCurrentContext: the context is not one, or was destroyed");
  }
  SetCurrentContext(found->second);
  return kOk;
}

ACL_API int aclrtGetCurrentContext(void** context) {
  if (const int error = RequirePointer("aclrtGetCurrentContext", context); error != kOk) return error;
  const std::shared_ptr<Context> current = CurrentContext();
  if (current == nullptr) return Fail(kContextNull, "aclrtGetCurrentContext: this thread has none");
  *context = current.get();
  return kOk;
}

ACL_API int aclrtGetRunMode(int* mode) {
  if (const int error = RequirePointer("aclrtGetRunMode", mode); error != kOk) return error;
  *mode = 1;  // the program runs on the host
  return kOk;
}

ACL_API int aclGetDeviceCapability(uint32_t device, int what, int64_t* value) {
  if (const int error = RequirePointer("aclGetDeviceCapability", value); error != kOk) return error;
  if (const int error = RequireDevice("aclGetDeviceCapability", device); error != kOk) return error;
  const SocSummary& soc = *ProcessState::Get().settings().soc;
  switch (what) {
    case 0:
      *value = soc.aic_cores;
      return kOk;
    case 1:
      *value = soc.aiv_cores;
      return kOk;
    case 2:
      *value = soc.l2_bytes;
      return kOk;
    default:
      return Fail(kInvalidParam,
                  "aclGetDeviceCapability: known are 0 (AI cores), 1 (vector cores) and 2 (bytes of L2)");
  }
}

ACL_API int aclrtGetDeviceInfo(uint32_t device, int what, int64_t* value) {
  if (const int error = RequirePointer("aclrtGetDeviceInfo", value); error != kOk) return error;
  if (const int error = RequireDevice("aclrtGetDeviceInfo", device); error != kOk) return error;
  const Settings& settings = ProcessState::Get().settings();
  const SocSummary& soc = *settings.soc;
  switch (what) {
    case 101:  // AI cores
    case 102:  // cube cores
      *value = soc.aic_cores;
      return kOk;
    case 201:
      *value = soc.aiv_cores;
      return kOk;
    case 202:  // warp size, threads per core and buffer per core exist on later cards only
    case 203:
    case 204:
    case 501:  // is it a virtual device
    case 1:    // AI CPU cores
      *value = 0;
      return kOk;
    case 301:
      *value = static_cast<int64_t>(settings.memory_bytes);
      return kOk;
    case 302:
      *value = soc.l2_bytes;
      return kOk;
    case 402:
      *value = settings.devices[device];
      return kOk;
    case 601:
      *value = soc.npu_arch_number;
      return kOk;
    default:
      return Fail(kFeatureNotSupported,
                  "aclrtGetDeviceInfo: the emulated card knows nothing of attribute " + std::to_string(what));
  }
}

ACL_API int aclrtSetOpExecuteTimeOut(uint32_t seconds) { return SetOpTimeOut(uint64_t{seconds} * 1000000, nullptr); }
ACL_API int aclrtSetOpExecuteTimeOutWithMs(uint32_t milliseconds) {
  return SetOpTimeOut(uint64_t{milliseconds} * 1000, nullptr);
}
ACL_API int aclrtSetOpExecuteTimeOutV2(uint64_t microseconds, uint64_t* actual) {
  return SetOpTimeOut(microseconds, actual);
}
ACL_API int aclrtGetOpTimeOutInterval(uint64_t* microseconds) {
  if (const int error = RequirePointer("aclrtGetOpTimeOutInterval", microseconds); error != kOk) return error;
  *microseconds = 4294967;
  return kOk;
}
