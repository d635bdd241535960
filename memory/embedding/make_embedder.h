// The embedder that a configuration names.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "memory/embedding/embedder.h"
#include "memory/embedding/embedding_cache.h"

namespace kernelsmith::memory {

struct EmbedderOptions {
  // http: keeps vectors across restarts, behind the cache in memory; may be null. Outlives the embedder.
  EmbeddingCache* store = nullptr;
  size_t cached_vectors = 20'000;  // http: in memory
};

// Null for kind "none"; "hashed" for an empty kind. INVALID_ARGUMENT names the field at fault, FAILED_PRECONDITION if
// the key file is unreadable. Sends nothing.
absl::StatusOr<std::unique_ptr<Embedder>> MakeEmbedder(const config::v1::Embedder& config,
                                                       const EmbedderOptions& options = {});

}  // namespace kernelsmith::memory
