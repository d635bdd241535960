// Packets of protocol.h over a SOCK_SEQPACKET socket. Free of dependencies, for the library and the device process.
//
// Example:
//   std::vector<std::byte> payload;
//   int descriptor = -1;
//   Message message;
//   if (ReceiveMessage(fd, message, payload, descriptor, false) == Received::kMessage) ...
#pragma once

#include <cstddef>
#include <vector>

#include "worker/emulator/runtime/protocol.h"

namespace kernelsmith::emulator {

// Blocks while the other side's buffer is full. `descriptor` of -1 sends none; it stays open here. False when the other
// side is gone, or the payload is larger than kMaxPayload.
bool SendMessage(int socket, const Message& message, const void* payload, size_t bytes, int descriptor);

enum class Received { kMessage, kNothing, kGone };

// `descriptor` receives a close-on-exec descriptor the caller owns, or -1. Without `wait`, kNothing when no packet is
// there. A packet that is no Message counts as kGone.
Received ReceiveMessage(int socket, Message& message, std::vector<std::byte>& payload, int& descriptor, bool wait);

}  // namespace kernelsmith::emulator
