// Tells a repeated request from another one under the same id.
#pragma once

#include <string>

#include "google/protobuf/message.h"

namespace kernelsmith::memory {

// SHA-256 of the message with its map entries in a fixed order, so that equal messages have equal hashes.
std::string ContentHash(const google::protobuf::Message& message);

}  // namespace kernelsmith::memory
