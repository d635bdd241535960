// Embedder: texts to unit vectors, for the vector half of search.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Embedder> embedder, MakeEmbedder(config.embedder()));
//   if (embedder != nullptr) {                                       // null: kind "none", lexical search alone
//     const auto vector = embedder->EmbedQuery(query);
//     if (!vector.ok()) reply.set_vector_search_off(vector.status().message());
//   }
//
// Kinds: "hashed" needs nothing and never fails; "http" asks an OpenAI-compatible endpoint and may be down. Vectors of
// different ids are not comparable: an index belongs to one id.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace kernelsmith::memory {

using Vector = std::vector<float>;

// Thread-safe.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // Names what decides the vectors: kind, version or model, dimensions. "hashed-1/384", "http/bge-small/384".
  virtual const std::string& id() const = 0;
  virtual int dimensions() const = 0;

  // One vector for each text, in order, of dimensions() finite numbers and length 1. All or nothing.
  // UNAVAILABLE: the endpoint is down or overloaded; search goes on with words alone and the item is embedded later.
  // FAILED_PRECONDITION: the endpoint refuses, or its answers have another dimension; someone has to change something.
  virtual absl::StatusOr<std::vector<Vector>> Embed(absl::Span<const absl::string_view> texts) = 0;

  // As above for what somebody waits for: one request, no pauses between retries, at once an error while the endpoint
  // is known to be down.
  virtual absl::StatusOr<Vector> EmbedQuery(absl::string_view text) = 0;
};

}  // namespace kernelsmith::memory
