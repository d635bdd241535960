// The lineage forest of one team's attempts with r, label and d. d is kept up to date when an attempt is added: the
// chain of its ancestors is recomputed until a stored value does not change, so it equals a recomputation of the whole
// forest bit for bit.
//
//   AttemptForest forest;
//   const int root = forest.Add({"coordinator", "a1", AttemptForest::kNone, true, 1.0});
//   forest.Add({"coordinator", "a2", root, true, 1.25});
//   forest.node(root).d;   // 0.5*1 + 0.5*0.7*1.25
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
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
    double speedup = 0;  // as reported; 0 if not measured
  };

  struct Node {
    std::string producer;
    std::string attempt_id;
    int prev = kNone;
    std::vector<int> successors;  // ordered by attempt id
    bool correct = false;
    double a = 0;  // EffectiveSpeedup
    double r = 0;
    v1::Label label = v1::LABEL_UNSPECIFIED;
    double d = 0;
  };

  // Returns the index. REQUIRES: (producer, attempt_id) is new; prev is kNone or an index.
  int Add(NewAttempt attempt);

  // kNone if there is no such attempt.
  int Find(absl::string_view producer, absl::string_view attempt_id) const;

  const Node& node(int index) const { return nodes_[index]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  // d of every node, computed from r alone.
  std::vector<double> RecomputedDownstream() const;

 private:
  double DownstreamOf(const Node& node) const;

  std::vector<Node> nodes_;  // a predecessor stands before its successors
  std::unordered_map<std::string, int> by_key_;
};

}  // namespace kernelsmith::memory
