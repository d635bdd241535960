#include "memory/graph/successor_list.h"

#include <algorithm>

namespace kernelsmith::memory {

void SuccessorList::Sort(const Before& before) {
  if (sorted_ == entries_.size()) return;
  const auto by_node = [&before](const Entry& a, const Entry& b) { return before(a.node, b.node); };
  const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, entries_.end(), by_node);
  if (sorted_ > 0 && by_node(*middle, *(middle - 1))) {
    const auto first = std::upper_bound(entries_.begin(), middle, *middle, by_node);
    summed_ = std::min(summed_, static_cast<size_t>(first - entries_.begin()));
    std::inplace_merge(first, middle, entries_.end(), by_node);
  }
  sorted_ = entries_.size();
}

void SuccessorList::Changed(int node, const Before& before) {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  const auto place = std::lower_bound(entries_.begin(), end, node,
                                      [&before](const Entry& entry, int wanted) { return before(entry.node, wanted); });
  if (place != end && place->node == node) summed_ = std::min(summed_, static_cast<size_t>(place - entries_.begin()));
}

double SuccessorList::Sum(const Before& before, const std::vector<double>& d) {
  Sort(before);
  double sum = summed_ == 0 ? 0 : entries_[summed_ - 1].partial;
  for (; summed_ < entries_.size(); ++summed_) {
    sum += d[entries_[summed_].node];
    entries_[summed_].partial = sum;
  }
  return sum;
}

std::vector<int> SuccessorList::Ordered(const Before& before) const {
  std::vector<int> nodes;
  nodes.reserve(entries_.size());
  for (const Entry& entry : entries_) nodes.push_back(entry.node);
  std::sort(nodes.begin() + static_cast<std::ptrdiff_t>(sorted_), nodes.end(), before);
  std::inplace_merge(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(sorted_), nodes.end(), before);
  return nodes;
}

}  // namespace kernelsmith::memory
