// ScanCodes: what lets a search of a large segment read 32 bytes a row instead of 384, and only of the nearer half of
// the rows.
//
// Lists. Rows lie in the lists of an inverted file: each in the list of its nearest centroid (spherical k-means). A
// search takes the lists in the order of their centroids' nearness until it has enough rows.
//
// Codes. A row is projected on its most telling directions (principal components), those are cut into groups, and of
// each group the nearest of 16 prototypes is kept in 4 bits (product quantisation; Jegou, Douze and Schmid, 2011). A
// query has a table of 16 contributions a group; the sum over groups estimates the score (scanned as Andre, Kermarrec
// and Le Scouarnec, "Cache locality is not enough", VLDB 2015, do). The best by estimate are scored exactly from their
// rows.
//
// Why no neighbour graph: a query of a few words lies far from every text, at about the same distance from thousands.
// On such queries a graph (HNSW, M 16) found 57 % of the nearest ten at ef 100 and 83 % at ef 600 of 50 000 rows;
// docs/memory-vectors.md has the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/retrieval/vector/aligned_bytes.h"
#include "memory/retrieval/vector/row_table.h"

namespace kernelsmith::memory {

inline constexpr size_t kPrototypes = 16;  // of a group
inline constexpr size_t kBlockRows = 64;   // codes of so many rows lie together

// Groups of a code, two a byte; the first half of one direction, the others of two.
constexpr uint32_t GroupsFor(int dimensions) { return dimensions <= 512 ? 64 : 128; }
constexpr uint32_t DirectionsOf(uint32_t groups) { return groups / 2 * 3; }
// The first direction of a group, and how many it has.
constexpr uint32_t FirstDirection(uint32_t groups, uint32_t group) {
  return group < groups / 2 ? group : groups / 2 + (group - groups / 2) * 2;
}
constexpr uint32_t DirectionsIn(uint32_t groups, uint32_t group) { return group < groups / 2 ? 1 : 2; }

struct ScanCodes {
  uint32_t groups = 0;
  std::vector<uint32_t> list_begin;  // row where each list begins; one more at the end; empty: no codes
  RowTable centroids;                // of each list
  std::vector<float> directions;     // DirectionsOf(groups) x dimensions
  std::vector<float> prototypes;     // DirectionsOf(groups) x 16: of each direction, a number of each prototype
  AlignedBytes codes;                // blocks; a list begins a new one

  bool empty() const { return list_begin.empty(); }
  uint32_t lists() const { return empty() ? 0 : static_cast<uint32_t>(list_begin.size() - 1); }
  size_t block_bytes() const { return kBlockRows * groups / 2; }
  size_t memory_bytes() const;
};

// Blocks of a list of `rows` rows.
constexpr size_t BlocksFor(size_t rows) { return (rows + kBlockRows - 1) / kBlockRows; }

// Where each list's blocks begin; one more at the end.
std::vector<uint32_t> BlockBegins(const std::vector<uint32_t>& list_begin);

// `row` times its reciprocal length on each direction.
void Project(const std::vector<float>& directions, int dimensions, const int8_t* row, float inverse_length,
             std::vector<float>& out);

}  // namespace kernelsmith::memory
