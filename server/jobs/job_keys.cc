#include "server/jobs/job_keys.h"

#include "absl/strings/str_cat.h"
#include "common/rocks.h"

namespace kernelsmith::server {
namespace {

constexpr absl::string_view kSeparator("\0", 1);
constexpr size_t kNumberBytes = 8;

}  // namespace

std::string EventKey(absl::string_view job_id, uint64_t sequence) {
  return absl::StrCat(job_id, kSeparator, common::BigEndian64(sequence));
}

std::string RequestKey(absl::string_view team, absl::string_view request_id) {
  return absl::StrCat(team, kSeparator, request_id);
}

std::string ListingPrefix(absl::string_view team) { return absl::StrCat(team, kSeparator); }

std::string ListingKey(absl::string_view team, int64_t submitted_unix_us, absl::string_view job_id) {
  return absl::StrCat(ListingPrefix(team), common::BigEndian64(~static_cast<uint64_t>(submitted_unix_us)), job_id);
}

std::optional<std::string> JobOfListingKey(absl::string_view key) {
  const size_t separator = key.find(kSeparator);
  if (separator == absl::string_view::npos) return std::nullopt;
  const size_t begin = separator + 1 + kNumberBytes;
  if (key.size() <= begin) return std::nullopt;
  return std::string(key.substr(begin));
}

}  // namespace kernelsmith::server
