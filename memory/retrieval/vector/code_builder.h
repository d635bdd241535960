// Makes the codes of a segment's rows (scan_codes.h).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "memory/retrieval/vector/build_control.h"
#include "memory/retrieval/vector/row_table.h"
#include "memory/retrieval/vector/scan_codes.h"

namespace kernelsmith::memory {

struct CodedRows {
  ScanCodes codes;
  RowTable rows;                // in the order of the lists
  std::vector<uint32_t> place;  // where each row that was given lies now
};

// The same rows give the same codes, whatever the number of threads. CANCELLED. Throws std::bad_alloc. REQUIRES: at
// least one row.
absl::StatusOr<CodedRows> BuildCodes(const RowTable& rows, int dimensions, const BuildControl& control);

}  // namespace kernelsmith::memory
