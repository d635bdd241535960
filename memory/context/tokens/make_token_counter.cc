#include "memory/context/tokens/make_token_counter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/context/tokens/http_counter.h"
#include "memory/context/tokens/sentencepiece_counter.h"

namespace kernelsmith::memory {
namespace {

constexpr double kDefaultTimeout = 2;
constexpr double kLongestTimeout = 60;

absl::StatusOr<std::unique_ptr<TokenCounter>> MakeHttp(const config::v1::TokenCounting& config,
                                                       const common::Clock& clock) {
  const double timeout = config.timeout_s() == 0 ? kDefaultTimeout : config.timeout_s();
  if (!(timeout > 0 && timeout <= kLongestTimeout)) {
    return common::InvalidField("token_counting.timeout_s",
                                absl::StrCat("is ", config.timeout_s(), "; give up to ", kLongestTimeout, " seconds"));
  }
  absl::StatusOr<std::unique_ptr<HttpTokenCounter>> counter =
      HttpTokenCounter::Create({config.url(), config.model(), absl::Seconds(timeout)}, clock);
  if (!counter.ok()) return common::InvalidField("token_counting.url", counter.status().message());
  return std::unique_ptr<TokenCounter>(*std::move(counter));
}

absl::StatusOr<std::unique_ptr<TokenCounter>> MakeSentencePiece(const config::v1::TokenCounting& config,
                                                                const common::Clock& clock,
                                                                const std::string& program) {
  if (config.model_file().empty()) {
    return common::InvalidField("token_counting.model_file", "is empty; name a SentencePiece model file");
  }
  absl::StatusOr<std::unique_ptr<SentencePieceCounter>> counter =
      SentencePieceCounter::Create({.model_file = config.model_file(), .program = program}, clock);
  if (!counter.ok()) return common::InvalidField("token_counting.model_file", counter.status().message());
  return std::unique_ptr<TokenCounter>(*std::move(counter));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenCounter>> MakeTokenCounter(const config::v1::TokenCounting& config,
                                                               const common::Clock& clock, const std::string& program) {
  const std::string& kind = config.kind();
  if (kind.empty() || kind == "conservative") return std::make_unique<ConservativeTokenCounter>();
  if (kind == "sentencepiece") return MakeSentencePiece(config, clock, program);
  if (kind == "http") return MakeHttp(config, clock);
  return common::InvalidField("token_counting.kind",
                              absl::StrCat("'", kind, "' is not known; choose conservative, sentencepiece or http"));
}

}  // namespace kernelsmith::memory
