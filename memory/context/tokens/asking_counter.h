// The part that counters which ask a tokenizer have in common: nothing is nothing, a text that was counted is not sent
// again, and when the tokenizer does not answer the conservative count stands in, at once while it is known to be down.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "memory/context/token_counter.h"
#include "memory/context/tokens/count_cache.h"
#include "memory/context/tokens/retry_gate.h"

namespace kernelsmith::memory {

class AskingTokenCounter : public TokenCounter {
 public:
  AskingTokenCounter(std::string name, const common::Clock& clock);

  TokenCount Measure(absl::string_view text) const override;
  const std::string& name() const override { return name_; }

 private:
  // What the tokenizer says. Thread-safe; returns within its own time limit.
  virtual absl::StatusOr<int64_t> Ask(absl::string_view text) const = 0;

  const std::string name_;
  const ConservativeTokenCounter conservative_;
  mutable CountCache cache_;
  mutable RetryGate gate_;
};

}  // namespace kernelsmith::memory
