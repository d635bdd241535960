#include "memory/retrieval/vector/vector_index.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

absl::Status Refused(const VectorSegment& segment, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("vector segment of items ", segment.first(), " to ", segment.last(), " cannot be used: ", why));
}

}  // namespace

VectorIndex::VectorIndex(std::string embedder_id, int dimensions)
    : embedder_id_(std::move(embedder_id)), dimensions_(dimensions), delta_(RowStride(dimensions)) {}

std::vector<uint32_t> VectorIndex::ItemsWithoutVector(uint32_t from, size_t limit) const {
  std::vector<uint32_t> out;
  auto at = missing_.begin();
  for (at.equalorlarger(from); at != missing_.end() && out.size() < limit; ++at) out.push_back(*at);
  return out;
}

size_t VectorIndex::memory_bytes() const {
  size_t bytes = delta_.memory_bytes() + missing_.getSizeInBytes();
  for (const auto& segment : segments_) bytes += segment->memory_bytes();
  return bytes;
}

absl::Status VectorIndex::Add(absl::Span<const float> vector) {
  if (vector.empty()) {
    missing_.add(size_++);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const QuantisedVector row, QuantisedVector::From(vector, dimensions_));
  try {
    delta_.Add(size_, row);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("not enough memory for another vector");
  }
  ++size_;
  return absl::OkStatus();
}

absl::Status VectorIndex::AddVector(uint32_t item, absl::Span<const float> vector) {
  if (item >= size_) return absl::OutOfRangeError(absl::StrCat("no item ", item, ": the index has ", size_));
  if (!missing_.contains(item)) return absl::AlreadyExistsError(absl::StrCat("item ", item, " has a vector"));
  ASSIGN_OR_RETURN(const QuantisedVector row, QuantisedVector::From(vector, dimensions_));
  try {
    delta_.Add(item, row);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("not enough memory for another vector");
  }
  missing_.remove(item);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<VectorHit>> VectorIndex::Find(absl::Span<const float> query, size_t limit,
                                                         const Roaring* allowed, bool exact) const {
  ASSIGN_OR_RETURN(const QuantisedVector row, QuantisedVector::From(query, dimensions_));
  TopHits hits(limit);
  delta_.Scan(row, allowed, hits);
  for (const auto& segment : segments_) {
    if (exact) {
      segment->SearchExact(row, allowed, hits);
    } else {
      segment->Search(row, allowed, limit, hits);
    }
  }
  std::vector<VectorHit> out;
  for (const ScoredItem& hit : hits.Take()) {
    out.push_back({.item = hit.item, .cosine = std::clamp(hit.score * row.inverse_length(), -1.0F, 1.0F)});
  }
  return out;
}

absl::StatusOr<std::vector<VectorHit>> VectorIndex::Search(absl::Span<const float> query, size_t limit,
                                                           const Roaring* allowed) const {
  return Find(query, limit, allowed, /*exact=*/false);
}

absl::StatusOr<std::vector<VectorHit>> VectorIndex::SearchExact(absl::Span<const float> query, size_t limit,
                                                                const Roaring* allowed) const {
  return Find(query, limit, allowed, /*exact=*/true);
}

SegmentRows VectorIndex::Rows(uint32_t first, uint32_t last) const {
  SegmentRows out{.embedder_id = embedder_id_, .dimensions = dimensions_, .first = first, .last = last};
  for (const auto& segment : segments_) {
    if (segment->first() >= first && segment->last() <= last) out.segments.push_back(segment);
  }
  delta_.CopyTo(first, last, out.items, out.rows);
  return out;
}

absl::Status VectorIndex::Swap(std::shared_ptr<const VectorSegment> segment) {
  const uint32_t first = segment->first();
  const uint32_t last = segment->last();
  if (segment->embedder_id() != embedder_id_ || segment->dimensions() != dimensions_) {
    return Refused(*segment,
                   absl::StrCat("it is of embedder '", segment->embedder_id(), "', the index of '", embedder_id_, "'"));
  }
  if (first == last) return Refused(*segment, "it covers no item");
  if (first > sealed()) return Refused(*segment, absl::StrCat("items from ", sealed(), " on are not sealed"));
  if (last > size_ && first != size_) return Refused(*segment, absl::StrCat("the index has ", size_, " items"));
  // Segments [begin, end) go.
  const auto begin = std::find_if(segments_.begin(), segments_.end(), [&](const auto& s) { return s->last() > first; });
  const auto end = std::find_if(begin, segments_.end(), [&](const auto& s) { return s->first() >= last; });
  for (auto old = begin; old != end; ++old) {
    if ((*old)->first() < first || (*old)->last() > last)
      return Refused(*segment, "it covers a part of another segment");
    for (uint32_t item = (*old)->first(); item < (*old)->last(); ++item) {
      if ((*old)->HasVector(item) && !segment->HasVector(item)) {
        return Refused(*segment, absl::StrCat("it lacks the vector of item ", item));
      }
    }
  }
  try {
    delta_.Remove([&](uint32_t item) { return segment->HasVector(item); });
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("not enough memory to swap in a vector segment");
  }
  if (first == size_) {
    missing_.addRange(first, last);
    size_ = last;
  }
  for (uint32_t item = first; item < last; ++item) {
    if (segment->HasVector(item)) missing_.remove(item);
  }
  segments_.insert(segments_.erase(begin, end), std::move(segment));
  return absl::OkStatus();
}

}  // namespace kernelsmith::memory
