// MemoryClient's private state, and server streams of the memory.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "client/lib/channel.h"
#include "kernelsmith/client/memory.h"
#include "kernelsmith/v1/memory.grpc.pb.h"

namespace kernelsmith::client {

struct MemoryClient::Channel : ServiceChannel<v1::ExperienceMemory> {};

// Reads a server stream and gives each message to `on_message`, whose error ends it. A call that was refused before its
// first message is made again while the server is UNAVAILABLE.
template <typename Message, typename Open>
absl::Status ReadStream(const ServiceChannel<v1::ExperienceMemory>& channel, const Open& open,
                        const std::function<absl::Status(const Message&)>& on_message, const std::stop_token& stop) {
  bool started = false;
  absl::Status ended;
  const absl::Status status = RetryUnavailable(channel.options.retry_for, [&]() -> absl::Status {
    if (stop.stop_requested()) return absl::CancelledError("the call was stopped by its caller");
    const auto context = channel.Context(absl::InfiniteDuration());
    const std::stop_callback cancel(stop, [&context] { context->TryCancel(); });
    const auto reader = open(*channel.stub, context.get());
    Message message;
    absl::Status refused;
    while (refused.ok() && reader->Read(&message)) {
      started = true;
      refused = on_message(message);
    }
    if (!refused.ok()) context->TryCancel();
    const absl::Status finished = channel.Explain(reader->Finish());
    ended = refused.ok() ? finished : refused;
    return started ? absl::OkStatus() : ended;
  });
  if (stop.stop_requested()) return absl::CancelledError("the call was stopped by its caller");
  RETURN_IF_ERROR(status);
  return ended;
}

}  // namespace kernelsmith::client
