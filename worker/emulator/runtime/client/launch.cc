#include "worker/emulator/runtime/client/launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "worker/emulator/runtime/client/calls.h"
#include "worker/emulator/runtime/client/kernel_image.h"
#include "worker/emulator/runtime/client/staging.h"

namespace kernelsmith::emulator::acl {
namespace {

int SendImage(const char* call, Card& card, const Image& image) {
  if (!card.MustSendImage(image.number)) return kOk;
  const std::shared_ptr<Staging> file = Staging::Create(std::max<size_t>(image.size, 1));
  if (file == nullptr)
    return Fail(kMemoryAllocation, std::string(call) + ": the host has no memory left for the image");
  if (image.size > 0) std::memcpy(file->data(), image.bytes, image.size);
  const bool sent = card.link().Tell({.kind = MessageKind::kImage, .a = image.number}, file->descriptor());
  return sent ? kOk : DeviceLost(call);
}

// Name, sizes, values.
std::vector<std::byte> Payload(const LaunchRequest& request) {
  std::vector<std::byte> payload;
  const auto append = [&payload](const void* from, size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(from);
    payload.insert(payload.end(), begin, begin + bytes);
  };
  append(request.kernel.name.data(), request.kernel.name.size());
  for (const ArgumentView& argument : request.arguments) append(&argument.size, sizeof(argument.size));
  for (const ArgumentView& argument : request.arguments) append(argument.value, argument.size);
  return payload;
}

}  // namespace

int Launch(const char* call, const LaunchRequest& request, uint64_t* task) {
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(call, request.stream, stream); error != kOk) return error;
  if (request.blocks == 0 || request.blocks > kMaxBlocks) {
    return Fail(kParamInvalid,
                std::string(call) + ": " + std::to_string(request.blocks) + " blocks; 1 to 65535 can be launched");
  }
  size_t bytes = request.kernel.name.size();
  for (const ArgumentView& argument : request.arguments) bytes += argument.size + sizeof(argument.size);
  if (bytes > kMaxArgumentBytes) {
    return Fail(kParamInvalid,
                std::string(call) + ": arguments and name of the kernel exceed 64 KiB; pass data by pointer");
  }
  const Image& image = *request.kernel.image;
  const std::vector<std::string>& kernels = image.kernels;
  if (std::find(kernels.begin(), kernels.end(), request.kernel.name) == kernels.end()) {
    return Fail(kKernelLookup, std::string(call) + ": the device image has no kernel " + request.kernel.name);
  }
  if (const int error = RequireUnbroken(*stream); error != kOk) return error;
  if (const int error = SendImage(call, *stream->card, image); error != kOk) return error;
  const std::vector<std::byte> payload = Payload(request);
  Message message{.kind = MessageKind::kLaunch,
                  .a = image.number,
                  .b = request.blocks,
                  .c = request.device_arguments,
                  .d = request.device_argument_bytes,
                  .name_bytes = static_cast<uint32_t>(request.kernel.name.size()),
                  .arguments = static_cast<uint32_t>(request.arguments.size())};
  return Enqueue(call, *stream, message, task, payload.data(), payload.size());
}

std::shared_ptr<Image> AddImage(const void* bytes, size_t size, bool copy) {
  auto image = std::make_shared<Image>();
  if (copy && size > 0) {
    const auto* begin = static_cast<const std::byte*>(bytes);
    image->owned.assign(begin, begin + size);
    bytes = image->owned.data();
  }
  image->bytes = bytes;
  image->size = bytes == nullptr ? 0 : size;
  image->kernels = ExportedFunctions(image->bytes, image->size);
  ProcessState& state = ProcessState::Get();
  common::MutexLock lock(state.mutex);
  image->number = state.next_image++;
  state.images[image.get()] = image;
  return image;
}

}  // namespace kernelsmith::emulator::acl
