// Embeds through an OpenAI-compatible endpoint, POST <url>/v1/embeddings.
//
// Texts are sent in batches, those that were embedded before come from the cache. 408, 409, 429, 5xx and broken
// connections are tried again up to three times, after Retry-After or with jittered backoff. While the endpoint is down
// (circuit_breaker.h) every call fails at once. No message holds the key, which is read from its file for every call,
// so that it can be replaced.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/backoff.h"
#include "common/clock.h"
#include "memory/embedding/circuit_breaker.h"
#include "memory/embedding/embedder.h"
#include "memory/embedding/embedding_cache.h"

namespace kernelsmith::memory {

struct HttpEmbedderOptions {
  std::string url;  // "http://127.0.0.1:8081", with or without "/v1"
  std::string model;
  std::string api_key_file;  // empty: no key
  int dimensions = 0;
  int batch = 32;                                   // texts a request
  absl::Duration timeout = absl::Seconds(10);       // of a request
  absl::Duration query_timeout = absl::Seconds(2);  // of a query's request, if shorter
  int retries = 3;
  common::BackoffPolicy backoff = {.initial = absl::Milliseconds(250), .cap = absl::Seconds(8)};
  absl::Duration longest_retry_after = absl::Seconds(30);  // a server that asks for more is down
  const common::Clock* clock = &common::Clock::Real();
  std::function<void(absl::Duration)> pause;  // between retries; empty: sleeps
};

// Thread-safe.
class HttpEmbedder : public Embedder {
 public:
  // FAILED_PRECONDITION if the key file cannot be read. Sends nothing. `cache` may be null.
  static absl::StatusOr<std::unique_ptr<HttpEmbedder>> Make(HttpEmbedderOptions options,
                                                            std::unique_ptr<EmbeddingCache> cache);

  const std::string& id() const override { return id_; }
  int dimensions() const override { return options_.dimensions; }
  absl::StatusOr<std::vector<Vector>> Embed(absl::Span<const absl::string_view> texts) override;
  absl::StatusOr<Vector> EmbedQuery(absl::string_view text) override;

 private:
  HttpEmbedder(HttpEmbedderOptions options, std::unique_ptr<EmbeddingCache> cache);

  // One batch, with up to `retries` further requests.
  absl::StatusOr<std::vector<Vector>> Ask(absl::Span<const absl::string_view> texts, absl::Duration timeout,
                                          int retries);

  const HttpEmbedderOptions options_;
  const std::string id_;
  const std::string endpoint_;
  const std::unique_ptr<EmbeddingCache> cache_;
  CircuitBreaker breaker_;
};

}  // namespace kernelsmith::memory
