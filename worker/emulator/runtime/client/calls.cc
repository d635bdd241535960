#include "worker/emulator/runtime/client/calls.h"

#include <string>

namespace kernelsmith::emulator::acl {
namespace {

std::string Named(const char* call, const char* text) { return std::string(call) + ": " + text; }

template <typename Map>
void EraseOfCard(Map& map, const std::shared_ptr<Card>& card) {
  for (auto entry = map.begin(); entry != map.end();) {
    entry = entry->second->card == card ? map.erase(entry) : std::next(entry);
  }
}

}  // namespace

int RequirePointer(const char* call, const void* pointer) {
  if (pointer != nullptr) return kOk;
  return Fail(kParamInvalid, Named(call, "a pointer is null; pass the address of what the call needs"));
}

int DeviceLost(const char* call) {
  return Fail(kLostHeartbeat, Named(call,
                                    "the emulated device process is gone (lost heartbeat); reset the device with "
                                    "aclrtResetDeviceForce and set it again"));
}

int RequireContext(const char* call, std::shared_ptr<Context>& context) {
  context = CurrentContext();
  if (context == nullptr) {
    return Fail(kContextNull,
                Named(call, "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext first"));
  }
  return context->card->link().Alive() ? kOk : DeviceLost(call);
}

int RequireStream(const char* call, void* handle, std::shared_ptr<Stream>& stream) {
  std::shared_ptr<Context> context;
  if (const int error = RequireContext(call, context); error != kOk) return error;
  stream = FindStream(handle);
  if (stream == nullptr) return Fail(kParamInvalid, Named(call, "the stream is not one, or was destroyed"));
  if (stream->context.lock() != context) {
    return Fail(kStreamContext, Named(call, "the stream belongs to another context than the current one"));
  }
  return kOk;
}

int RequireEvent(const char* call, void* handle, std::shared_ptr<Event>& event) {
  event = FindEvent(handle);
  if (event == nullptr) return Fail(kParamInvalid, Named(call, "the event is not one, or was destroyed"));
  return event->card->link().Alive() ? kOk : DeviceLost(call);
}

int RequireUnbroken(const Stream& stream) {
  const std::shared_ptr<Context> context = stream.context.lock();
  if (context == nullptr) return kOk;
  common::MutexLock lock(context->mutex);
  return context->failure.code == 0 ? kOk : FailWithText(context->failure.code, context->failure.text);
}

int Enqueue(const char* call, Stream& stream, Message message, uint64_t* sequence, const void* payload, size_t bytes,
            int descriptor) {
  message.stream = stream.number;
  const uint64_t task = stream.card->link().Enqueue(message, payload, bytes, descriptor);
  if (task == 0) return DeviceLost(call);
  uint64_t last = stream.last.load();
  while (last < task && !stream.last.compare_exchange_weak(last, task)) {
  }
  if (sequence != nullptr) *sequence = task;
  return kOk;
}

int Synchronize(const char* call, Stream& stream, uint64_t sequence, Deadline deadline, int timeout_code) {
  switch (stream.card->link().Wait(sequence, deadline)) {
    case Waited::kDone:
      break;
    case Waited::kTimeout:
      return Fail(timeout_code, Named(call, "the time limit of the wait is over; the tasks go on"));
    case Waited::kLost:
      return DeviceLost(call);
  }
  stream.card->Settle();
  if (const int error = RequireUnbroken(stream); error != kOk) return error;
  const std::optional<Failure> failure = stream.card->TakeFailure(stream.number, sequence);
  if (!failure) return kOk;
  const std::shared_ptr<Context> context = stream.context.lock();
  if (stream.stop && context != nullptr) {
    common::MutexLock lock(context->mutex);
    if (context->failure.code == 0) context->failure = *failure;
  }
  return FailWithText(failure->code, failure->text);
}

Deadline DeadlineAfter(int32_t milliseconds) {
  if (milliseconds < 0) return Deadline::max();
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

std::shared_ptr<Context> NewContext(int device, const std::shared_ptr<Card>& card) {
  auto context = std::make_shared<Context>();
  context->device = device;
  context->card = card;
  context->default_stream = std::make_shared<Stream>();
  context->default_stream->context = context;
  context->default_stream->card = card;
  context->default_stream->number = card->NewStream();
  return context;
}

int OpenCard(const char* call, int32_t device, bool reference, std::shared_ptr<Context>& default_context) {
  ProcessState& state = ProcessState::Get();
  const Settings& settings = state.settings();
  if (device < 0 || static_cast<size_t>(device) >= settings.devices.size()) {
    return Fail(kInvalidDeviceId, Named(call, "there is no device ") + std::to_string(device) + "; the process sees " +
                                      std::to_string(settings.devices.size()) +
                                      " (KERNELSMITH_EMULATED_DEVICES, ASCEND_RT_VISIBLE_DEVICES)");
  }
  if (!settings.soc) {
    return Fail(kSocVersion, Named(call, "no card is described by ") + settings.soc_path +
                                 "; set KERNELSMITH_EMULATED_SOC to one that is");
  }
  static common::Mutex starting;  // one start at a time; state.mutex stays free for others
  common::MutexLock start(starting);
  {
    common::MutexLock lock(state.mutex);
    if (const auto use = state.cards.find(device); use != state.cards.end()) {
      if (!use->second.card->link().Alive()) return DeviceLost(call);
      if (reference) ++use->second.references;
      default_context = use->second.context;
      return kOk;
    }
  }
  std::string why;
  std::unique_ptr<DeviceLink> link = DeviceLink::Start({.program = settings.root + "/bin/ks-emulated-device",
                                                        .soc_path = settings.soc_path,
                                                        .window = device,
                                                        .device = settings.devices[static_cast<size_t>(device)],
                                                        .memory_bytes = settings.memory_bytes},
                                                       &why);
  if (link == nullptr) return Fail(kDeviceSetup, Named(call, why.c_str()));
  auto card = std::make_shared<Card>(device, std::move(link), settings.memory_bytes);
  default_context = NewContext(device, card);
  common::MutexLock lock(state.mutex);
  if (state.timeout_us != 0) card->link().Tell({.kind = MessageKind::kTimeOut, .a = state.timeout_us});
  state.cards[device] = {card, default_context, reference ? 1 : 0};
  state.contexts[default_context.get()] = default_context;
  return kOk;
}

int CloseCard(const char* call, int32_t device, bool force) {
  ProcessState& state = ProcessState::Get();
  std::shared_ptr<Card> card;  // outlives the lock: its end waits for the device process
  {
    common::MutexLock lock(state.mutex);
    const auto use = state.cards.find(device);
    if (use == state.cards.end()) {
      return Fail(kInvalidDeviceId, Named(call, "device ") + std::to_string(device) + " is not in use by this process");
    }
    if (!force && --use->second.references > 0) return kOk;
    card = use->second.card;
    state.cards.erase(use);
    EraseOfCard(state.contexts, card);
    EraseOfCard(state.streams, card);
    EraseOfCard(state.events, card);
  }
  if (card->link().Alive() && !force) {
    card->link().Wait(card->link().last_enqueued(), Deadline::max());
  }
  card->Settle();
  card->link().Close();
  return kOk;
}

}  // namespace kernelsmith::emulator::acl
