// What the exported functions share: from handles to objects, with the errors ACL documents. Each returns kOk or the
// code of an error that it has remembered for the thread; `call` is the function's name, for the message.
#pragma once

#include <chrono>
#include <memory>

#include "worker/emulator/runtime/client/codes.h"
#include "worker/emulator/runtime/client/last_error.h"
#include "worker/emulator/runtime/client/process_state.h"

// Exported by the library; everything else is hidden.
#define ACL_API extern "C" __attribute__((visibility("default")))

namespace kernelsmith::emulator::acl {

// A pointer the caller must give. kParamInvalid if it is null.
int RequirePointer(const char* call, const void* pointer);

// The current context. kContextNull if the thread has none, kLostHeartbeat if its device process is gone.
int RequireContext(const char* call, std::shared_ptr<Context>& context);
// A stream that belongs to the current context, null for the default one. kParamInvalid, kStreamContext or the above.
int RequireStream(const char* call, void* handle, std::shared_ptr<Stream>& stream);
int RequireEvent(const char* call, void* handle, std::shared_ptr<Event>& event);

// The code that a failure in stop mode left in the stream's context, if one did.
int RequireUnbroken(const Stream& stream);

// Appends a task to a stream. kLostHeartbeat.
int Enqueue(const char* call, Stream& stream, Message message, uint64_t* sequence = nullptr,
            const void* payload = nullptr, size_t bytes = 0, int descriptor = -1);

// Waits for a stream up to a task and returns how its tasks ended: `timeout_code` if they did not in time.
int Synchronize(const char* call, Stream& stream, uint64_t sequence, Deadline deadline, int timeout_code);

// From milliseconds; -1 is for ever.
Deadline DeadlineAfter(int32_t milliseconds);

int DeviceLost(const char* call);

// Use of cards. OpenCard starts the device process unless it runs already; `reference` counts one SetDevice.
int OpenCard(const char* call, int32_t device, bool reference, std::shared_ptr<Context>& default_context);
// kInvalidDeviceId if this process has no use of it.
int CloseCard(const char* call, int32_t device, bool force);

std::shared_ptr<Context> NewContext(int device, const std::shared_ptr<Card>& card);

}  // namespace kernelsmith::emulator::acl
