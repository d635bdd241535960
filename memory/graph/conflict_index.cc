#include "memory/graph/conflict_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"

namespace kernelsmith::memory {
namespace {

std::string ByLabel(const Evidence& for_item, const Evidence& against) {
  return absl::StrFormat("the same idea in the same situation was EFFECTIVE (r %.3f) and NEGATIVE (r %.3f)", for_item.r,
                         against.r);
}

std::string ByUtility(const Evidence& for_item, const Evidence& against) {
  return absl::StrFormat("the same idea in the same situation helped (u %+.3f) and hurt (u %+.3f)", for_item.u,
                         against.u);
}

using Side = std::vector<const Evidence*>;

// The strongest first; of equal ones the earlier.
template <typename Strength>
void SortByStrength(Side& side, const Strength& strength) {
  std::stable_sort(side.begin(), side.end(),
                   [&strength](const Evidence* a, const Evidence* b) { return strength(*a) > strength(*b); });
}

bool IsListed(const std::vector<ItemConflict>& conflicts, int for_item, int against) {
  return std::any_of(conflicts.begin(), conflicts.end(), [=](const ItemConflict& conflict) {
    return conflict.for_item == for_item && conflict.against_item == against;
  });
}

template <typename Reason>
void Pair(const Side& helped, const Side& hurt, const Reason& reason, std::vector<ItemConflict>& conflicts) {
  if (helped.empty() || hurt.empty()) return;
  const size_t pairs = std::max(helped.size(), hurt.size());
  for (size_t k = 0; k < pairs && conflicts.size() < kMostConflictsOfSituation; ++k) {
    const Evidence& a = *helped[std::min(k, helped.size() - 1)];
    const Evidence& b = *hurt[std::min(k, hurt.size() - 1)];
    if (!IsListed(conflicts, a.item, b.item)) conflicts.push_back({a.item, b.item, reason(a, b)});
  }
}

}  // namespace

std::vector<ItemConflict> ConflictsWithin(const std::vector<Evidence>& situation) {
  Side effective, negative, useful, harmful;
  for (const Evidence& item : situation) {
    if (item.label == v1::EFFECTIVE) effective.push_back(&item);
    if (item.label == v1::NEGATIVE) negative.push_back(&item);
    if (item.u > 0) useful.push_back(&item);
    if (item.u < 0) harmful.push_back(&item);
  }
  SortByStrength(effective, [](const Evidence& item) { return item.r; });
  SortByStrength(negative, [](const Evidence& item) { return -item.r; });
  SortByStrength(useful, [](const Evidence& item) { return item.u; });
  SortByStrength(harmful, [](const Evidence& item) { return -item.u; });
  std::vector<ItemConflict> conflicts;
  Pair(effective, negative, ByLabel, conflicts);
  Pair(useful, harmful, ByUtility, conflicts);
  return conflicts;
}

}  // namespace kernelsmith::memory
