// BuildSegment: from rows to a sealed file, beside the traffic.
//
// The result depends on the rows alone, not on threads or time: the same rows give the same bytes. While it runs it
// takes about 1.1 KiB a row of 384 dimensions; docs/memory-vectors.md says how long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "memory/retrieval/vector/segment_rows.h"

namespace kernelsmith::memory {

struct BuildOptions {
  int threads = 2;
  size_t codes_from = 20'000;  // fewer different vectors are scanned whole
  // Both may be empty. Called from the calling thread, several times a second.
  std::function<bool()> cancelled;
  std::function<void(uint32_t done, uint32_t all)> progress;  // rows
};

// A line of the manifest.
struct SegmentInfo {
  std::string checksum;  // hexadecimal SHA-256, as VectorSegment::checksum()
  uint32_t first = 0;    // items [first, last)
  uint32_t last = 0;
  uint64_t vectors = 0;  // items that have one
  uint64_t rows = 0;     // different vectors
  uint64_t bytes = 0;    // of the file
};

// Writes `path` durably: complete or absent. CANCELLED: `cancelled` said so. RESOURCE_EXHAUSTED: no memory. Otherwise
// as common::WriteFileDurably.
absl::StatusOr<SegmentInfo> BuildSegment(const SegmentRows& rows, const std::string& path,
                                         const BuildOptions& options = {});

}  // namespace kernelsmith::memory
