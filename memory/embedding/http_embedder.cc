#include "memory/embedding/http_embedder.h"

#include <algorithm>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/model/http_post.h"
#include "common/status.h"
#include "memory/embedding/embeddings_json.h"

namespace kernelsmith::memory {
namespace {

bool IsRetryable(int status) { return status == 408 || status == 409 || status == 429 || status >= 500; }

std::string EndpointOf(absl::string_view url) {
  while (absl::ConsumeSuffix(&url, "/")) {
  }
  return absl::StrCat(url, absl::EndsWith(url, "/v1") ? "" : "/v1", "/embeddings");
}

absl::StatusOr<std::string> LoadKey(const std::string& file) {
  if (file.empty()) return std::string();
  auto key = common::ReadFile(file);
  if (!key.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("embedder.api_key_file: ", key.status().message(), "; create it or correct the name"));
  }
  absl::StripAsciiWhitespace(&*key);
  if (key->empty() || !std::all_of(key->begin(), key->end(), absl::ascii_isgraph)) {
    return absl::FailedPreconditionError(
        absl::StrCat("embedder.api_key_file: ", file, " must hold one word of printable ASCII, the key"));
  }
  return key;
}

// What came of one request.
struct Outcome {
  absl::StatusOr<std::vector<Vector>> vectors;
  bool retryable = false;
  bool is_down = false;  // a sign that the server does not work
  absl::Duration retry_after = absl::ZeroDuration();
};

Outcome Judge(const absl::StatusOr<common::PostReply>& reply, size_t count, int dimensions, const std::string& key) {
  if (!reply.ok()) return {.vectors = reply.status(), .retryable = true, .is_down = true};
  if (reply->status == 200) {
    Outcome outcome{.vectors = ParseEmbeddings(reply->body, count, dimensions)};
    outcome.is_down = absl::IsUnavailable(outcome.vectors.status());
    return outcome;
  }
  std::string said = ErrorIn(reply->body);
  if (!key.empty()) said = absl::StrReplaceAll(said, {{key, "[key]"}});
  const std::string message = absl::StrCat("HTTP ", reply->status, ": ", said);
  if (!IsRetryable(reply->status)) {
    return {.vectors = absl::FailedPreconditionError(
                absl::StrCat(message, "; check embedder.url, embedder.model and embedder.api_key_file"))};
  }
  return {.vectors = absl::UnavailableError(message),
          .retryable = true,
          .is_down = true,
          .retry_after = reply->retry_after.value_or(absl::ZeroDuration())};
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpEmbedder>> HttpEmbedder::Make(HttpEmbedderOptions options,
                                                                 std::unique_ptr<EmbeddingCache> cache) {
  RETURN_IF_ERROR(LoadKey(options.api_key_file).status());
  return std::unique_ptr<HttpEmbedder>(new HttpEmbedder(std::move(options), std::move(cache)));
}

HttpEmbedder::HttpEmbedder(HttpEmbedderOptions options, std::unique_ptr<EmbeddingCache> cache)
    : options_(std::move(options)),
      id_(absl::StrCat("http/", options_.model, "/", options_.dimensions)),
      endpoint_(EndpointOf(options_.url)),
      cache_(std::move(cache)),
      breaker_(*options_.clock) {}

absl::StatusOr<std::vector<Vector>> HttpEmbedder::Ask(absl::Span<const absl::string_view> texts, absl::Duration timeout,
                                                      int retries) {
  ASSIGN_OR_RETURN(const std::string key, LoadKey(options_.api_key_file));
  common::PostRequest request{.url = endpoint_,
                              .headers = {"Content-Type: application/json"},
                              .body = EmbeddingsRequest(options_.model, texts),
                              .timeout = timeout};
  if (!key.empty()) request.headers.push_back(absl::StrCat("Authorization: Bearer ", key));
  if (const absl::Status down = breaker_.Enter(); !down.ok()) {
    return common::Annotate(down, absl::StrCat("embedding server ", endpoint_));
  }
  absl::BitGen random;
  for (int retry = 1;; ++retry) {
    Outcome outcome = Judge(common::Post(request), texts.size(), options_.dimensions, key);
    const bool again = outcome.retryable && retry <= retries && outcome.retry_after <= options_.longest_retry_after;
    if (!outcome.is_down) {
      breaker_.Succeeded();
    } else if (!again) {
      breaker_.Failed(outcome.vectors.status().message(), outcome.retry_after);
    }
    if (outcome.vectors.ok()) return std::move(outcome.vectors);
    if (!again) return common::Annotate(outcome.vectors.status(), absl::StrCat("embedding server ", endpoint_));
    const absl::Duration pause = std::max(outcome.retry_after, common::BackoffDelay(options_.backoff, retry, random));
    if (options_.pause) {
      options_.pause(pause);
    } else {
      absl::SleepFor(pause);
    }
  }
}

absl::StatusOr<std::vector<Vector>> HttpEmbedder::Embed(absl::Span<const absl::string_view> texts) {
  std::vector<Vector> out(texts.size());
  std::vector<std::string> keys(texts.size());
  std::vector<size_t> unknown;
  for (size_t i = 0; i < texts.size(); ++i) {
    keys[i] = EmbeddingKey(id_, texts[i]);
    auto kept = cache_ == nullptr ? std::nullopt : cache_->Get(keys[i]);
    if (kept.has_value() && kept->size() == static_cast<size_t>(options_.dimensions)) {
      out[i] = *std::move(kept);
    } else {
      unknown.push_back(i);
    }
  }
  const auto batch = static_cast<size_t>(std::max(options_.batch, 1));
  for (size_t begin = 0; begin < unknown.size(); begin += batch) {
    const size_t end = std::min(begin + batch, unknown.size());
    std::vector<absl::string_view> some;
    for (size_t i = begin; i < end; ++i) some.push_back(texts[unknown[i]]);
    ASSIGN_OR_RETURN(std::vector<Vector> vectors, Ask(some, options_.timeout, options_.retries));
    for (size_t i = begin; i < end; ++i) {
      if (cache_ != nullptr) cache_->Put(keys[unknown[i]], vectors[i - begin]);
      out[unknown[i]] = std::move(vectors[i - begin]);
    }
  }
  return out;
}

absl::StatusOr<Vector> HttpEmbedder::EmbedQuery(absl::string_view text) {
  const std::string key = EmbeddingKey(id_, text);
  if (cache_ != nullptr) {
    auto kept = cache_->Get(key);
    if (kept.has_value() && kept->size() == static_cast<size_t>(options_.dimensions)) return *std::move(kept);
  }
  ASSIGN_OR_RETURN(std::vector<Vector> vectors,
                   Ask({&text, 1}, std::min(options_.timeout, options_.query_timeout), /*retries=*/0));
  if (cache_ != nullptr) cache_->Put(key, vectors[0]);
  return std::move(vectors[0]);
}

}  // namespace kernelsmith::memory
