#include "memory/retrieval/vector/row_lists.h"

#include <algorithm>
#include <numeric>

#include "common/status.h"
#include "memory/retrieval/vector/node_hash.h"
#include "memory/retrieval/vector/parallel_for.h"
#include "memory/retrieval/vector/quantised_vector.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kSamplesPerList = 32;
constexpr int kIterations = 6;
constexpr size_t kChunk = 16'384;  // rows between two looks at the control

uint32_t Nearest(const RowTable& centroids, const int8_t* row) {
  uint32_t nearest = 0;
  float best = centroids.Score(row, 0);
  for (uint32_t i = 1; i < centroids.size(); ++i) {
    const float score = centroids.Score(row, i);
    if (score > best) {
      best = score;
      nearest = i;
    }
  }
  return nearest;
}

// The means of the rows that are nearest to each centroid; centroids that are nearest to none disappear.
RowTable Improve(const RowTable& rows, const std::vector<uint32_t>& sample, int dimensions, const RowTable& centroids,
                 int threads) {
  std::vector<uint32_t> list_of(sample.size());
  ParallelFor(threads, sample.size(), [&](size_t i) { list_of[i] = Nearest(centroids, rows.row(sample[i])); });
  const auto width = static_cast<size_t>(dimensions);
  std::vector<float> sums(centroids.size() * width);
  for (size_t i = 0; i < sample.size(); ++i) {
    const int8_t* const row = rows.row(sample[i]);
    const float inverse_length = rows.inverse_length(sample[i]);
    float* const sum = &sums[list_of[i] * width];
    for (size_t d = 0; d < width; ++d) sum[d] += static_cast<float>(row[d]) * inverse_length;
  }
  RowTable better(rows.stride(), centroids.size());
  for (size_t list = 0; list < centroids.size(); ++list) {
    const auto mean = QuantisedVector::From({&sums[list * width], width}, dimensions);
    if (mean.ok()) better.Append(mean->row(), mean->inverse_length());
  }
  return better;
}

}  // namespace

std::vector<uint32_t> SampleRows(size_t rows, size_t sample) {
  std::vector<uint32_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  if (sample >= rows) return all;
  std::nth_element(all.begin(), all.begin() + static_cast<ptrdiff_t>(sample), all.end(), [](uint32_t a, uint32_t b) {
    const uint64_t x = NodeHash(a, 0);
    const uint64_t y = NodeHash(b, 0);
    return x != y ? x < y : a < b;
  });
  all.resize(sample);
  std::sort(all.begin(), all.end());
  return all;
}

absl::StatusOr<RowLists> MakeLists(const RowTable& rows, int dimensions, size_t lists, const BuildControl& control) {
  const std::vector<uint32_t> sample = SampleRows(rows.size(), lists * kSamplesPerList);
  RowLists out;
  out.centroids = RowTable(rows.stride(), lists);
  for (const uint32_t row : SampleRows(rows.size(), lists)) {
    out.centroids.Append(rows.row(row), rows.inverse_length(row));
  }
  for (int i = 0; i < kIterations && out.centroids.size() > 1; ++i) {
    RETURN_IF_ERROR(CheckCancelled(control));
    RowTable better = Improve(rows, sample, dimensions, out.centroids, control.threads);
    if (better.size() == 0) break;  // every mean is zero: opposite rows; the first centroids will do
    out.centroids = std::move(better);
  }
  out.list_of.resize(rows.size());
  for (size_t begin = 0; begin < rows.size(); begin += kChunk) {
    RETURN_IF_ERROR(CheckCancelled(control));
    ParallelFor(control.threads, std::min(kChunk, rows.size() - begin),
                [&](size_t i) { out.list_of[begin + i] = Nearest(out.centroids, rows.row(begin + i)); });
    if (control.progress) {
      control.progress(static_cast<uint32_t>(std::min(begin + kChunk, rows.size()) / 2),
                       static_cast<uint32_t>(rows.size()));
    }
  }
  return out;
}

}  // namespace kernelsmith::memory
