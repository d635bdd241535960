#include "memory/retrieval/item_filter.h"

#include <utility>

namespace kernelsmith::memory {
namespace {

// A set that starts as "every item" and is only written out once something leaves it.
class Allowed {
 public:
  explicit Allowed(int item_count) : item_count_(item_count) {}

  void Keep(ItemBitmap items) {
    if (items_ == nullptr) {
      items_ = std::make_unique<ItemBitmap>(std::move(items));
    } else {
      *items_ &= items;
    }
  }

  ItemBitmap& WrittenOut() {
    if (items_ == nullptr) {
      items_ = std::make_unique<ItemBitmap>();
      if (item_count_ > 0) items_->addRange(0, static_cast<uint64_t>(item_count_));
    }
    return *items_;
  }

  void Drop(const FacetIndex& index, Facet facet, uint32_t value) {
    if (!index.IsEmpty(facet, value)) index.SubtractFrom(WrittenOut(), facet, value);
  }

  std::unique_ptr<ItemBitmap> Take() { return std::move(items_); }

 private:
  const int item_count_;
  std::unique_ptr<ItemBitmap> items_;
};

void DropPrivate(const FacetIndex& index, const ItemConditions& conditions, Allowed& allowed) {
  if (index.IsEmpty(Facet::kPrivate, 1)) return;
  const uint32_t one = 1;
  ItemBitmap others = index.Union(Facet::kPrivate, {&one, 1});
  if (conditions.producer.has_value()) index.SubtractFrom(others, Facet::kProducer, *conditions.producer);
  if (!others.isEmpty()) allowed.WrittenOut() -= others;
}

void KeepShared(const FacetIndex& index, const ItemConditions& conditions, Allowed& allowed) {
  const uint32_t everyones = 1;
  ItemBitmap readable = index.Union(Facet::kShared, {&everyones, 1});
  if (conditions.reader_team.has_value()) index.UniteInto(readable, Facet::kReader, *conditions.reader_team);
  allowed.Keep(std::move(readable));
}

}  // namespace

ItemFilter::ItemFilter(const ItemQuery& query, const ExperienceGraph& graph, const ResidentSets::Set* residents) {
  const ItemConditions conditions = graph.Conditions(query);
  const FacetIndex& index = graph.facet_index();
  Allowed allowed(graph.item_count());
  for (const ItemConditions::Choice& choice : conditions.any_of) allowed.Keep(index.Union(choice.facet, choice.values));
  if (conditions.for_reader) KeepShared(index, conditions, allowed);
  for (const ItemConditions::Choice& choice : conditions.none_of) {
    for (const uint32_t value : choice.values) allowed.Drop(index, choice.facet, value);
  }
  DropPrivate(index, conditions, allowed);
  for (uint32_t number = 1; number < graph.applicability().size(); ++number) {
    if (!graph.applicability().Holds(number, conditions.target)) allowed.Drop(index, Facet::kApplicability, number);
  }
  if (residents != nullptr) {
    for (const ResidentSets::Member& member : residents->members) {
      allowed.WrittenOut().remove(static_cast<uint32_t>(member.item));
    }
  }
  std::unique_ptr<ItemBitmap> items = allowed.Take();
  count_ = items == nullptr ? graph.item_count() : static_cast<int64_t>(items->cardinality());
  if (count_ < graph.item_count()) allowed_ = std::move(items);
}

}  // namespace kernelsmith::memory
