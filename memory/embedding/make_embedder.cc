#include "memory/embedding/make_embedder.h"

#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/embedding/hashed_embedder.h"
#include "memory/embedding/http_embedder.h"

namespace kernelsmith::memory {
namespace {

constexpr int kMostDimensions = 8192;
constexpr int kLargestBatch = 2048;

absl::StatusOr<std::unique_ptr<Embedder>> MakeHttp(const config::v1::Embedder& config, const EmbedderOptions& options) {
  using common::InvalidField;
  if (!absl::StartsWith(config.url(), "http://") && !absl::StartsWith(config.url(), "https://")) {
    return InvalidField("embedder.url", absl::StrCat("is '", config.url(), "'; give http://... or https://..."));
  }
  if (config.model().empty() || config.model().size() > 128) {
    return InvalidField("embedder.model", "must have 1 to 128 bytes; give the name that the server knows");
  }
  if (config.dimensions() < 1 || config.dimensions() > kMostDimensions) {
    return InvalidField("embedder.dimensions", absl::StrCat("is ", config.dimensions(), "; give 1 to ", kMostDimensions,
                                                            ", what the model returns"));
  }
  if (config.batch() < 0 || config.batch() > kLargestBatch) {
    return InvalidField("embedder.batch",
                        absl::StrCat("is ", config.batch(), "; give 1 to ", kLargestBatch, ", or 0 for the default"));
  }
  if (!std::isfinite(config.timeout_s()) || config.timeout_s() < 0) {
    return InvalidField("embedder.timeout_s", "must be a number of seconds, or 0 for the default");
  }
  HttpEmbedderOptions http{.url = config.url(),
                           .model = config.model(),
                           .api_key_file = config.api_key_file(),
                           .dimensions = config.dimensions()};
  if (config.batch() > 0) http.batch = config.batch();
  if (config.timeout_s() > 0) http.timeout = absl::Seconds(config.timeout_s());
  ASSIGN_OR_RETURN(
      std::unique_ptr<HttpEmbedder> made,
      HttpEmbedder::Make(std::move(http), std::make_unique<RecentEmbeddings>(options.cached_vectors, options.store)));
  return std::unique_ptr<Embedder>(std::move(made));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Embedder>> MakeEmbedder(const config::v1::Embedder& config,
                                                       const EmbedderOptions& options) {
  if (config.kind().empty() || config.kind() == "hashed") {
    return std::unique_ptr<Embedder>(std::make_unique<HashedEmbedder>());
  }
  if (config.kind() == "none") return std::unique_ptr<Embedder>();
  if (config.kind() == "http") return MakeHttp(config, options);
  return common::InvalidField("embedder.kind",
                              absl::StrCat("is '", config.kind(), "'; give \"hashed\", \"http\" or \"none\""));
}

}  // namespace kernelsmith::memory
