// The first bytes of a vector segment: what lies behind them, and how much of it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

inline constexpr size_t kChecksumAt = 16;  // 64 hexadecimal digits
inline constexpr size_t kChecksumBytes = 64;
inline constexpr size_t kCheckedFrom = kChecksumAt + kChecksumBytes;  // the checksum is of all bytes from here
inline constexpr size_t kFixedHeaderBytes = 120;

struct SegmentHeader {
  uint64_t file_bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t dimensions = 0;
  uint32_t rows = 0;
  uint32_t lists = 0;   // 0: no codes
  uint32_t groups = 0;  // of a code
  uint32_t blocks = 0;  // of codes
  std::string embedder_id;
};

// Bytes of the sections, in their order in the file. Each is padded with zeros to a multiple of 64.
struct SegmentSections {
  uint64_t row_of = 0;
  uint64_t rows = 0;
  uint64_t list_begin = 0;
  uint64_t centroids = 0;
  uint64_t directions = 0;
  uint64_t prototypes = 0;
  uint64_t codes = 0;
};

constexpr uint64_t Padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

uint64_t HeaderBytes(const SegmentHeader& header);
SegmentSections SectionsOf(const SegmentHeader& header);
// Header and sections.
uint64_t FileBytes(const SegmentHeader& header);

// With zeros in the checksum's place.
std::string EncodeHeader(const SegmentHeader& header);

// `bytes` are the file's first ones, at least kFixedHeaderBytes + 256 or all. DATA_LOSS: no header, or its numbers
// contradict each other or `file_bytes`. FAILED_PRECONDITION: a newer format.
absl::StatusOr<SegmentHeader> DecodeHeader(absl::string_view bytes, uint64_t file_bytes);

}  // namespace kernelsmith::memory
