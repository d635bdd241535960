// Streams.
#include <string>

#include "worker/emulator/runtime/client/calls.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)
using kernelsmith::emulator::MessageKind;

int CreateStream(const char* call, void** handle) {
  if (const int error = RequirePointer(call, handle); error != kOk) return error;
  std::shared_ptr<Context> context;
  if (const int error = RequireContext(call, context); error != kOk) return error;
  auto stream = std::make_shared<Stream>();
  stream->context = context;
  stream->card = context->card;
  stream->number = context->card->NewStream();
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  state.streams[stream.get()] = stream;
  *handle = stream.get();
  return kOk;
}

int DestroyStream(const char* call, void* handle, bool force) {
  ProcessState& state = ProcessState::Get();
  std::shared_ptr<Stream> stream;
  {
    kernelsmith::common::MutexLock lock(state.mutex);
    const auto found = state.streams.find(handle);
    if (found == state.streams.end()) {
      return Fail(kParamInvalid, std::string(call) + ": the stream is not one, was destroyed, or is the default one");
    }
    stream = std::move(found->second);
    state.streams.erase(found);
  }
  Card& card = *stream->card;
  if (!card.link().Alive()) return DeviceLost(call);
  if (force) {
    card.link().Tell({.kind = MessageKind::kDropStream, .stream = stream->number});
  } else {
    if (card.link().Wait(stream->last, Deadline::max()) == Waited::kLost) return DeviceLost(call);
    card.Settle();
  }
  card.ForgetStream(stream->number);
  return kOk;
}

int SynchronizeStream(const char* call, void* handle, int32_t milliseconds) {
  if (milliseconds < -1) return Fail(kParamInvalid, std::string(call) + ": the limit is -1 or milliseconds");
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(call, handle, stream); error != kOk) return error;
  return Synchronize(call, *stream, stream->last, DeadlineAfter(milliseconds), kStreamSyncTimeout);
}

}  // namespace

ACL_API int aclrtCreateStream(void** stream) { return CreateStream("aclrtCreateStream", stream); }
ACL_API int aclrtCreateStreamWithConfig(void** stream, uint32_t /*priority*/, uint32_t /*flag*/) {
  return CreateStream("aclrtCreateStreamWithConfig", stream);
}
ACL_API int aclrtDestroyStream(void* stream) { return DestroyStream("aclrtDestroyStream", stream, false); }
ACL_API int aclrtDestroyStreamForce(void* stream) { return DestroyStream("aclrtDestroyStreamForce", stream, true); }

ACL_API int aclrtSynchronizeStream(void* stream) { return SynchronizeStream("aclrtSynchronizeStream", stream, -1); }
ACL_API int aclrtSynchronizeStreamWithTimeout(void* stream, int32_t milliseconds) {
  return SynchronizeStream("aclrtSynchronizeStreamWithTimeout", stream, milliseconds);
}

ACL_API int aclrtStreamQuery(void* handle, int* status) {
  if (const int error = RequirePointer("aclrtStreamQuery", status); error != kOk) return error;
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream("aclrtStreamQuery", handle, stream); error != kOk) return error;
  const bool complete = stream->card->link().completed() >= stream->last;
  if (complete) stream->card->Settle();
  *status = complete ? 0 : 1;
  return kOk;
}

ACL_API int aclrtSetStreamFailureMode(void* handle, uint64_t mode) {
  constexpr char kCall[] = "aclrtSetStreamFailureMode";
  if (mode > 1) return Fail(kParamInvalid, "aclrtSetStreamFailureMode: the mode is 0 (continue) or 1 (stop)");
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(kCall, handle, stream); error != kOk) return error;
  if (mode == 0 && stream->stop) {
    return Fail(kFeatureNotSupported,
                "aclrtSetStreamFailureMode: a stream that stops on failure stays so; make another");
  }
  if (mode == 1 && !stream->stop.exchange(true)) {
    if (!stream->card->link().Tell({.kind = MessageKind::kStreamMode, .stream = stream->number, .a = 1})) {
      return DeviceLost(kCall);
    }
  }
  return kOk;
}

// Tasks run in the order in which they are enqueued, whatever their stream, so what was recorded is over by then.
ACL_API int aclrtStreamWaitEvent(void* stream_handle, void* event_handle) {
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream("aclrtStreamWaitEvent", stream_handle, stream); error != kOk) return error;
  std::shared_ptr<Event> event;
  return RequireEvent("aclrtStreamWaitEvent", event_handle, event);
}
