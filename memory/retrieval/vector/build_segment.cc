#include "memory/retrieval/vector/build_segment.h"

#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/retrieval/vector/code_builder.h"
#include "memory/retrieval/vector/segment_file.h"
#include "memory/retrieval/vector/vector_segment.h"

namespace kernelsmith::memory {
namespace {

// Where an item's vector is; null: it has none.
std::vector<const int8_t*> RowsByItem(const SegmentRows& rows) {
  std::vector<const int8_t*> out(rows.last - rows.first, nullptr);
  for (const auto& segment : rows.segments) {
    for (uint32_t item = segment->first(); item < segment->last(); ++item) {
      if (segment->HasVector(item)) out[item - rows.first] = segment->RowOf(item);
    }
  }
  for (size_t i = 0; i < rows.items.size(); ++i) out[rows.items[i] - rows.first] = rows.rows.row(i);
  return out;
}

// One row for equal vectors, in the order in which they first appear.
void Deduplicate(const SegmentRows& rows, SegmentContent& content) {
  const size_t stride = RowStride(rows.dimensions);
  const std::vector<const int8_t*> by_item = RowsByItem(rows);
  std::unordered_map<std::string_view, uint32_t> known;
  known.reserve(by_item.size());
  std::vector<const int8_t*> different;
  content.row_of.assign(by_item.size(), kNoRow);
  for (size_t i = 0; i < by_item.size(); ++i) {
    if (by_item[i] == nullptr) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(by_item[i]), stride);
    const auto [place, is_new] = known.try_emplace(bytes, static_cast<uint32_t>(different.size()));
    if (is_new) different.push_back(by_item[i]);
    content.row_of[i] = place->second;
  }
  content.rows = RowTable(stride, different.size());
  for (const int8_t* const row : different) content.rows.Append(row, InverseLength(row, stride));
}

absl::StatusOr<SegmentInfo> Build(const SegmentRows& rows, const std::string& path, const BuildOptions& options) {
  const BuildControl control{.threads = options.threads, .cancelled = options.cancelled, .progress = options.progress};
  RETURN_IF_ERROR(CheckCancelled(control));
  SegmentContent content{
      .embedder_id = rows.embedder_id, .dimensions = rows.dimensions, .first = rows.first, .last = rows.last};
  Deduplicate(rows, content);
  if (content.rows.size() > 0 && content.rows.size() >= options.codes_from) {
    ASSIGN_OR_RETURN(CodedRows coded, BuildCodes(content.rows, rows.dimensions, control));
    content.rows = std::move(coded.rows);
    content.codes = std::move(coded.codes);
    for (uint32_t& row : content.row_of) {
      if (row != kNoRow) row = coded.place[row];
    }
  }
  RETURN_IF_ERROR(CheckCancelled(control));
  SegmentInfo info{.first = rows.first, .last = rows.last, .rows = content.rows.size()};
  for (const uint32_t row : content.row_of) info.vectors += row == kNoRow ? 0 : 1;
  ASSIGN_OR_RETURN(info.bytes, WriteSegmentFile(path, content));
  info.checksum = std::move(content.checksum);
  return info;
}

}  // namespace

absl::StatusOr<SegmentInfo> BuildSegment(const SegmentRows& rows, const std::string& path,
                                         const BuildOptions& options) {
  try {
    return Build(rows, path, options);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat("not enough memory to build vector segment ", path));
  }
}

}  // namespace kernelsmith::memory
