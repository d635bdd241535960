#include "memory/embedding/embedding_cache.h"

#include "common/hash.h"

namespace kernelsmith::memory {

std::string EmbeddingKey(absl::string_view embedder_id, absl::string_view text) {
  return common::HashFields(embedder_id, text);
}

std::optional<Vector> RecentEmbeddings::GetRecent(const std::string& key) {
  const common::MutexLock lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->second;
}

void RecentEmbeddings::PutRecent(const std::string& key, const Vector& vector) {
  const common::MutexLock lock(mutex_);
  if (capacity_ == 0 || places_.contains(key)) return;
  if (entries_.size() == capacity_) {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
  entries_.emplace_front(key, vector);
  places_[key] = entries_.begin();
}

std::optional<Vector> RecentEmbeddings::Get(const std::string& key) {
  if (auto recent = GetRecent(key)) return recent;
  if (store_ == nullptr) return std::nullopt;
  auto kept = store_->Get(key);
  if (kept.has_value()) PutRecent(key, *kept);
  return kept;
}

void RecentEmbeddings::Put(const std::string& key, const Vector& vector) {
  PutRecent(key, vector);
  if (store_ != nullptr) store_->Put(key, vector);
}

}  // namespace kernelsmith::memory
