// Which files of the content store a message refers to.
#pragma once

#include <set>
#include <string>

#include "google/protobuf/message.h"

namespace kernelsmith::server {

// Adds the digest of every ArtifactRef in the message, however deep.
void CollectDigests(const google::protobuf::Message& message, std::set<std::string>& digests);

}  // namespace kernelsmith::server
