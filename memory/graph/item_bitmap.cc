#include "memory/graph/item_bitmap.h"

namespace kernelsmith::memory {

void FacetIndex::Add(Facet facet, uint32_t value, uint32_t item) {
  const auto [entry, added] = postings_.try_emplace(KeyOf(facet, value), Posting{.only = item});
  if (added) return;
  Posting& posting = entry->second;
  if (posting.many != nullptr) {
    posting.many->add(item);
  } else if (posting.is_empty) {
    posting.only = item;
    posting.is_empty = false;
  } else if (posting.only != item) {
    posting.many = std::make_unique<ItemBitmap>();
    posting.many->add(posting.only);
    posting.many->add(item);
  }
}

void FacetIndex::Remove(Facet facet, uint32_t value, uint32_t item) {
  const auto entry = postings_.find(KeyOf(facet, value));
  if (entry == postings_.end()) return;
  Posting& posting = entry->second;
  if (posting.many != nullptr) {
    posting.many->remove(item);
  } else if (posting.only == item) {
    posting.is_empty = true;
  }
}

const FacetIndex::Posting* FacetIndex::Find(Facet facet, uint32_t value) const {
  const auto entry = postings_.find(KeyOf(facet, value));
  if (entry == postings_.end() || (entry->second.many == nullptr && entry->second.is_empty)) return nullptr;
  return &entry->second;
}

bool FacetIndex::Contains(Facet facet, uint32_t value, uint32_t item) const {
  const Posting* posting = Find(facet, value);
  if (posting == nullptr) return false;
  return posting->many != nullptr ? posting->many->contains(item) : posting->only == item;
}

bool FacetIndex::IsEmpty(Facet facet, uint32_t value) const {
  const Posting* posting = Find(facet, value);
  return posting == nullptr || (posting->many != nullptr && posting->many->isEmpty());
}

void FacetIndex::UniteInto(ItemBitmap& items, Facet facet, uint32_t value) const {
  const Posting* posting = Find(facet, value);
  if (posting == nullptr) return;
  if (posting->many != nullptr) {
    items |= *posting->many;
  } else {
    items.add(posting->only);
  }
}

void FacetIndex::SubtractFrom(ItemBitmap& items, Facet facet, uint32_t value) const {
  const Posting* posting = Find(facet, value);
  if (posting == nullptr) return;
  if (posting->many != nullptr) {
    items -= *posting->many;
  } else {
    items.remove(posting->only);
  }
}

ItemBitmap FacetIndex::Union(Facet facet, std::span<const uint32_t> values) const {
  ItemBitmap items;
  for (const uint32_t value : values) UniteInto(items, facet, value);
  return items;
}

}  // namespace kernelsmith::memory
