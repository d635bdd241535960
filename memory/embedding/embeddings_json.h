// The bodies of POST /v1/embeddings as OpenAI-compatible servers understand them. Pure.
//
//   request  {"model": "bge-small", "input": ["text", ...], "encoding_format": "float"}
//   reply    {"data": [{"index": 0, "embedding": [0.1, ...]}, ...]}
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/embedding/embedder.h"

namespace kernelsmith::memory {

// Bytes of a text that are no UTF-8 become U+FFFD.
std::string EmbeddingsRequest(const std::string& model, absl::Span<const absl::string_view> texts);

// `count` vectors of length 1, by their index. UNAVAILABLE: no JSON, other than `count` vectors, an index twice, a
// number that is not finite, or all zero. FAILED_PRECONDITION: another dimension.
absl::StatusOr<std::vector<Vector>> ParseEmbeddings(absl::string_view body, size_t count, int dimensions);

// What an error reply says: error.message, message, detail or the first bytes; one line of at most 200 bytes.
std::string ErrorIn(absl::string_view body);

}  // namespace kernelsmith::memory
