// SHA-256 and HMAC-SHA-256 through OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view data);

// 32 raw bytes.
std::string HmacSha256(absl::string_view key, absl::string_view data);

// Incremental hashing of streams.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Update(absl::string_view data);
  // REQUIRES: called once, last.
  std::string FinishHex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// A hash of several fields that no shift of bytes between fields can forge (lengths are hashed too).
template <typename... Fields>
std::string HashFields(const Fields&... fields) {
  Sha256 hash;
  auto add = [&hash](absl::string_view field) {
    const std::string length = std::to_string(field.size()) + ":";
    hash.Update(length);
    hash.Update(field);
  };
  (add(fields), ...);
  return hash.FinishHex();
}

}  // namespace kernelsmith::common
