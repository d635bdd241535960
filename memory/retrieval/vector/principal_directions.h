// The directions in which rows differ most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/retrieval/vector/row_table.h"

namespace kernelsmith::memory {

// `count` x `dimensions` numbers: unit vectors, perpendicular to each other, the most telling first: the leading
// eigenvectors of the covariance of the rows (scaled to length 1) named by `sample`. Directions in which the sample
// does not differ are all zero. The same for any number of threads.
//
// By orthogonal iteration (Golub and Van Loan, "Matrix Computations", 8.2.4), which is enough to order them nearly;
// REQUIRES: sample is not empty.
std::vector<float> PrincipalDirections(const RowTable& rows, const std::vector<uint32_t>& sample, int dimensions,
                                       size_t count, int threads);

}  // namespace kernelsmith::memory
