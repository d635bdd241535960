#include "memory/retrieval/vector/code_builder.h"

#include <algorithm>
#include <utility>

#include "common/status.h"
#include "memory/retrieval/vector/parallel_for.h"
#include "memory/retrieval/vector/principal_directions.h"
#include "memory/retrieval/vector/row_lists.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kRowsPerList = 500;
constexpr size_t kMostLists = 4096;
constexpr size_t kSample = 16'384;
constexpr int kIterations = 10;
constexpr size_t kListsAtOnce = 64;

// Which of the 16 prototypes of a group is nearest to the projections at `row`.
uint8_t NearestPrototype(const ScanCodes& codes, uint32_t group, const float* row) {
  const uint32_t first = FirstDirection(codes.groups, group);
  const uint32_t end = first + DirectionsIn(codes.groups, group);
  float best = 0;
  size_t nearest = 0;
  for (size_t p = 0; p < kPrototypes; ++p) {
    float distance = 0;
    for (uint32_t d = first; d < end; ++d) {
      const float apart = row[d] - codes.prototypes[d * kPrototypes + p];
      distance += apart * apart;
    }
    if (p == 0 || distance < best) {
      best = distance;
      nearest = p;
    }
  }
  return static_cast<uint8_t>(nearest);
}

// k-means over the sample's projections (row by row) in the directions of one group.
void TrainGroup(const std::vector<std::vector<float>>& sample, uint32_t group, ScanCodes& codes) {
  const uint32_t first = FirstDirection(codes.groups, group);
  const uint32_t end = first + DirectionsIn(codes.groups, group);
  // Begins with rows spread over the range of the group's first direction.
  std::vector<const std::vector<float>*> sorted;
  sorted.reserve(sample.size());
  for (const auto& row : sample) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [first](const auto* a, const auto* b) { return (*a)[first] < (*b)[first]; });
  for (size_t p = 0; p < kPrototypes; ++p) {
    const auto& row = *sorted[(2 * p + 1) * sorted.size() / (2 * kPrototypes)];
    for (uint32_t d = first; d < end; ++d) codes.prototypes[d * kPrototypes + p] = row[d];
  }
  for (int i = 0; i < kIterations; ++i) {
    double sums[2][kPrototypes] = {};
    size_t counts[kPrototypes] = {};
    for (const auto& row : sample) {
      const size_t nearest = NearestPrototype(codes, group, row.data());
      ++counts[nearest];
      for (uint32_t d = first; d < end; ++d) sums[d - first][nearest] += static_cast<double>(row[d]);
    }
    for (size_t p = 0; p < kPrototypes; ++p) {
      if (counts[p] == 0) continue;
      for (uint32_t d = first; d < end; ++d) {
        codes.prototypes[d * kPrototypes + p] = static_cast<float>(sums[d - first][p] / static_cast<double>(counts[p]));
      }
    }
  }
}

void TrainPrototypes(const RowTable& rows, int dimensions, int threads, ScanCodes& codes) {
  const std::vector<uint32_t> sample = SampleRows(rows.size(), kSample);
  codes.directions = PrincipalDirections(rows, sample, dimensions, DirectionsOf(codes.groups), threads);
  std::vector<std::vector<float>> projected(sample.size());
  ParallelFor(threads, sample.size(), [&](size_t i) {
    Project(codes.directions, dimensions, rows.row(sample[i]), rows.inverse_length(sample[i]), projected[i]);
  });
  codes.prototypes.resize(DirectionsOf(codes.groups) * kPrototypes);
  ParallelFor(threads, codes.groups, [&](size_t group) { TrainGroup(projected, static_cast<uint32_t>(group), codes); });
}

// Writes the codes of the rows of one list.
void EncodeList(const RowTable& rows, int dimensions, uint32_t begin, uint32_t end, int8_t* blocks,
                const ScanCodes& codes) {
  std::vector<float> projected;
  for (uint32_t row = begin; row < end; ++row) {
    Project(codes.directions, dimensions, rows.row(row), rows.inverse_length(row), projected);
    const size_t in_list = row - begin;
    int8_t* const block = blocks + in_list / kBlockRows * codes.block_bytes() + in_list % kBlockRows;
    for (uint32_t group = 0; group < codes.groups; group += 2) {
      const int pair =
          NearestPrototype(codes, group, projected.data()) | NearestPrototype(codes, group + 1, projected.data()) << 4;
      block[group / 2 * kBlockRows] = static_cast<int8_t>(pair);
    }
  }
}

// Rows by list; in a list in the order in which they came.
void Arrange(const RowTable& rows, const RowLists& lists, CodedRows& out) {
  std::vector<uint32_t>& begin = out.codes.list_begin;
  begin.assign(lists.centroids.size() + 1, 0);
  for (const uint32_t list : lists.list_of) ++begin[list + 1];
  for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<uint32_t> at(rows.size());
  out.place.resize(rows.size());
  for (uint32_t row = 0; row < rows.size(); ++row) {
    out.place[row] = next[lists.list_of[row]]++;
    at[out.place[row]] = row;
  }
  out.rows = RowTable(rows.stride(), rows.size());
  for (const uint32_t row : at) out.rows.Append(rows.row(row), rows.inverse_length(row));
}

}  // namespace

absl::StatusOr<CodedRows> BuildCodes(const RowTable& rows, int dimensions, const BuildControl& control) {
  CodedRows out;
  ScanCodes& codes = out.codes;
  codes.groups = GroupsFor(dimensions);
  const size_t wanted = std::clamp<size_t>(rows.size() / kRowsPerList, 1, kMostLists);
  ASSIGN_OR_RETURN(RowLists lists, MakeLists(rows, dimensions, wanted, control));
  Arrange(rows, lists, out);
  codes.centroids = std::move(lists.centroids);
  TrainPrototypes(rows, dimensions, control.threads, codes);
  const std::vector<uint32_t> blocks = BlockBegins(codes.list_begin);
  codes.codes = AlignedBytes(blocks.back() * codes.block_bytes());
  for (size_t begin = 0; begin < codes.lists(); begin += kListsAtOnce) {
    RETURN_IF_ERROR(CheckCancelled(control));
    const size_t count = std::min<size_t>(kListsAtOnce, codes.lists() - begin);
    ParallelFor(control.threads, count, [&](size_t i) {
      const size_t list = begin + i;
      EncodeList(out.rows, dimensions, codes.list_begin[list], codes.list_begin[list + 1],
                 codes.codes.data() + blocks[list] * codes.block_bytes(), codes);
    });
    if (control.progress) {
      const auto all = static_cast<uint32_t>(rows.size());
      control.progress(all / 2 + codes.list_begin[begin + count] / 2, all);
    }
  }
  return out;
}

}  // namespace kernelsmith::memory
