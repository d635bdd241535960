// Where an import stands, as text that a client sends back to go on after its stream broke.
//
// URL-safe base64 of "1:<next row>:<digest of the rows before>:<hash of the manifest>:<check>"; the check is the
// beginning of SHA-256 over what stands before it, and finds typing errors, not forgery: a client harms only itself.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

struct ResumePoint {
  uint64_t next_row = 0;        // at least 1: the manifest was taken
  std::string digest;           // RowChain::digest before that row
  std::string manifest_sha256;  // says which export it is
};

std::string EncodeResumeToken(const ResumePoint& point);

// INVALID_ARGUMENT for what is no token, FAILED_PRECONDITION for one of a newer version.
absl::StatusOr<ResumePoint> DecodeResumeToken(absl::string_view token);

}  // namespace kernelsmith::memory
