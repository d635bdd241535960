#include "common/ids.h"

#include <openssl/rand.h>

#include <array>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::common {
namespace {

std::string RandomHex(int bytes) {
  std::string raw(static_cast<size_t>(bytes), '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), bytes) != 1)
    std::abort();  // no entropy: nothing is safe
  return absl::BytesToHexString(raw);
}

}  // namespace

std::string RandomId() { return RandomHex(16); }

std::string ShortId(absl::string_view prefix) { return absl::StrCat(prefix, "-", RandomHex(6)); }

}  // namespace kernelsmith::common
