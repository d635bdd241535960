#include "memory/graph/near_duplicate_index.h"

#include <cstring>

namespace kernelsmith::memory {

uint64_t NearDuplicateIndex::LaneKey(size_t lane, uint64_t group, absl::string_view signature) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, signature.data() + lane * sizeof(bytes), sizeof(bytes));
  return (bytes ^ group) * 0x9e3779b97f4a7c15 + lane;
}

void NearDuplicateIndex::Add(int item, uint64_t group, absl::string_view signature) {
  const int number = static_cast<int>(entries_.size());
  Entry& entry = entries_.emplace_back();
  entry.item = item;
  std::memcpy(entry.signature.data(), signature.data(), kSignatureSize);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const auto [newest, added] = newest_.try_emplace(LaneKey(lane, group, signature), number);
    entry.next[lane] = added ? -1 : newest->second;
    newest->second = number;
  }
}

int NearDuplicateIndex::Find(uint64_t group, absl::string_view signature,
                             const std::function<bool(int)>& counts) const {
  int found = -1;
  // Lane 0 is the hash of the whole text: it lies in the first 8 bytes of the signature.
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const auto newest = newest_.find(LaneKey(lane, group, signature));
    int number = newest == newest_.end() ? -1 : newest->second;
    for (int looked = 0; number >= 0 && looked < kMostCandidates; ++looked, number = entries_[number].next[lane]) {
      const Entry& entry = entries_[number];
      if (found >= 0 && entry.item >= found) continue;
      if (counts(entry.item) && IsNearDuplicate(SignatureOf(entry), signature)) found = entry.item;
    }
    if (lane == 0 && found >= 0) return found;
  }
  return found;
}

}  // namespace kernelsmith::memory
