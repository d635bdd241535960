// Sets of item numbers, compressed. The fold keeps one for every value of every field that a filter names; a query
// intersects a handful of them, at a few microseconds each for a million items.
//
//   FacetIndex index;
//   index.Add(Facet::kOperator, 7, item);      // items come in rising order
//   const ItemBitmap both = index.Union(Facet::kOperator, {7, 9});
//   index.Contains(Facet::kOut, 1, item);
#pragma once

#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <span>

#include "absl/container/flat_hash_map.h"

namespace kernelsmith::memory {

using ItemBitmap = Roaring;

enum class Facet : uint32_t {
  kKind,
  kOperator,
  kFamily,
  kLevel,
  kLabel,
  kStage,
  kPurpose,
  kLayer,
  kBottleneck,
  kThought,
  kProposerKind,
  kModel,
  kProducer,
  kSession,
  kArchitecture,
  kDtype,
  kBundle,
  kName,
  kApplicability,
  kProvenance,  // operators that an item stems from besides its own
  kFailed,      // value 1: attempts that were not correct
  kPrivate,     // value 1: only the producer reads it
  kOut,         // value 1: retired or superseded
  kShared,      // in the graph of "shared": value 1 everyone's, value 2 revoked
  kReader,      // in the graph of "shared": teams that may read it
  kOrigin,      // in the graph of "shared": the team that promoted it
};

class FacetIndex {
 public:
  void Add(Facet facet, uint32_t value, uint32_t item);
  void Remove(Facet facet, uint32_t value, uint32_t item);

  bool Contains(Facet facet, uint32_t value, uint32_t item) const;
  bool IsEmpty(Facet facet, uint32_t value) const;

  // Adds the items of a value to `items`, or takes them out of it, or leaves only them.
  void UniteInto(ItemBitmap& items, Facet facet, uint32_t value) const;
  void SubtractFrom(ItemBitmap& items, Facet facet, uint32_t value) const;
  ItemBitmap Union(Facet facet, std::span<const uint32_t> values) const;

  size_t value_count() const { return postings_.size(); }

 private:
  // Most values of a field such as a name have one item: it needs no bitmap.
  struct Posting {
    uint32_t only = 0;
    bool is_empty = false;  // while `many` is null
    std::unique_ptr<ItemBitmap> many;
  };

  static uint64_t KeyOf(Facet facet, uint32_t value) { return static_cast<uint64_t>(facet) << 32 | value; }
  const Posting* Find(Facet facet, uint32_t value) const;

  absl::flat_hash_map<uint64_t, Posting> postings_;
};

}  // namespace kernelsmith::memory
