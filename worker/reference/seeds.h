// Seeds of a task's inputs: HMAC-SHA256(secret, task hash, case, variant, epoch). A candidate sees none of secret, seed
// and epoch, so it cannot know its inputs before they lie in its memory. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

struct VariantKey {
  std::string task_hash;
  std::string case_id;
  uint32_t variant = 0;
  uint64_t epoch = 0;
};

// 32 raw bytes.
std::string VariantDigest(absl::string_view secret, const VariantKey& key);

// Seed for the generators of the reference process: 63 bits of the digest, never 0.
int64_t VariantSeed(absl::string_view secret, const VariantKey& key);

// Names the secret without telling it, for cache keys.
std::string SecretId(absl::string_view secret);

}  // namespace kernelsmith::worker
