// Finds an item whose text says almost the same, among the items that are no attempts.
//
//   NearDuplicateIndex index;
//   index.Add(item, group, signature);
//   const int twin = index.Find(group, signature, [&](int item) { return !retired(item); });   // -1 if there is none
//
// Only items of one group compare: same kind, same targets and whatever else must agree. Signatures are of
// values/near_duplicate.h; four bands of eight minhashes lead to the candidates, of which at most kMostCandidates a
// band are looked at, the newest first. Of several near-duplicates the oldest looked at is found, an equal text before
// all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "memory/values/near_duplicate.h"

namespace kernelsmith::memory {

class NearDuplicateIndex {
 public:
  static constexpr int kMostCandidates = 256;

  // REQUIRES: `signature` has kSignatureSize bytes; items come in rising order.
  void Add(int item, uint64_t group, absl::string_view signature);

  // The item, or -1. Items that `counts` refuses are passed over.
  int Find(uint64_t group, absl::string_view signature, const std::function<bool(int)>& counts) const;

 private:
  static constexpr size_t kBands = 4;
  static constexpr size_t kLanes = kBands + 1;  // the bands, and the hash of the whole text

  struct Entry {
    int item = -1;
    std::array<int, kLanes> next;  // the entry before of the same lane and key
    std::array<char, kSignatureSize> signature;
  };

  static uint64_t LaneKey(size_t lane, uint64_t group, absl::string_view signature);
  static absl::string_view SignatureOf(const Entry& entry) { return {entry.signature.data(), kSignatureSize}; }

  std::vector<Entry> entries_;
  absl::flat_hash_map<uint64_t, int> newest_;  // by lane and key
};

}  // namespace kernelsmith::memory
