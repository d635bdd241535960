// Memory of device and host, copies and fills.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "worker/emulator/runtime/client/calls.h"
#include "worker/emulator/runtime/client/staging.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)
using kernelsmith::emulator::MessageKind;

enum class Side { kHost, kDevice };

struct Direction {
  Side to;
  Side from;
};

std::vector<std::shared_ptr<Card>> Cards() {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  std::vector<std::shared_ptr<Card>> cards;
  for (const auto& [device, use] : state.cards) cards.push_back(use.card);
  return cards;
}

bool InDevice(const void* pointer) {
  for (const std::shared_ptr<Card>& card : Cards()) {
    if (card->InWindow(pointer)) return true;
  }
  return false;
}

// The range lies in one block of a card, or not in the memory of any.
int RequireRange(const char* call, const char* what, const void* pointer, size_t bytes, Side side) {
  for (const std::shared_ptr<Card>& card : Cards()) {
    if (!card->InWindow(pointer)) continue;
    if (side == Side::kHost) {
      return Fail(kParamInvalid, std::string(call) + ": the " + what + " is device memory, the kind of copy says host");
    }
    if (card->Holds(pointer, bytes)) return kOk;
    return Fail(kParamInvalid, std::string(call) + ": the " + what + " of " + std::to_string(bytes) +
                                   " bytes is not within one block of aclrtMalloc; was it freed?");
  }
  if (side == Side::kHost) return kOk;
  return Fail(kParamInvalid, std::string(call) + ": the " + what + " is host memory, the call needs device memory");
}

int ResolveKind(const char* call, void* to, const void* from, int kind, Direction* direction) {
  constexpr Direction kDirections[] = {{Side::kHost, Side::kHost},
                                       {Side::kDevice, Side::kHost},
                                       {Side::kHost, Side::kDevice},
                                       {Side::kDevice, Side::kDevice}};
  if (kind >= 0 && kind <= 3) {
    *direction = kDirections[kind];
    return kOk;
  }
  if (kind == 4) {  // by the addresses
    *direction = {InDevice(to) ? Side::kDevice : Side::kHost, InDevice(from) ? Side::kDevice : Side::kHost};
    return kOk;
  }
  return Fail(kParamInvalid, std::string(call) + ": unknown kind of copy " + std::to_string(kind));
}

int RequireCopy(const char* call, void* to, size_t room, const void* from, size_t count, int kind,
                Direction* direction) {
  if (const int error = RequirePointer(call, to); error != kOk) return error;
  if (const int error = RequirePointer(call, from); error != kOk) return error;
  if (count > room) return Fail(kParamInvalid, std::string(call) + ": the destination is smaller than what is copied");
  if (const int error = ResolveKind(call, to, from, kind, direction); error != kOk) return error;
  if (const int error = RequireRange(call, "destination", to, count, direction->to); error != kOk) return error;
  return RequireRange(call, "source", from, count, direction->from);
}

int RequireFill(const char* call, void* to, size_t room, size_t count) {
  if (const int error = RequirePointer(call, to); error != kOk) return error;
  if (count > room) return Fail(kParamInvalid, std::string(call) + ": the memory is smaller than what is filled");
  return RequireRange(call, "memory", to, count, Side::kDevice);
}

uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

int OutOfHostMemory(const char* call) {
  return Fail(kMemoryAllocation, std::string(call) + ": the host has no memory left");
}

}  // namespace

ACL_API int aclrtMalloc(void** pointer, size_t bytes, int /*policy*/) {
  constexpr char kCall[] = "aclrtMalloc";
  if (const int error = RequirePointer(kCall, pointer); error != kOk) return error;
  std::shared_ptr<Context> context;
  if (const int error = RequireContext(kCall, context); error != kOk) return error;
  if (bytes == 0) return Fail(kParamInvalid, "aclrtMalloc: the size is 0");
  const uint64_t address = context->card->Allocate(bytes);
  if (address == 0) {
    uint64_t free = 0;
    uint64_t total = 0;
    context->card->MemoryInfo(&free, &total);
    return Fail(kMemoryAllocation, "aclrtMalloc: no " + std::to_string(bytes) + " bytes in one piece; " +
                                       std::to_string(free) + " of " + std::to_string(total) +
                                       " are free (KERNELSMITH_EMULATED_MEMORY)");
  }
  *pointer = reinterpret_cast<void*>(address);
  return kOk;
}

ACL_API int aclrtMallocAlign32(void** pointer, size_t bytes, int policy) { return aclrtMalloc(pointer, bytes, policy); }
ACL_API int aclrtMallocCached(void** pointer, size_t bytes, int policy) { return aclrtMalloc(pointer, bytes, policy); }

ACL_API int aclrtFree(void* pointer) {
  if (const int error = RequirePointer("aclrtFree", pointer); error != kOk) return error;
  for (const std::shared_ptr<Card>& card : Cards()) {
    if (!card->InWindow(pointer)) continue;
    if (!card->link().Alive()) return DeviceLost("aclrtFree");
    if (card->Free(Address(pointer))) return kOk;
  }
  return Fail(kParamInvalid, "aclrtFree: no block begins there; was it freed before?");
}

ACL_API int aclrtMallocHost(void** pointer, size_t bytes) {
  if (const int error = RequirePointer("aclrtMallocHost", pointer); error != kOk) return error;
  std::shared_ptr<Context> context;
  if (const int error = RequireContext("aclrtMallocHost", context); error != kOk) return error;
  if (bytes == 0) return Fail(kParamInvalid, "aclrtMallocHost: the size is 0");
  return ::posix_memalign(pointer, 4096, bytes) == 0 ? kOk : OutOfHostMemory("aclrtMallocHost");
}

ACL_API int aclrtFreeHost(void* pointer) {
  if (const int error = RequirePointer("aclrtFreeHost", pointer); error != kOk) return error;
  std::free(pointer);
  return kOk;
}

ACL_API int aclrtGetMemInfo(int /*which*/, size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return RequirePointer("aclrtGetMemInfo", nullptr);
  std::shared_ptr<Context> context;
  if (const int error = RequireContext("aclrtGetMemInfo", context); error != kOk) return error;
  context->card->MemoryInfo(free, total);
  return kOk;
}

ACL_API int aclrtMemcpy(void* to, size_t room, const void* from, size_t count, int kind) {
  std::shared_ptr<Context> context;
  if (const int error = RequireContext("aclrtMemcpy", context); error != kOk) return error;
  Direction direction{};
  if (const int error = RequireCopy("aclrtMemcpy", to, room, from, count, kind, &direction); error != kOk) return error;
  std::memmove(to, from, count);
  return kOk;
}

ACL_API int aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t count, int kind, void* stream_handle) {
  constexpr char kCall[] = "aclrtMemcpyAsync";
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(kCall, stream_handle, stream); error != kOk) return error;
  Direction direction{};
  if (const int error = RequireCopy(kCall, to, room, from, count, kind, &direction); error != kOk) return error;
  if (const int error = RequireUnbroken(*stream); error != kOk) return error;
  if (count == 0) return kOk;
  if (direction.to == Side::kDevice && direction.from == Side::kDevice) {
    if (!stream->card->InWindow(to) || !stream->card->InWindow(from)) {
      return Fail(kFeatureNotSupported,
                  "aclrtMemcpyAsync: the emulated card copies between devices with aclrtMemcpy only");
    }
    return Enqueue(kCall, *stream,
                   {.kind = MessageKind::kCopyWithin, .a = Address(to), .b = count, .c = Address(from)});
  }
  const std::shared_ptr<Staging> staging = Staging::Create(count);
  if (staging == nullptr) return OutOfHostMemory(kCall);
  if (direction.to == Side::kDevice) {  // the source is taken now, as from pageable memory
    std::memcpy(staging->data(), from, count);
    return Enqueue(kCall, *stream, {.kind = MessageKind::kCopyIn, .a = Address(to), .b = count}, nullptr, nullptr, 0,
                   staging->descriptor());
  }
  uint64_t task = 0;
  if (direction.from == Side::kHost) {
    std::memcpy(staging->data(), from, count);
    if (const int error = Enqueue(kCall, *stream, {.kind = MessageKind::kFill}, &task); error != kOk) return error;
  } else if (const int error = Enqueue(kCall, *stream, {.kind = MessageKind::kCopyOut, .a = Address(from), .b = count},
                                       &task, nullptr, 0, staging->descriptor());
             error != kOk) {
    return error;
  }
  staging->CloseDescriptor();
  stream->card->AfterTask(task, [staging, to, count] { std::memcpy(to, staging->data(), count); });
  return kOk;
}

ACL_API int aclrtMemset(void* to, size_t room, int32_t value, size_t count) {
  std::shared_ptr<Context> context;
  if (const int error = RequireContext("aclrtMemset", context); error != kOk) return error;
  if (const int error = RequireFill("aclrtMemset", to, room, count); error != kOk) return error;
  std::memset(to, value, count);
  return kOk;
}

ACL_API int aclrtMemsetAsync(void* to, size_t room, int32_t value, size_t count, void* stream_handle) {
  constexpr char kCall[] = "aclrtMemsetAsync";
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(kCall, stream_handle, stream); error != kOk) return error;
  if (const int error = RequireFill(kCall, to, room, count); error != kOk) return error;
  if (const int error = RequireUnbroken(*stream); error != kOk) return error;
  return Enqueue(kCall, *stream,
                 {.kind = MessageKind::kFill, .a = Address(to), .b = count, .c = static_cast<uint8_t>(value)});
}
