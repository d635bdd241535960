#include "server/model/token_price.h"

#include <algorithm>

namespace kernelsmith::server {

int64_t EstimateTokens(absl::string_view text) {
  const auto ascii =
      std::count_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const auto size = static_cast<int64_t>(text.size());
  return (ascii + 1) / 2 + (size - ascii);
}

TokenUsage ReservedUsage(const std::vector<ChatMessage>& messages, int64_t max_completion_tokens) {
  TokenUsage usage{.completion = max_completion_tokens};
  for (const ChatMessage& message : messages) usage.prompt += 8 + EstimateTokens(message.content);
  return usage;
}

double CostOf(const TokenUsage& usage, const TokenPrice& price) {
  return (static_cast<double>(usage.prompt) * price.per_million_prompt +
          static_cast<double>(usage.completion) * price.per_million_completion) /
         1e6;
}

}  // namespace kernelsmith::server
