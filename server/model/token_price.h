// What a call may cost at most, and what it did cost. Pure.
//
//   const TokenUsage most = ReservedUsage(messages, 8192);
//   const double reserved = CostOf(most, {.per_million_prompt = 2, .per_million_completion = 8});
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/model/chat_completion.h"

namespace kernelsmith::server {

// In the price list's currency.
struct TokenPrice {
  double per_million_prompt = 0;
  double per_million_completion = 0;
};

// An estimate that errs on the high side: a token for every two bytes of ASCII (code and prose have three to four bytes
// a token) and one for every other byte.
int64_t EstimateTokens(absl::string_view text);

// The estimate of the prompt (with 8 tokens a message for roles and separators) and the most that may be generated.
TokenUsage ReservedUsage(const std::vector<ChatMessage>& messages, int64_t max_completion_tokens);

// List price: cached tokens cost as much as others.
double CostOf(const TokenUsage& usage, const TokenPrice& price);

}  // namespace kernelsmith::server
