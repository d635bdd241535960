#include "memory/exchange/resume_token.h"

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/hash.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr int kVersion = 1;
constexpr size_t kParts = 5;
constexpr size_t kCheckDigits = 16;
constexpr size_t kHashDigits = 64;

std::string CheckOf(absl::string_view body) { return common::Sha256Hex(body).substr(0, kCheckDigits); }

}  // namespace

std::string EncodeResumeToken(const ResumePoint& point) {
  const std::string body = absl::StrCat(kVersion, ":", point.next_row, ":", point.digest, ":", point.manifest_sha256);
  return absl::WebSafeBase64Escape(absl::StrCat(body, ":", CheckOf(body)));
}

absl::StatusOr<ResumePoint> DecodeResumeToken(absl::string_view token) {
  const absl::Status foreign =
      common::InvalidField("resume_token", "is none that an import gave; send the last one that arrived, or none");
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return foreign;
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  int version = 0;
  if (!absl::SimpleAtoi(parts.front(), &version) || version < 1) return foreign;
  if (version > kVersion) {
    return common::BadState("RESUME_TOKEN", "resume_token",
                            absl::StrCat("has version ", version, ", this program knows ", kVersion,
                                         "; go on with the program that gave it, or begin anew"));
  }
  if (parts.size() != kParts) return foreign;
  ResumePoint point{.digest = parts[2], .manifest_sha256 = parts[3]};
  const std::string body = text.substr(0, text.rfind(':'));
  if (!absl::SimpleAtoi(parts[1], &point.next_row) || point.next_row == 0 || point.digest.size() != kHashDigits ||
      point.manifest_sha256.size() != kHashDigits || parts[4] != CheckOf(body)) {
    return foreign;
  }
  return point;
}

}  // namespace kernelsmith::memory
