#include "memory/retrieval/vector/principal_directions.h"

#include <algorithm>
#include <cmath>

#include "memory/retrieval/vector/node_hash.h"
#include "memory/retrieval/vector/parallel_for.h"

namespace kernelsmith::memory {
namespace {

constexpr int kIterations = 16;
constexpr double kNothing = 1e-9;  // a direction shorter than this has no variance

using Matrix = std::vector<double>;  // row by row

double Product(const double* a, const double* b, size_t width) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= width; i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (; i < width; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

// Of the sample, width x width.
Matrix Covariance(const RowTable& rows, const std::vector<uint32_t>& sample, size_t width, int threads) {
  // Column by column: the sample's numbers of one dimension lie together.
  const size_t count = sample.size();
  Matrix columns(width * count);
  ParallelFor(threads, width, [&](size_t d) {
    double sum = 0;
    for (size_t s = 0; s < count; ++s) {
      const double number = rows.row(sample[s])[d] * static_cast<double>(rows.inverse_length(sample[s]));
      columns[d * count + s] = number;
      sum += number;
    }
    for (size_t s = 0; s < count; ++s) columns[d * count + s] -= sum / static_cast<double>(count);
  });
  Matrix covariance(width * width);
  ParallelFor(threads, width, [&](size_t i) {
    for (size_t j = i; j < width; ++j) {
      const double product = Product(&columns[i * count], &columns[j * count], count) / static_cast<double>(count);
      covariance[i * width + j] = product;
      covariance[j * width + i] = product;
    }
  });
  return covariance;
}

// Makes the rows of `vectors` perpendicular to those before them, and of length 1 or 0 (modified Gram-Schmidt).
void Orthonormalise(Matrix& vectors, size_t count, size_t width) {
  for (size_t k = 0; k < count; ++k) {
    double* const vector = &vectors[k * width];
    const double before = std::sqrt(Product(vector, vector, width));
    for (size_t earlier = 0; earlier < k; ++earlier) {
      const double* const other = &vectors[earlier * width];
      const double along = Product(vector, other, width);
      for (size_t d = 0; d < width; ++d) vector[d] -= along * other[d];
    }
    const double length = std::sqrt(Product(vector, vector, width));
    const bool nothing = length <= kNothing * std::max(before, kNothing);
    for (size_t d = 0; d < width; ++d) vector[d] = nothing ? 0 : vector[d] / length;
  }
}

}  // namespace

std::vector<float> PrincipalDirections(const RowTable& rows, const std::vector<uint32_t>& sample, int dimensions,
                                       size_t count, int threads) {
  const auto width = static_cast<size_t>(dimensions);
  const size_t found = std::min(count, width);
  const Matrix covariance = Covariance(rows, sample, width, threads);
  Matrix vectors(found * width);
  for (size_t i = 0; i < vectors.size(); ++i) {
    vectors[i] = static_cast<double>(NodeHash(i, 5) >> 11) * 0x1p-53 - 0.5;
  }
  Orthonormalise(vectors, found, width);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Matrix next(vectors.size());
    ParallelFor(threads, found, [&](size_t k) {
      for (size_t d = 0; d < width; ++d) {
        next[k * width + d] = Product(&covariance[d * width], &vectors[k * width], width);
      }
    });
    Orthonormalise(next, found, width);
    vectors = std::move(next);
  }
  std::vector<float> out(count * width);
  std::transform(vectors.begin(), vectors.end(), out.begin(), [](double number) { return static_cast<float>(number); });
  return out;
}

}  // namespace kernelsmith::memory
