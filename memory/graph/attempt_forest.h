// The lineage forest of one team's attempts with r, label and d.
//
//   AttemptForest forest;
//   const int root = forest.Add({.producer = "coordinator", .attempt_id = "a1", .correct = true, .speedup = 1.0});
//   forest.Add({.producer = "coordinator", .attempt_id = "a2", .prev = root, .correct = true, .speedup = 1.25});
//   forest.d(root);   // 0.5*1 + 0.5*0.7*1.25
//
// r and label are fixed when an attempt is added. d depends on what follows, so it is worked out when it is asked for:
// adding an attempt only notes that its predecessor's d is due, and the first question afterwards recomputes what is
// due, from the youngest attempt up the chains of ancestors until a value does not change. It equals a recomputation of
// the whole forest bit for bit; chains and stars of any size fold in near-linear time.
//
// Add needs exclusive access; everything else may run from many threads at once.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/mutex.h"
#include "memory/graph/string_table.h"
#include "memory/graph/successor_list.h"
#include "memory/values/lineage_effect.h"

namespace kernelsmith::memory {

// An attempt id is unique within its producer; this is both as one key.
std::string AttemptKey(absl::string_view producer, absl::string_view attempt_id);

class AttemptForest {
 public:
  static constexpr int kNone = -1;

  struct NewAttempt {
    std::string producer;
    std::string attempt_id;
    int prev = kNone;  // index of the attempt whose code this one started from
    bool correct = false;
    double speedup = 0;      // as reported; 0 if not measured
    bool cross_job = false;  // the predecessor was found by the hash of its code
    bool comparable = true;  // false: the speed of the predecessor says nothing here, so r is that of a root
  };

  struct Node {
    int prev = kNone;
    bool correct = false;
    bool cross_job = false;
    v1::Label label = v1::LABEL_UNSPECIFIED;
    double a = 0;  // EffectiveSpeedup
    double r = 0;
  };

  AttemptForest();
  AttemptForest(const AttemptForest&) = delete;
  AttemptForest& operator=(const AttemptForest&) = delete;

  // Returns the index. REQUIRES: (producer, attempt_id) is new; prev is kNone or an index.
  int Add(const NewAttempt& attempt);

  // kNone if there is no such attempt.
  int Find(absl::string_view producer, absl::string_view attempt_id) const;

  const Node& node(int index) const { return nodes_[index]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  absl::string_view producer(int index) const { return producers_.Text(nodes_[index].producer); }
  absl::string_view attempt_id(int index) const;

  // Ordered by attempt id; of equal ids (other producers') the earlier attempt first.
  std::vector<int> successors(int index) const;

  double d(int index) const;

  // d under other weights, from r alone; costs the size of the tree under `index`.
  double DownstreamUnder(int index, const DownstreamWeights& weights) const;

  // d of every node, computed from r alone.
  std::vector<double> RecomputedDownstream() const;

 private:
  struct StoredNode : Node {
    uint32_t producer = 0;
    int only_successor = kNone;  // while there is just one
    int list = kNone;            // of lists_, once there are several
    uint64_t id_end = 0;         // of ids_; the id begins where the one before ends
  };
  struct KeyView {
    absl::string_view producer;
    absl::string_view attempt_id;
  };
  struct Hash {
    using is_transparent = void;
    const AttemptForest* forest;
    size_t operator()(const KeyView& key) const;
    size_t operator()(int index) const;
  };
  struct Equal {
    using is_transparent = void;
    const AttemptForest* forest;
    bool operator()(int a, int b) const { return a == b; }
    bool operator()(int a, const KeyView& b) const;
    bool operator()(const KeyView& a, int b) const { return (*this)(b, a); }
  };

  bool Before(int a, int b) const;
  void LinkTo(int prev, int index);
  // Brings d up to date.
  void Settle() const;
  double FoldedDownstream(int index) const;

  std::vector<StoredNode> nodes_;  // a predecessor stands before its successors
  std::string ids_;                // attempt ids, one behind the other
  StringTable producers_;
  absl::flat_hash_set<int, Hash, Equal> by_key_;
  const SuccessorList::Before before_;

  // Worked out on demand. `settled_` is set once d holds for every node; while it is set, d and the lists do not
  // change.
  mutable common::Mutex settling_;
  mutable std::atomic<bool> settled_ = true;
  mutable std::vector<SuccessorList> lists_;
  mutable std::vector<double> d_;
  mutable std::vector<int> due_;  // nodes whose successors have changed, each once; a heap, the youngest on top
  mutable std::vector<bool> is_due_;
};

}  // namespace kernelsmith::memory
