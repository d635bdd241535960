#include "memory/graph/attempt_forest.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

std::string AttemptKey(absl::string_view producer, absl::string_view attempt_id) {
  return absl::StrCat(producer, absl::string_view("\0", 1), attempt_id);
}

int AttemptForest::Add(NewAttempt attempt) {
  const int index = size();
  const EffectInput effect{.correct = attempt.correct,
                           .is_root = attempt.prev == kNone,
                           .speedup = attempt.speedup,
                           .prev_speedup = attempt.prev == kNone ? 0 : nodes_[attempt.prev].a};
  Node node{.producer = std::move(attempt.producer),
            .attempt_id = std::move(attempt.attempt_id),
            .prev = attempt.prev,
            .correct = attempt.correct,
            .a = EffectiveSpeedup(effect),
            .r = Effect(effect)};
  node.label = LabelOf(node.r);
  node.d = DownstreamScore(node.r, {}, {});
  by_key_.emplace(AttemptKey(node.producer, node.attempt_id), index);
  nodes_.push_back(std::move(node));

  if (attempt.prev == kNone) return index;
  std::vector<int>& siblings = nodes_[attempt.prev].successors;
  const auto place = std::lower_bound(siblings.begin(), siblings.end(), index,
                                      [this](int a, int b) { return nodes_[a].attempt_id < nodes_[b].attempt_id; });
  siblings.insert(place, index);
  for (int ancestor = attempt.prev; ancestor != kNone; ancestor = nodes_[ancestor].prev) {
    const double d = DownstreamOf(nodes_[ancestor]);
    if (std::bit_cast<uint64_t>(d) == std::bit_cast<uint64_t>(nodes_[ancestor].d)) break;
    nodes_[ancestor].d = d;
  }
  return index;
}

int AttemptForest::Find(absl::string_view producer, absl::string_view attempt_id) const {
  const auto entry = by_key_.find(AttemptKey(producer, attempt_id));
  return entry == by_key_.end() ? kNone : entry->second;
}

double AttemptForest::DownstreamOf(const Node& node) const {
  std::vector<double> scores;
  scores.reserve(node.successors.size());
  for (const int successor : node.successors) scores.push_back(nodes_[successor].d);
  return DownstreamScore(node.r, scores, {});
}

std::vector<double> AttemptForest::RecomputedDownstream() const {
  std::vector<double> d(nodes_.size());
  for (int i = size() - 1; i >= 0; --i) {
    std::vector<double> scores;
    for (const int successor : nodes_[i].successors) scores.push_back(d[successor]);
    d[i] = DownstreamScore(nodes_[i].r, scores, {});
  }
  return d;
}

}  // namespace kernelsmith::memory
