#include "memory/retrieval/lexical/allowed_items.h"

namespace kernelsmith::memory {
namespace {

// Up to one item in so many, the search starts from the allowed items instead of the postings.
constexpr uint64_t kListedFactor = 16;

}  // namespace

AllowedItems::AllowedItems(const Roaring* allowed, uint32_t first, uint32_t last) : allowed_(allowed), first_(first) {
  if (allowed == nullptr) return;
  const uint64_t count = roaring_bitmap_range_cardinality(&allowed->roaring, first, last);
  const uint64_t items = last - first;
  if (count == items) return;
  if (count == 0) {
    form_ = Form::kNone;
    return;
  }
  if (count * kListedFactor > items) {
    form_ = Form::kAsked;
    passes_most_ = count * 2 > items;
    return;
  }
  form_ = Form::kListed;
  listed_.resize(count);
  roaring_uint32_iterator_t next;
  roaring_init_iterator(&allowed->roaring, &next);
  roaring_move_uint32_iterator_equalorlarger(&next, first);
  roaring_read_uint32_iterator(&next, listed_.data(), static_cast<uint32_t>(count));
  for (uint32_t& item : listed_) item -= first;
}

}  // namespace kernelsmith::memory
