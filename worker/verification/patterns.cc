#include "worker/verification/patterns.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelsmith::worker {
namespace {

// A region counts as wrong when this part of it is: a few of its values may be right by chance.
constexpr double kMostly = 0.9;

struct Extent {
  int64_t first = 0;  // wrong element with the smallest index
  int64_t last = 0;   // and with the largest
  int64_t count = 0;
};

Extent ExtentOf(const std::vector<uint8_t>& flags) {
  Extent extent{-1, -1, 0};
  for (int64_t i = 0; i < static_cast<int64_t>(flags.size()); ++i) {
    if (flags[i] == 0) continue;
    if (extent.first < 0) extent.first = i;
    extent.last = i;
    ++extent.count;
  }
  return extent;
}

bool Mostly(int64_t part, int64_t whole) { return static_cast<double>(part) >= kMostly * static_cast<double>(whole); }

// "from element 5 on", "in the first 8 elements", "in elements 3 to 9" for one contiguous, mostly wrong region.
std::optional<std::string> Region(const Extent& extent, int64_t total, int64_t row, const char* subject) {
  const int64_t length = extent.last - extent.first + 1;
  if (!Mostly(extent.count, length)) return std::nullopt;
  if (length == total) return absl::StrCat("all elements");
  if (extent.count == 1) return absl::StrCat("only element ", extent.first);
  const bool to_end = extent.last == total - 1;
  if (row > 1 && extent.first % row == 0 && (to_end || (extent.last + 1) % row == 0) && total > row) {
    const int64_t from = extent.first / row;
    const int64_t to = extent.last / row;
    if (to_end && from > 0) return absl::StrCat("every row from ", from);
    if (from == to) return absl::StrCat("only row ", from);
    return from == 0 ? absl::StrCat("every row up to ", to) : absl::StrCat("rows ", from, " to ", to);
  }
  if (to_end) return absl::StrCat("only the tail after ", extent.first);
  if (extent.first == 0) return absl::StrCat("only the first ", extent.last + 1, " ", subject);
  return absl::StrCat("only ", subject, " ", extent.first, " to ", extent.last);
}

// Wrong in the same columns of every row.
std::optional<std::string> Columns(const WrongElements& elements, const Extent& extent, int64_t row) {
  const int64_t total = static_cast<int64_t>(elements.wrong.size());
  const int64_t rows = total / row;
  if (row <= 1 || rows <= 1) return std::nullopt;
  std::vector<int64_t> per_column(row, 0);
  std::vector<uint8_t> rows_hit(rows, 0);
  for (int64_t i = 0; i < total; ++i) {
    per_column[i % row] += elements.wrong[i];
    rows_hit[i / row] |= elements.wrong[i];
  }
  const int64_t hit = std::count(rows_hit.begin(), rows_hit.end(), 1);
  if (hit < 2) return std::nullopt;
  const bool every = hit == rows;
  const int64_t first_row = extent.first / row;
  std::vector<uint8_t> wrong_column(row, 0);
  int64_t covered = 0;
  for (int64_t c = 0; c < row; ++c) {
    if (per_column[c] > 0 && Mostly(per_column[c], hit)) {
      wrong_column[c] = 1;
      covered += per_column[c];
    }
  }
  if (covered != extent.count) return std::nullopt;
  const Extent columns = ExtentOf(wrong_column);
  if (columns.count == 0 || columns.count == row) return std::nullopt;
  const int64_t length = columns.last - columns.first + 1;
  std::string where;
  if (columns.count == 1) {
    where = absl::StrCat("column ", columns.first);
  } else if (length == columns.count) {
    where = columns.last == row - 1 ? absl::StrCat("the columns after ", columns.first)
                                    : absl::StrCat("columns ", columns.first, " to ", columns.last);
  } else {
    const int64_t step = (columns.last - columns.first) / (columns.count - 1);
    for (int64_t c = columns.first; c <= columns.last; ++c) {
      if ((wrong_column[c] == 1) != ((c - columns.first) % step == 0)) return std::nullopt;
    }
    where = absl::StrCat("every ", step, "th column from ", columns.first);
  }
  if (every) return absl::StrCat(where, " of every row");
  const int64_t last_row = extent.last / row;
  if (hit == last_row - first_row + 1) return absl::StrCat(where, " of rows ", first_row, " to ", last_row);
  return absl::StrCat(where, " of ", hit, " rows");
}

// Wrong in whole rows that are not neighbours.
std::optional<std::string> Rows(const WrongElements& elements, int64_t row) {
  const int64_t total = static_cast<int64_t>(elements.wrong.size());
  if (row <= 1 || total <= row) return std::nullopt;
  const int64_t rows = total / row;
  int64_t wrong_rows = 0;
  int64_t first = -1;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t count = std::count(elements.wrong.begin() + r * row, elements.wrong.begin() + (r + 1) * row, 1);
    if (count == 0) continue;
    if (!Mostly(count, row)) return std::nullopt;
    if (first < 0) first = r;
    ++wrong_rows;
  }
  return absl::StrCat(wrong_rows, " of ", rows, " rows, the first is ", first);
}

// Every k-th element.
std::optional<std::string> Stride(const WrongElements& elements, const Extent& extent) {
  if (extent.count < 3) return std::nullopt;
  const int64_t total = static_cast<int64_t>(elements.wrong.size());
  int64_t second = extent.first + 1;
  while (elements.wrong[second] == 0) ++second;
  const int64_t step = second - extent.first;
  if (step < 2) return std::nullopt;
  for (int64_t i = extent.first; i < total; ++i) {
    if ((elements.wrong[i] != 0) != ((i - extent.first) % step == 0)) return std::nullopt;
  }
  return absl::StrCat("every ", step, "th element from ", extent.first);
}

// What the wrong values have in common.
std::string ValueNote(const WrongElements& elements, const Extent& extent, absl::FunctionRef<double(int64_t)> got,
                      absl::FunctionRef<double(int64_t)> want) {
  const int64_t total = static_cast<int64_t>(elements.wrong.size());
  constexpr int64_t kSamples = 4096;
  const int64_t step = std::max<int64_t>(1, extent.count / kSamples);
  int64_t seen = 0;
  int64_t taken = 0;
  bool zeros = true;
  bool ratio_holds = true;
  bool left_holds = true;
  bool right_holds = true;
  std::optional<double> ratio;
  for (int64_t i = extent.first; i <= extent.last; ++i) {
    if (elements.wrong[i] == 0 || seen++ % step != 0) continue;
    ++taken;
    const double g = got(i);
    const double w = want(i);
    zeros &= g == 0;
    if (w != 0 && std::isfinite(g) && std::isfinite(w)) {
      if (!ratio) ratio = g / w;
      ratio_holds &= std::fabs(g - *ratio * w) <= 1e-3 * std::fabs(g);
    } else {
      ratio_holds &= w == 0 && g == 0;
    }
    auto matches = [&](int64_t j) { return j >= 0 && j < total && std::fabs(g - want(j)) <= 1e-5 * std::fabs(g); };
    left_holds &= matches(i - 1);
    right_holds &= matches(i + 1);
  }
  if (zeros) return "; the values are zero";
  if (taken < 4) return "";
  if (ratio_holds && ratio && std::fabs(*ratio) > 1e-6) {
    return absl::StrFormat("; the values are %.4g times the expected ones", *ratio);
  }
  if (left_holds) return "; the values are those expected one element earlier";
  if (right_holds) return "; the values are those expected one element later";
  return "";
}

}  // namespace

std::vector<int64_t> MultiIndex(int64_t index, absl::Span<const int64_t> shape) {
  std::vector<int64_t> result(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    result[d] = index % shape[d];
    index /= shape[d];
  }
  return result;
}

std::string DescribePattern(const WrongElements& elements, absl::FunctionRef<double(int64_t)> got,
                            absl::FunctionRef<double(int64_t)> want) {
  const int64_t total = static_cast<int64_t>(elements.wrong.size());
  const int64_t row = elements.shape.empty() ? 1 : elements.shape.back();
  const Extent extent = ExtentOf(elements.wrong);
  if (!elements.poison.empty()) {
    WrongElements stale{elements.shape, elements.poison, {}};
    for (int64_t i = 0; i < total; ++i) stale.wrong[i] &= elements.wrong[i];
    const Extent left = ExtentOf(stale.wrong);
    if (left.count > 0 && 2 * left.count >= extent.count) {
      const int64_t length = left.last - left.first + 1;
      if (Mostly(left.count, total)) return "still poison: the output was not written at all";
      if (left.last == total - 1 && Mostly(left.count, length)) {
        return absl::StrCat("still poison from element ", left.first, ": not written");
      }
      if (auto columns = Columns(stale, left, row)) return absl::StrCat("still poison in ", *columns, ": not written");
      if (auto rows = Rows(stale, row)) return absl::StrCat("still poison in ", *rows, ": not written");
      return absl::StrCat("still poison at ", left.count, " elements, the first is ", left.first, ": not written");
    }
  }
  std::string where;
  if (auto region = Region(extent, total, row, "elements")) {
    where = *region;
  } else if (auto columns = Columns(elements, extent, row)) {
    where = *columns;
  } else if (auto rows = Rows(elements, row)) {
    where = *rows;
  } else if (auto stride = Stride(elements, extent)) {
    where = *stride;
  } else {
    where = absl::StrFormat("scattered, %.2g %% of all elements between %d and %d",
                            100.0 * static_cast<double>(extent.count) / static_cast<double>(total), extent.first,
                            extent.last);
  }
  return where + ValueNote(elements, extent, got, want);
}

}  // namespace kernelsmith::worker
