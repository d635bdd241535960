#include "worker/reference/seeds.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace kernelsmith::worker {

std::string VariantDigest(absl::string_view secret, const VariantKey& key) {
  // The hash of the fields is unambiguous where their concatenation would not be.
  return common::HmacSha256(secret, common::HashFields("variant", key.task_hash, key.case_id, absl::StrCat(key.variant),
                                                       absl::StrCat(key.epoch)));
}

int64_t VariantSeed(absl::string_view secret, const VariantKey& key) {
  const std::string digest = VariantDigest(secret, key);
  uint64_t word = 0;
  std::memcpy(&word, digest.data(), sizeof(word));
  word >>= 1;
  return word == 0 ? 1 : static_cast<int64_t>(word);
}

std::string SecretId(absl::string_view secret) { return common::HashFields("secret id", secret).substr(0, 16); }

}  // namespace kernelsmith::worker
