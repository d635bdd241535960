#include "worker/devices/ascend/card_session.h"

#include <dlfcn.h>

#include <cstring>

#include "worker/include/kernelsmith/plan_abi.h"

namespace kernelsmith::worker::acl {
namespace {

using ascend_runner::Reply;

constexpr int kWorkspacePoison = 0x5a;
constexpr double kMicroseconds = 1000;  // per millisecond

// Text as a JSON string. What the runtime calls itself needs no more than this.
std::string Quoted(const char* text) {
  std::string quoted = "\"";
  for (; text != nullptr && *text != 0; ++text) {
    if (*text != '"' && *text != '\\' && *text >= ' ' && *text <= '~') quoted += *text;
  }
  return quoted + "\"";
}

}  // namespace

#define KERNELSMITH_ACL_TRY(call, ...)                         \
  do {                                                         \
    const Error ks_error = acl_.call(__VA_ARGS__);             \
    if (ks_error != kSuccess) return Failure{ks_error, #call}; \
  } while (false)

#define KERNELSMITH_RETURN_FAILURE(expression) \
  do {                                         \
    const Failure ks_failure = (expression);   \
    if (!ks_failure.ok()) return ks_failure;   \
  } while (false)

Failure CardSession::Open(int32_t device, uint32_t operation_limit_s) {
  device_ = device;
  KERNELSMITH_ACL_TRY(aclrtSetDevice, device);
  KERNELSMITH_ACL_TRY(aclrtCreateStreamWithConfig, &stream_, 0, kStreamFastLaunch | kStreamFastSync);
  KERNELSMITH_ACL_TRY(aclrtSetStreamFailureMode, stream_, kStopOnFailure);
  KERNELSMITH_ACL_TRY(aclrtSetOpExecuteTimeOut, operation_limit_s);
  return {};
}

std::string CardSession::Describe() const {
  uint32_t devices = 0;
  acl_.aclrtGetDeviceCount(&devices);
  int64_t facts[3] = {0, 0, 0};
  for (const int what : {kAiCores, kVectorCores, kL2Bytes}) {
    if (acl_.aclGetDeviceCapability == nullptr) break;
    if (acl_.aclGetDeviceCapability(static_cast<uint32_t>(device_), what, &facts[what]) != kSuccess) facts[what] = 0;
  }
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  if (acl_.aclrtGetMemInfo != nullptr) acl_.aclrtGetMemInfo(kHighBandwidthMemory, &free_bytes, &total_bytes);
  PackageVersion driver = {};
  const bool known =
      acl_.aclsysGetCANNVersion != nullptr && acl_.aclsysGetCANNVersion(kDriverPackage, &driver) == kSuccess;
  return "{\"soc\": " + Quoted(acl_.aclrtGetSocName()) + ", \"devices\": " + std::to_string(devices) +
         ", \"aic_cores\": " + std::to_string(facts[kAiCores]) +
         ", \"aiv_cores\": " + std::to_string(facts[kVectorCores]) +
         ", \"l2_bytes\": " + std::to_string(facts[kL2Bytes]) + ", \"memory_bytes\": " + std::to_string(total_bytes) +
         ", \"driver\": " + Quoted(known ? driver.version : "") +
         ", \"label\": " + Quoted(acl_.emulated() ? acl_.kseLabel() : "") + "}";
}

std::string CardSession::Load(const std::string& path) {
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object != nullptr) launch_ = reinterpret_cast<Launcher>(::dlsym(object, "ks_launch_kernel"));
  if (launch_ != nullptr) return "";
  const char* const why = ::dlerror();
  return why == nullptr ? "it has no ks_launch_kernel" : why;
}

Failure CardSession::Prepare(CasePool& pool) {
  if (pool.header.workspace_bytes > 0) {
    KERNELSMITH_RETURN_FAILURE(pool.memory.Allocate(pool.header.workspace_bytes, &pool.workspace));
    const auto bytes = static_cast<size_t>(pool.header.workspace_bytes);
    KERNELSMITH_ACL_TRY(aclrtMemset, pool.workspace.data, bytes, kWorkspacePoison, bytes);
  }
  if (!pool.tiling.empty()) {
    KERNELSMITH_RETURN_FAILURE(pool.memory.Allocate(static_cast<int64_t>(pool.tiling.size()), &pool.tiling_region));
  }
  pool.slots.resize(pool.header.slots);
  for (CasePool::Slot& slot : pool.slots) {
    slot.inputs.resize(pool.inputs.size());
    slot.outputs.resize(pool.outputs.size());
    for (size_t i = 0; i < pool.inputs.size(); ++i) {
      KERNELSMITH_RETURN_FAILURE(pool.memory.Allocate(pool.inputs[i].bytes, &slot.inputs[i]));
    }
    for (size_t i = 0; i < pool.outputs.size(); ++i) {
      KERNELSMITH_RETURN_FAILURE(pool.memory.Allocate(pool.outputs[i].bytes, &slot.outputs[i]));
    }
  }
  return {};
}

Failure CardSession::CopyIn(CasePool& pool, const std::vector<uint32_t>& slots) {
  if (!pool.tiling.empty()) {
    KERNELSMITH_RETURN_FAILURE(pool.memory.CopyIn(pool.tiling_region,
                                                  reinterpret_cast<const std::byte*>(pool.tiling.data()),
                                                  static_cast<int64_t>(pool.tiling.size())));
  }
  for (const uint32_t index : slots) {
    const CasePool::Slot& slot = pool.slots[index];
    for (size_t i = 0; i < pool.inputs.size(); ++i) {
      const std::byte* const host = pool.host_inputs + index * pool.header.input_stride + pool.inputs[i].offset;
      KERNELSMITH_RETURN_FAILURE(pool.memory.CopyIn(slot.inputs[i], host, pool.inputs[i].bytes));
    }
    for (size_t i = 0; i < pool.outputs.size(); ++i) {
      const std::byte* const host = pool.host_outputs + index * pool.header.output_stride + pool.outputs[i].offset;
      KERNELSMITH_RETURN_FAILURE(pool.memory.CopyIn(slot.outputs[i], host, pool.outputs[i].bytes));
    }
  }
  return {};
}

Failure CardSession::Record(size_t event) {
  while (events_.size() <= event) {
    Handle handle = nullptr;
    KERNELSMITH_ACL_TRY(aclrtCreateEventWithFlag, &handle, kEventTimeLine);
    events_.push_back(handle);
  }
  KERNELSMITH_ACL_TRY(aclrtRecordEvent, events_[event], stream_);
  return {};
}

void* CardSession::AddressOf(const CasePool& pool, const CasePool::Slot& slot,
                             const ascend_runner::Argument& argument) const {
  const auto index = static_cast<size_t>(argument.value);
  switch (argument.kind) {
    case KS_ARGUMENT_INPUT:
      return slot.inputs[index].data + pool.inputs[index].first;
    case KS_ARGUMENT_OUTPUT:
      return slot.outputs[index].data + pool.outputs[index].first;
    case KS_ARGUMENT_WORKSPACE:
      return pool.workspace.data + argument.value;
    default:
      return pool.tiling_region.data + argument.value;
  }
}

Failure CardSession::LaunchAll(CasePool& pool, const CasePool::Slot& slot, size_t* event) {
  if (pool.header.zeroed_bytes > 0) {
    const auto bytes = static_cast<size_t>(pool.header.zeroed_bytes);
    KERNELSMITH_ACL_TRY(aclrtMemsetAsync, pool.workspace.data, bytes, 0, bytes, stream_);
  }
  KERNELSMITH_RETURN_FAILURE(Record((*event)++));
  for (const CasePool::PlannedLaunch& planned : pool.launches) {
    std::vector<void*> addresses;
    for (const ascend_runner::Argument& argument : planned.arguments) {
      addresses.push_back(AddressOf(pool, slot, argument));
    }
    // A launch has no result: what the host side says is the thread's last error.
    if (acl_.aclrtGetLastError != nullptr) acl_.aclrtGetLastError(0);
    launch_(planned.launch.kernel, planned.launch.blocks, stream_, addresses.data());
    if (acl_.aclrtGetLastError != nullptr) KERNELSMITH_ACL_TRY(aclrtGetLastError, 0);
    KERNELSMITH_RETURN_FAILURE(Record((*event)++));
  }
  return {};
}

// Events: 0 before the batch; for each slot one before its launches and one after each; one after the batch.
Failure CardSession::Enqueue(CasePool& pool, const std::vector<uint32_t>& slots) {
  size_t event = 0;
  KERNELSMITH_RETURN_FAILURE(Record(event++));
  for (const uint32_t index : slots) KERNELSMITH_RETURN_FAILURE(LaunchAll(pool, pool.slots[index], &event));
  return Record(event);
}

Failure CardSession::ReadTimes(const CasePool& pool, size_t slots, RunResult& result) const {
  const size_t per_slot = pool.launches.size() + 1;
  std::vector<double> launches;
  const auto elapsed = [this](size_t from, size_t to, double* us) -> Failure {
    float ms = 0;
    KERNELSMITH_ACL_TRY(aclrtEventElapsedTime, &ms, events_[from], events_[to]);
    *us = static_cast<double>(ms) * kMicroseconds;
    return {};
  };
  double us = 0;
  for (size_t slot = 0; slot < slots; ++slot) {
    const size_t first = 1 + slot * per_slot;
    KERNELSMITH_RETURN_FAILURE(elapsed(first, first + pool.launches.size(), &us));
    result.times_us.push_back(us);
    for (size_t launch = 0; launch < pool.launches.size(); ++launch) {
      KERNELSMITH_RETURN_FAILURE(elapsed(first + launch, first + launch + 1, &us));
      launches.push_back(us);
    }
  }
  result.times_us.insert(result.times_us.end(), launches.begin(), launches.end());
  return elapsed(0, 1 + slots * per_slot, &result.batch_us);
}

Failure CardSession::CopyOut(CasePool& pool, const std::vector<uint32_t>& slots, RunResult& result) {
  for (const uint32_t index : slots) {
    const CasePool::Slot& slot = pool.slots[index];
    bool fine = true;
    for (size_t i = 0; i < pool.outputs.size(); ++i) {
      std::byte* const host = pool.host_outputs + index * pool.header.output_stride + pool.outputs[i].offset;
      KERNELSMITH_RETURN_FAILURE(pool.memory.CopyOut(host, slot.outputs[i], pool.outputs[i].bytes));
      KERNELSMITH_RETURN_FAILURE(pool.memory.CheckGuards(slot.outputs[i], &fine));
      if (fine) continue;
      KERNELSMITH_RETURN_FAILURE(pool.memory.Guard(slot.outputs[i]));
      result.end = Reply::kDamaged;
      result.slot = static_cast<int>(index);
      result.text = "the kernel wrote beside output " + std::to_string(i) + " (a guard zone around it changed)";
    }
    for (size_t i = 0; i < pool.inputs.size(); ++i) {
      const std::byte* const host = pool.host_inputs + index * pool.header.input_stride + pool.inputs[i].offset;
      KERNELSMITH_RETURN_FAILURE(pool.memory.Compare(slot.inputs[i], host, &fine));
      if (fine || result.end != Reply::kDone) continue;
      result.end = Reply::kMutated;
      result.slot = static_cast<int>(index);
      result.text = "the kernel changed input " + std::to_string(i);
    }
  }
  return {};
}

RunResult CardSession::Run(CasePool& pool, const std::vector<uint32_t>& slots, int32_t limit_ms) {
  RunResult result;
  result.failure = CopyIn(pool, slots);
  if (result.failure.ok()) result.failure = Enqueue(pool, slots);
  if (result.failure.ok()) {
    result.failure = {acl_.aclrtSynchronizeStreamWithTimeout(stream_, limit_ms), "aclrtSynchronizeStreamWithTimeout"};
  }
  if (result.failure.ok()) result.failure = ReadTimes(pool, slots.size(), result);
  if (result.failure.ok()) result.failure = CopyOut(pool, slots, result);
  return result;
}

std::string CardSession::Report() const {
  if (acl_.kseReport == nullptr) return "";
  std::string report(acl_.kseReport(device_, nullptr, 0), '\0');
  report.resize(std::min(report.size(), acl_.kseReport(device_, report.data(), report.size())));
  return report;
}

std::string CardSession::Message() const {
  const char* const message = acl_.aclGetRecentErrMsg();
  return message == nullptr ? "" : message;
}

}  // namespace kernelsmith::worker::acl
