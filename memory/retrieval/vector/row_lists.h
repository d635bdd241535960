// The lists of an inverted file: rows by their nearest centroid.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "memory/retrieval/vector/build_control.h"
#include "memory/retrieval/vector/row_table.h"

namespace kernelsmith::memory {

struct RowLists {
  RowTable centroids;
  std::vector<uint32_t> list_of;  // of each row
};

// Up to `sample` rows, the same ones for a size, in ascending order.
std::vector<uint32_t> SampleRows(size_t rows, size_t sample);

// At most `lists` lists by spherical k-means over a sample; empty ones are left out. CANCELLED. REQUIRES: rows.size() >
// 0 and lists > 0.
absl::StatusOr<RowLists> MakeLists(const RowTable& rows, int dimensions, size_t lists, const BuildControl& control);

}  // namespace kernelsmith::memory
