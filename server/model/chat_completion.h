// Bodies of POST /v1/chat/completions: the request, and a reply that is not streamed. Pure.
//
//   const std::string body = RequestBody({.model = "m", .messages = {{"user", "Hello"}}, .max_completion_tokens = 64});
//   ASSIGN_OR_RETURN(ChatReply reply, ParseCompletion(R"({"choices": [{"message": {"content": "Hi"}}]})"));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::server {

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;

  friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

struct ChatRequest {
  std::string model;
  std::vector<ChatMessage> messages;
  double temperature = 0;
  int64_t max_completion_tokens = 0;
};

// Tokens of one call.
struct TokenUsage {
  int64_t prompt = 0;  // cached ones included
  int64_t completion = 0;
  int64_t cached = 0;  // of the prompt, where the server says so

  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

struct ChatReply {
  std::string text;
  std::string finish_reason;  // "stop", "length", ...; empty if the server gave none
  std::string model;          // that answered, as the server names it
  std::string id;
  std::optional<TokenUsage> usage;

  friend bool operator==(const ChatReply&, const ChatReply&) = default;
};

// JSON that asks for a stream with usage. Bytes that are no UTF-8 become U+FFFD.
std::string RequestBody(const ChatRequest& request);

// A reply as JSON, in the form that ParseCompletion reads: how a streamed reply is kept.
std::string CompletionBody(const ChatReply& reply);

// INVALID_ARGUMENT: not JSON (with the offset of the bad byte) or not a chat completion. UNAVAILABLE: the body is an
// error object.
absl::StatusOr<ChatReply> ParseCompletion(absl::string_view body);

}  // namespace kernelsmith::server
