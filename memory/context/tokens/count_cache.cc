#include "memory/context/tokens/count_cache.h"

#include "common/hash.h"

namespace kernelsmith::memory {

std::string CountCache::KeyOf(absl::string_view text) { return common::Sha256Hex(text); }

std::optional<int64_t> CountCache::Get(const std::string& key) {
  common::MutexLock lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->second;
}

void CountCache::Put(const std::string& key, int64_t tokens) {
  common::MutexLock lock(mutex_);
  if (places_.contains(key)) return;
  entries_.emplace_front(key, tokens);
  places_.emplace(key, entries_.begin());
  if (entries_.size() <= capacity_) return;
  places_.erase(entries_.back().first);
  entries_.pop_back();
}

}  // namespace kernelsmith::memory
