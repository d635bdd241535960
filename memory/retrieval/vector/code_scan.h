// The rows that are probably nearest to a query, by their codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/scan_codes.h"

namespace kernelsmith::memory {

// The `keep` rows with the best estimates among those that `admits`, in ascending order, from the lists that are
// nearest to the query and together hold `scan` rows or more. `blocks` is BlockBegins of the lists.
std::vector<uint32_t> LikelyRows(const ScanCodes& codes, const std::vector<uint32_t>& blocks,
                                 const QuantisedVector& query, int dimensions, size_t scan, size_t keep,
                                 absl::FunctionRef<bool(uint32_t row)> admits);

}  // namespace kernelsmith::memory
