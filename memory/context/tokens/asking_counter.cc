#include "memory/context/tokens/asking_counter.h"

#include <utility>

#include "common/logging.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kCachedCounts = 16'384;

}  // namespace

AskingTokenCounter::AskingTokenCounter(std::string name, const common::Clock& clock)
    : name_(std::move(name)), cache_(kCachedCounts), gate_(clock) {}

TokenCount AskingTokenCounter::Measure(absl::string_view text) const {
  if (text.empty()) return {};
  const std::string key = CountCache::KeyOf(text);
  if (const std::optional<int64_t> known = cache_.Get(key)) return {.tokens = *known};
  if (gate_.MayAsk()) {
    const absl::StatusOr<int64_t> tokens = Ask(text);
    if (tokens.ok()) {
      gate_.Answered();
      cache_.Put(key, *tokens);
      return {.tokens = *tokens};
    }
    if (gate_.Failed()) {
      common::LogWarning("memory.token_counter_down",
                         {{"counter", name_}, {"error", std::string(tokens.status().message())}});
    }
  }
  return {.tokens = conservative_.Measure(text).tokens, .stood_in = true};
}

}  // namespace kernelsmith::memory
