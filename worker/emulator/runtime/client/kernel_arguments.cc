#include "worker/emulator/runtime/client/kernel_arguments.h"

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "worker/emulator/runtime/client/calls.h"

namespace kernelsmith::emulator::acl {
namespace {

constexpr size_t kMaxArguments = 128;
constexpr size_t kSlot = 8;  // every value takes a multiple of it

struct Argument {
  std::vector<std::byte> value;  // or, with a placeholder, the data behind the pointer
  bool placeholder = false;
};

struct ArgumentList {
  common::Mutex mutex;
  std::deque<Argument> arguments GUARDED_BY(mutex);  // addresses are handles
  bool finalized GUARDED_BY(mutex) = false;
};

common::Mutex g_lists_mutex;
std::unordered_map<void*, std::shared_ptr<ArgumentList>> g_lists GUARDED_BY(g_lists_mutex);

// Blocks of memory that live until a task is over.
class LaunchMemory {
 public:
  explicit LaunchMemory(std::shared_ptr<Card> card) : card_(std::move(card)) {}
  ~LaunchMemory() {
    for (const uint64_t address : addresses_) card_->Free(address);
  }
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  uint64_t Copy(const void* data, size_t bytes) {
    const uint64_t address = card_->Allocate(bytes);
    if (address == 0) return 0;
    addresses_.push_back(address);
    std::memcpy(reinterpret_cast<void*>(address), data, bytes);
    return address;
  }

 private:
  std::shared_ptr<Card> card_;
  std::vector<uint64_t> addresses_;
};

int OutOfMemory(const char* call) {
  return Fail(kDeviceOom, std::string(call) + ": the device has no memory left for arguments");
}

// Keeps the memory until the task is over.
int LaunchAndKeep(const char* call, const LaunchRequest& request, const std::shared_ptr<Card>& card,
                  const std::shared_ptr<LaunchMemory>& memory) {
  uint64_t task = 0;
  if (const int error = Launch(call, request, &task); error != kOk) return error;
  card->AfterTask(task, [memory] {});
  return kOk;
}

int FindList(const char* call, void* handle, std::shared_ptr<ArgumentList>* list) {
  common::MutexLock lock(g_lists_mutex);
  const auto found = g_lists.find(handle);
  if (found == g_lists.end())
    return Fail(kInvalidHandle, std::string(call) + ": the arguments are not from aclrtKernelArgsInit");
  *list = found->second;
  return kOk;
}

Argument* Find(ArgumentList& list, const void* parameter) EXCLUSIVE_LOCKS_REQUIRED(list.mutex) {
  for (Argument& argument : list.arguments) {
    if (&argument == parameter) return &argument;
  }
  return nullptr;
}

int Append(const char* call, void* handle, Argument argument, void** parameter) {
  std::shared_ptr<ArgumentList> list;
  if (const int error = FindList(call, handle, &list); error != kOk) return error;
  common::MutexLock lock(list->mutex);
  if (list->finalized) return Fail(kParamInvalid, std::string(call) + ": the arguments are final; begin a new list");
  if (list->arguments.size() == kMaxArguments)
    return Fail(kParamInvalid, std::string(call) + ": a kernel takes up to 128 arguments");
  list->arguments.push_back(std::move(argument));
  if (parameter != nullptr) *parameter = &list->arguments.back();
  return kOk;
}

}  // namespace

int LaunchWithArguments(const char* call, LaunchRequest request, void* handle) {
  std::shared_ptr<ArgumentList> list;
  if (const int error = FindList(call, handle, &list); error != kOk) return error;
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(call, request.stream, stream); error != kOk) return error;
  common::MutexLock lock(list->mutex);
  if (!list->finalized) return Fail(kParamInvalid, std::string(call) + ": call aclrtKernelArgsFinalize first");
  const auto memory = std::make_shared<LaunchMemory>(stream->card);
  std::deque<uint64_t> addresses;
  for (const Argument& argument : list->arguments) {
    if (!argument.placeholder) {
      request.arguments.push_back({argument.value.data(), static_cast<uint32_t>(argument.value.size())});
      continue;
    }
    const uint64_t address = argument.value.empty() ? 0 : memory->Copy(argument.value.data(), argument.value.size());
    if (address == 0 && !argument.value.empty()) return OutOfMemory(call);
    addresses.push_back(address);
    request.arguments.push_back({&addresses.back(), kSlot});
  }
  return LaunchAndKeep(call, request, stream->card, memory);
}

int LaunchWithBlock(const char* call, LaunchRequest request, const void* block, size_t bytes,
                    const uint32_t* placeholders, size_t count) {
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(call, request.stream, stream); error != kOk) return error;
  if (bytes > kMaxArgumentBytes) return Fail(kParamInvalid, std::string(call) + ": more than 64 KiB of arguments");
  if (count > 0 && placeholders == nullptr) return RequirePointer(call, nullptr);
  std::vector<std::byte> copy(static_cast<const std::byte*>(block), static_cast<const std::byte*>(block) + bytes);
  const auto memory = std::make_shared<LaunchMemory>(stream->card);
  size_t values = bytes / kSlot * kSlot;  // what comes before the data
  for (size_t i = 0; i < count; ++i) values = std::min<size_t>(values, placeholders[2 * i + 1]);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t argument = placeholders[2 * i];
    const uint32_t data = placeholders[2 * i + 1];
    if (data >= bytes || argument % kSlot != 0 || argument + kSlot > values) {
      return Fail(kParamInvalid, std::string(call) + ": a placeholder lies outside the arguments");
    }
    const uint64_t address = memory->Copy(copy.data() + data, bytes - data);
    if (address == 0) return OutOfMemory(call);
    std::memcpy(copy.data() + argument, &address, sizeof(address));
  }
  for (size_t at = 0; at + kSlot <= values; at += kSlot) request.arguments.push_back({copy.data() + at, kSlot});
  return LaunchAndKeep(call, request, stream->card, memory);
}

}  // namespace kernelsmith::emulator::acl

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)

ACL_API int aclrtKernelArgsInit(void* function, void** arguments) {
  if (const int error = RequirePointer("aclrtKernelArgsInit", arguments); error != kOk) return error;
  if (const int error = RequirePointer("aclrtKernelArgsInit", function); error != kOk) return error;
  auto list = std::make_shared<ArgumentList>();
  kernelsmith::common::MutexLock lock(g_lists_mutex);
  *arguments = list.get();
  g_lists[list.get()] = std::move(list);
  return kOk;
}

// The caller's memory is where the handle points; what the list holds is kept here.
ACL_API int aclrtKernelArgsInitByUserMem(void* function, void* handle, void* memory, size_t /*bytes*/) {
  if (function == nullptr || handle == nullptr || memory == nullptr) {
    return RequirePointer("aclrtKernelArgsInitByUserMem", nullptr);
  }
  kernelsmith::common::MutexLock lock(g_lists_mutex);
  g_lists[handle] = std::make_shared<ArgumentList>();
  return kOk;
}

ACL_API int aclrtKernelArgsGetMemSize(void* function, size_t user_bytes, size_t* bytes) {
  if (function == nullptr || bytes == nullptr) return RequirePointer("aclrtKernelArgsGetMemSize", nullptr);
  *bytes = (user_bytes + kSlot - 1) / kSlot * kSlot;
  return kOk;
}

ACL_API int aclrtKernelArgsGetHandleMemSize(void* function, size_t* bytes) {
  if (function == nullptr || bytes == nullptr) return RequirePointer("aclrtKernelArgsGetHandleMemSize", nullptr);
  *bytes = kSlot;
  return kOk;
}

ACL_API int aclrtKernelArgsAppend(void* handle, void* value, size_t bytes, void** parameter) {
  if (const int error = RequirePointer("aclrtKernelArgsAppend", value); error != kOk) return error;
  if (bytes == 0 || bytes > kMaxArgumentBytes)
    return Fail(kParamInvalid, "aclrtKernelArgsAppend: a value has 1 byte to 64 KiB");
  Argument argument;
  argument.value.assign(static_cast<const std::byte*>(value), static_cast<const std::byte*>(value) + bytes);
  return Append("aclrtKernelArgsAppend", handle, std::move(argument), parameter);
}

ACL_API int aclrtKernelArgsAppendPlaceHolder(void* handle, void** parameter) {
  if (const int error = RequirePointer("aclrtKernelArgsAppendPlaceHolder", parameter); error != kOk) return error;
  return Append("aclrtKernelArgsAppendPlaceHolder", handle, {.value = {}, .placeholder = true}, parameter);
}

ACL_API int aclrtKernelArgsGetPlaceHolderBuffer(void* handle, void* parameter, size_t bytes, void** buffer) {
  constexpr char kCall[] = "aclrtKernelArgsGetPlaceHolderBuffer";
  if (const int error = RequirePointer(kCall, buffer); error != kOk) return error;
  if (bytes == 0 || bytes > kMaxArgumentBytes)
    return Fail(kParamInvalid, "aclrtKernelArgsGetPlaceHolderBuffer: 1 byte to 64 KiB");
  std::shared_ptr<ArgumentList> list;
  if (const int error = FindList(kCall, handle, &list); error != kOk) return error;
  kernelsmith::common::MutexLock lock(list->mutex);
  Argument* const argument = Find(*list, parameter);
  if (argument == nullptr || !argument->placeholder)
    return Fail(kInvalidHandle, "aclrtKernelArgsGetPlaceHolderBuffer: no placeholder of these arguments");
  argument->value.resize(bytes);
  *buffer = argument->value.data();
  return kOk;
}

ACL_API int aclrtKernelArgsParaUpdate(void* handle, void* parameter, void* value, size_t bytes) {
  constexpr char kCall[] = "aclrtKernelArgsParaUpdate";
  if (const int error = RequirePointer(kCall, value); error != kOk) return error;
  std::shared_ptr<ArgumentList> list;
  if (const int error = FindList(kCall, handle, &list); error != kOk) return error;
  kernelsmith::common::MutexLock lock(list->mutex);
  Argument* const argument = Find(*list, parameter);
  if (argument == nullptr || argument->placeholder)
    return Fail(kInvalidHandle, "aclrtKernelArgsParaUpdate: no value of these arguments");
  if (bytes != argument->value.size())
    return Fail(kParamInvalid, "aclrtKernelArgsParaUpdate: the size of a value is fixed when it is appended");
  std::memcpy(argument->value.data(), value, bytes);
  return kOk;
}

ACL_API int aclrtKernelArgsFinalize(void* handle) {
  std::shared_ptr<ArgumentList> list;
  if (const int error = FindList("aclrtKernelArgsFinalize", handle, &list); error != kOk) return error;
  kernelsmith::common::MutexLock lock(list->mutex);
  list->finalized = true;
  return kOk;
}
