// Events: points in a stream that can be waited for, and whose simulated time can be read.
#include <string>

#include "worker/emulator/runtime/client/calls.h"

namespace {

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)
using kernelsmith::emulator::MessageKind;

constexpr uint32_t kTimeLine = 0x8;
constexpr uint32_t kDefaultFlags = 0x2 | 0x4 | kTimeLine;
constexpr uint32_t kForeign = 0x20 | 0x40;  // external and inter-process events

int CreateEvent(const char* call, void** handle, uint32_t flags, bool extended) {
  if (const int error = RequirePointer(call, handle); error != kOk) return error;
  std::shared_ptr<Context> context;
  if (const int error = RequireContext(call, context); error != kOk) return error;
  if ((flags & kForeign) != 0) {
    return Fail(kFeatureNotSupported, std::string(call) + ": the emulated card has no external events");
  }
  const std::optional<uint32_t> slot = context->card->NewEvent();
  if (!slot) return Fail(kResourceAllocFail, std::string(call) + ": all 65536 events of the device are in use");
  auto event = std::make_shared<Event>();
  event->card = context->card;
  event->slot = *slot;
  event->flags = flags;
  event->extended = extended;
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  state.events[event.get()] = event;
  *handle = event.get();
  return kOk;
}

struct Recorded {
  uint64_t sequence = 0;
  std::shared_ptr<Stream> stream;
};

Recorded LastRecord(Event& event) {
  kernelsmith::common::MutexLock lock(event.mutex);
  return {event.recorded, event.stream};
}

// Ticks of the last record, if it is complete and the event keeps time.
int Ticks(const char* call, Event& event, uint64_t* ticks) {
  const Recorded recorded = LastRecord(event);
  if (recorded.sequence == 0)
    return Fail(kInternal, std::string(call) + ": event recorder null, it was never recorded");
  const auto& stamp = event.card->link().stamp(event.slot);
  if ((event.flags & kTimeLine) == 0) {
    return Fail(kEventTimestampInvalid, std::string(call) + ": the event has no time; create it with TIME_LINE (0x8)");
  }
  if (stamp.sequence.load(std::memory_order_acquire) < recorded.sequence) {
    return Fail(kEventTimestampInvalid,
                std::string(call) + ": the event is not complete; synchronize its stream first");
  }
  *ticks = stamp.ticks.load(std::memory_order_acquire);
  return kOk;
}

int SynchronizeEvent(const char* call, void* handle, int32_t milliseconds) {
  if (milliseconds < -1) return Fail(kParamInvalid, std::string(call) + ": the limit is -1 or milliseconds");
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent(call, handle, event); error != kOk) return error;
  const Recorded recorded = LastRecord(*event);
  if (recorded.sequence == 0) return kOk;  // nothing to wait for
  return Synchronize(call, *recorded.stream, recorded.sequence, DeadlineAfter(milliseconds), kEventSyncTimeout);
}

bool Complete(Event& event) {
  const Recorded recorded = LastRecord(event);
  return event.card->link().stamp(event.slot).sequence.load(std::memory_order_acquire) >= recorded.sequence;
}

}  // namespace

ACL_API int aclrtCreateEvent(void** event) { return CreateEvent("aclrtCreateEvent", event, kDefaultFlags, false); }
ACL_API int aclrtCreateEventWithFlag(void** event, uint32_t flags) {
  return CreateEvent("aclrtCreateEventWithFlag", event, flags, false);
}
ACL_API int aclrtCreateEventExWithFlag(void** event, uint32_t flags) {
  return CreateEvent("aclrtCreateEventExWithFlag", event, flags, true);
}

ACL_API int aclrtDestroyEvent(void* handle) {
  ProcessState& state = ProcessState::Get();
  std::shared_ptr<Event> event;
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.events.find(handle);
  if (found == state.events.end())
    return Fail(kParamInvalid, "aclrtDestroyEvent: the event is not one, or was destroyed");
  event = std::move(found->second);
  state.events.erase(found);
  return kOk;
}

ACL_API int aclrtRecordEvent(void* event_handle, void* stream_handle) {
  constexpr char kCall[] = "aclrtRecordEvent";
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent(kCall, event_handle, event); error != kOk) return error;
  std::shared_ptr<Stream> stream;
  if (const int error = RequireStream(kCall, stream_handle, stream); error != kOk) return error;
  if (stream->card != event->card) return Fail(kStreamContext, "aclrtRecordEvent: event and stream are of two devices");
  if (const int error = RequireUnbroken(*stream); error != kOk) return error;
  kernelsmith::common::MutexLock lock(event->mutex);
  uint64_t sequence = 0;
  if (const int error = Enqueue(kCall, *stream, {.kind = MessageKind::kRecord, .a = event->slot}, &sequence);
      error != kOk) {
    return error;
  }
  event->recorded = sequence;
  event->stream = stream;
  return kOk;
}

ACL_API int aclrtResetEvent(void* event_handle, void* stream_handle) {
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent("aclrtResetEvent", event_handle, event); error != kOk) return error;
  if (event->extended) return Fail(kParamInvalid, "aclrtResetEvent: not for events made by aclrtCreateEventExWithFlag");
  std::shared_ptr<Stream> stream;
  return RequireStream("aclrtResetEvent", stream_handle, stream);
}

// 0 not ready, 1 complete.
ACL_API int aclrtQueryEventStatus(void* handle, int* status) {
  if (const int error = RequirePointer("aclrtQueryEventStatus", status); error != kOk) return error;
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent("aclrtQueryEventStatus", handle, event); error != kOk) return error;
  *status = Complete(*event) ? 1 : 0;
  return kOk;
}

// The other way round: 0 complete, 1 not ready.
ACL_API int aclrtQueryEvent(void* handle, int* status) {
  if (const int error = RequirePointer("aclrtQueryEvent", status); error != kOk) return error;
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent("aclrtQueryEvent", handle, event); error != kOk) return error;
  if (event->extended) return Fail(kParamInvalid, "aclrtQueryEvent: not for events made by aclrtCreateEventExWithFlag");
  *status = Complete(*event) ? 0 : 1;
  return kOk;
}

ACL_API int aclrtSynchronizeEvent(void* event) { return SynchronizeEvent("aclrtSynchronizeEvent", event, -1); }
ACL_API int aclrtSynchronizeEventWithTimeout(void* event, int32_t milliseconds) {
  return SynchronizeEvent("aclrtSynchronizeEventWithTimeout", event, milliseconds);
}

ACL_API int aclrtEventElapsedTime(float* milliseconds, void* start_handle, void* end_handle) {
  constexpr char kCall[] = "aclrtEventElapsedTime";
  if (const int error = RequirePointer(kCall, milliseconds); error != kOk) return error;
  std::shared_ptr<Event> start;
  if (const int error = RequireEvent(kCall, start_handle, start); error != kOk) return error;
  std::shared_ptr<Event> end;
  if (const int error = RequireEvent(kCall, end_handle, end); error != kOk) return error;
  uint64_t from = 0;
  uint64_t to = 0;
  // Never recorded comes before everything else.
  if (LastRecord(*end).sequence == 0) return Ticks(kCall, *end, &to);
  if (const int error = Ticks(kCall, *start, &from); error != kOk) return error;
  if (const int error = Ticks(kCall, *end, &to); error != kOk) return error;
  *milliseconds = static_cast<float>(static_cast<double>(static_cast<int64_t>(to - from)) /
                                     static_cast<double>(start->card->link().ticks_per_ms()));
  return kOk;
}

ACL_API int aclrtEventGetTimestamp(void* handle, uint64_t* microseconds) {
  constexpr char kCall[] = "aclrtEventGetTimestamp";
  if (const int error = RequirePointer(kCall, microseconds); error != kOk) return error;
  std::shared_ptr<Event> event;
  if (const int error = RequireEvent(kCall, handle, event); error != kOk) return error;
  uint64_t ticks = 0;
  if (const int error = Ticks(kCall, *event, &ticks); error != kOk) return error;
  *microseconds = ticks * 1000 / event->card->link().ticks_per_ms();
  return kOk;
}
