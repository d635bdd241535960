// Fields that a streamed chunk and a whole completion have in common. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "absl/status/status.h"
#include "server/model/chat_completion.h"

namespace kernelsmith::server {

// UNAVAILABLE with the server's message if `body` is {"error": ...}.
absl::Status ErrorObject(const nlohmann::json& body);

// Nothing unless prompt_tokens or completion_tokens is there.
std::optional<TokenUsage> UsageOf(const nlohmann::json& body);

}  // namespace kernelsmith::server
