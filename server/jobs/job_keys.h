// Keys of the job store. Documented in docs/formats.md.
//
// Team names and request ids may hold any byte but NUL, which separates the parts; big-endian numbers sort like
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::server {

// Column families, in this order.
enum JobFamily { kJobs = 0, kEvents = 1, kRequests = 2, kListing = 3 };

// kEvents: job id, NUL, sequence.
std::string EventKey(absl::string_view job_id, uint64_t sequence);
// kRequests: team, NUL, request id.
std::string RequestKey(absl::string_view team, absl::string_view request_id);
// kListing: team (empty: every job is listed there too), NUL, inverted submission time, job id: newest first.
std::string ListingKey(absl::string_view team, int64_t submitted_unix_us, absl::string_view job_id);
std::string ListingPrefix(absl::string_view team);
// Job id of a listing key. Nothing if it is malformed.
std::optional<std::string> JobOfListingKey(absl::string_view key);

}  // namespace kernelsmith::server
