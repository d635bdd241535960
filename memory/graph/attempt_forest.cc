#include "memory/graph/attempt_forest.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

std::string AttemptKey(absl::string_view producer, absl::string_view attempt_id) {
  return absl::StrCat(producer, absl::string_view("\0", 1), attempt_id);
}

size_t AttemptForest::Hash::operator()(const KeyView& key) const { return absl::HashOf(key.producer, key.attempt_id); }

size_t AttemptForest::Hash::operator()(int index) const {
  return (*this)(KeyView{forest->producer(index), forest->attempt_id(index)});
}

bool AttemptForest::Equal::operator()(int a, const KeyView& b) const {
  return forest->attempt_id(a) == b.attempt_id && forest->producer(a) == b.producer;
}

AttemptForest::AttemptForest()
    : by_key_(0, Hash{this}, Equal{this}), before_([this](int a, int b) { return Before(a, b); }) {}

bool AttemptForest::Before(int a, int b) const {
  const int order = attempt_id(a).compare(attempt_id(b));
  return order != 0 ? order < 0 : a < b;
}

absl::string_view AttemptForest::attempt_id(int index) const {
  const uint64_t begin = index == 0 ? 0 : nodes_[index - 1].id_end;
  return absl::string_view(ids_).substr(begin, nodes_[index].id_end - begin);
}

int AttemptForest::Add(const NewAttempt& attempt) {
  const int index = size();
  const bool has_prev = attempt.prev != kNone;
  const EffectInput effect{.correct = attempt.correct,
                           .is_root = !has_prev || !attempt.comparable,
                           .speedup = attempt.speedup,
                           .prev_speedup = has_prev && attempt.comparable ? nodes_[attempt.prev].a : 0};
  StoredNode node;
  node.prev = attempt.prev;
  node.correct = attempt.correct;
  node.cross_job = has_prev && attempt.cross_job;
  node.a = EffectiveSpeedup(effect);
  node.r = Effect(effect);
  node.label = LabelOf(node.r);
  node.producer = producers_.Intern(attempt.producer);
  ids_ += attempt.attempt_id;
  node.id_end = ids_.size();
  nodes_.push_back(node);
  by_key_.insert(index);
  d_.push_back(DownstreamScore(node.r, {}, {}));
  is_due_.push_back(false);
  if (has_prev) LinkTo(attempt.prev, index);
  return index;
}

void AttemptForest::LinkTo(int prev, int index) {
  StoredNode& node = nodes_[prev];
  if (node.list != kNone) {
    lists_[node.list].Add(index);
  } else if (node.only_successor == kNone) {
    node.only_successor = index;
  } else {
    node.list = static_cast<int>(lists_.size());
    SuccessorList& list = lists_.emplace_back();
    list.Add(node.only_successor);
    list.Add(index);
  }
  if (!is_due_[prev]) {
    is_due_[prev] = true;
    due_.push_back(prev);
  }
  settled_.store(false, std::memory_order_relaxed);
}

int AttemptForest::Find(absl::string_view producer, absl::string_view attempt_id) const {
  const auto entry = by_key_.find(KeyView{producer, attempt_id});
  return entry == by_key_.end() ? kNone : *entry;
}

std::vector<int> AttemptForest::successors(int index) const {
  const StoredNode& node = nodes_[index];
  if (node.list != kNone) {
    Settle();
    return lists_[node.list].Ordered(before_);
  }
  return node.only_successor == kNone ? std::vector<int>{} : std::vector<int>{node.only_successor};
}

double AttemptForest::d(int index) const {
  Settle();
  return d_[index];
}

double AttemptForest::FoldedDownstream(int index) const {
  const StoredNode& node = nodes_[index];
  if (node.only_successor == kNone) return DownstreamScore(node.r, {}, {});
  const double sum = node.list == kNone ? d_[node.only_successor] : lists_[node.list].Sum(before_, d_);
  return DownstreamScore(node.r, {&sum, 1}, {});
}

void AttemptForest::Settle() const {
  if (settled_.load(std::memory_order_acquire)) return;
  const common::MutexLock lock(settling_);
  if (settled_.load(std::memory_order_relaxed)) return;
  std::make_heap(due_.begin(), due_.end());
  while (!due_.empty()) {
    std::pop_heap(due_.begin(), due_.end());
    const int index = due_.back();
    due_.pop_back();
    is_due_[index] = false;
    const double d = FoldedDownstream(index);
    if (std::bit_cast<uint64_t>(d) == std::bit_cast<uint64_t>(d_[index])) continue;
    d_[index] = d;
    const int prev = nodes_[index].prev;
    if (prev == kNone) continue;
    if (nodes_[prev].list != kNone) lists_[nodes_[prev].list].Changed(index, before_);
    if (is_due_[prev]) continue;
    is_due_[prev] = true;
    due_.push_back(prev);
    std::push_heap(due_.begin(), due_.end());
  }
  settled_.store(true, std::memory_order_release);
}

double AttemptForest::DownstreamUnder(int index, const DownstreamWeights& weights) const {
  std::vector<int> tree = {index};
  for (size_t i = 0; i < tree.size(); ++i) {
    for (const int successor : successors(tree[i])) tree.push_back(successor);
  }
  std::sort(tree.begin(), tree.end(), std::greater<>());  // successors before their predecessors
  absl::flat_hash_map<int, double> d;
  std::vector<double> scores;
  for (const int node : tree) {
    scores.clear();
    for (const int successor : successors(node)) scores.push_back(d[successor]);
    d[node] = DownstreamScore(nodes_[node].r, scores, weights);
  }
  return d[index];
}

std::vector<double> AttemptForest::RecomputedDownstream() const {
  std::vector<double> d(nodes_.size());
  std::vector<double> scores;
  for (int i = size() - 1; i >= 0; --i) {
    scores.clear();
    for (const int successor : successors(i)) scores.push_back(d[successor]);
    d[i] = DownstreamScore(nodes_[i].r, scores, {});
  }
  return d;
}

}  // namespace kernelsmith::memory
