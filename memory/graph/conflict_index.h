// Items about the same idea in the same situation, so that contradictions are found without comparing everything.
//
//   ConflictIndex index;
//   index.Add({.thought = t, .family = f}, item);
//   index.groups()[0];   // items of one situation, in rising order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// Numbers are of the graph's StringTable.
struct Situation {
  uint32_t thought = 0;
  uint32_t family = 0;
  uint32_t architecture = 0;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  v1::Layer layer = v1::LAYER_UNSPECIFIED;

  bool operator==(const Situation&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const Situation& s) {
    return H::combine(std::move(state), s.thought, s.family, s.architecture, static_cast<int>(s.dtype),
                      static_cast<int>(s.layer));
  }
};

class ConflictIndex {
 public:
  void Add(const Situation& situation, int item) {
    const auto [entry, added] = numbers_.try_emplace(situation, static_cast<int>(groups_.size()));
    if (added) groups_.emplace_back();
    groups_[entry->second].push_back(item);
  }

  // In the order of their first item.
  const std::vector<std::vector<int>>& groups() const { return groups_; }

 private:
  absl::flat_hash_map<Situation, int> numbers_;
  std::vector<std::vector<int>> groups_;
};

// What one item of a situation says.
struct Evidence {
  int item = -1;
  v1::Label label = v1::LABEL_UNSPECIFIED;
  double r = 0;
  double u = 0;
};

struct ItemConflict {
  int for_item = -1;
  int against_item = -1;
  std::string reason;
};

// At most this many conflicts a situation are listed, the strongest evidence first.
constexpr int kMostConflictsOfSituation = 16;

// The contradictions within one situation: an effective item against a negative one, then u > 0 against u < 0. Each
// side stands by its strength; the k-th strongest of one meets the k-th of the other, and where one side is shorter its
// last one meets the rest, so that no piece of evidence is left alone. An item that says nothing (neither label, u = 0)
// takes no part.
std::vector<ItemConflict> ConflictsWithin(const std::vector<Evidence>& situation);

}  // namespace kernelsmith::memory
