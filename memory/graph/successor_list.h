// The successors of one attempt with the sum of their d, kept so that a change costs what comes behind it in the order.
//
// The sum runs in the order of the attempt ids, which is part of its definition. `partial` of an entry is the sum up to
// and with it; a change at place i redoes the sums from i on, and a new successor whose id is the largest (ids mostly
// arrive in rising order) costs one addition. New successors wait unsorted until the sum is asked for.
#pragma once

#include <functional>
#include <vector>

namespace kernelsmith::memory {

class SuccessorList {
 public:
  // True if the first node stands before the second.
  using Before = std::function<bool(int, int)>;

  void Add(int node) { entries_.push_back({.node = node}); }

  // Says that d of `node` has changed.
  void Changed(int node, const Before& before);

  // The sum of d over the successors, in order.
  double Sum(const Before& before, const std::vector<double>& d);

  size_t size() const { return entries_.size(); }

  // The successors in order.
  std::vector<int> Ordered(const Before& before) const;

 private:
  struct Entry {
    int node = -1;
    double partial = 0;
  };

  // Brings the waiting entries in order.
  void Sort(const Before& before);

  std::vector<Entry> entries_;
  size_t sorted_ = 0;  // entries that are in order; the rest waits
  size_t summed_ = 0;  // entries whose partial sum holds; at most sorted_
};

}  // namespace kernelsmith::memory
