// The file of a vector segment (docs/formats.md, "vector segments"): written once, read whole, and checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/retrieval/vector/row_table.h"
#include "memory/retrieval/vector/scan_codes.h"

namespace kernelsmith::memory {

inline constexpr uint32_t kSegmentFormat = 1;
inline constexpr uint32_t kNoRow = 0xffffffff;

struct SegmentContent {
  std::string embedder_id;
  int dimensions = 0;
  uint32_t first = 0;  // items [first, last)
  uint32_t last = 0;
  std::vector<uint32_t> row_of;  // of each item; kNoRow: it has no vector
  RowTable rows;                 // different vectors; by list if there are codes
  ScanCodes codes;
  std::string checksum;  // set by both functions
};

// Complete or absent under `path`. Sets content.checksum; returns the file's bytes.
absl::StatusOr<uint64_t> WriteSegmentFile(const std::string& path, SegmentContent& content);

// NOT_FOUND, DATA_LOSS, FAILED_PRECONDITION as VectorSegment::Open. Throws std::bad_alloc.
absl::StatusOr<SegmentContent> ReadSegmentFile(const std::string& path, absl::string_view embedder_id, int dimensions);

}  // namespace kernelsmith::memory
