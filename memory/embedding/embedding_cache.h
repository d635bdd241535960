// Vectors by content, so that a text that was embedded once is not sent again.
//
// Keys are EmbeddingKey(embedder id, text): 64 hexadecimal digits that no other id or text has.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/mutex.h"
#include "memory/embedding/embedder.h"

namespace kernelsmith::memory {

std::string EmbeddingKey(absl::string_view embedder_id, absl::string_view text);

// Thread-safe. A cache may forget at any time and must not fail: what cannot be read is absent.
class EmbeddingCache {
 public:
  virtual ~EmbeddingCache() = default;
  virtual std::optional<Vector> Get(const std::string& key) = 0;
  virtual void Put(const std::string& key, const Vector& vector) = 0;
};

// The `capacity` vectors that were used last, in memory; behind them, if given, a store that keeps more.
class RecentEmbeddings : public EmbeddingCache {
 public:
  explicit RecentEmbeddings(size_t capacity, EmbeddingCache* store = nullptr) : capacity_(capacity), store_(store) {}

  std::optional<Vector> Get(const std::string& key) override;
  void Put(const std::string& key, const Vector& vector) override;

 private:
  using Entry = std::pair<std::string, Vector>;

  std::optional<Vector> GetRecent(const std::string& key);
  void PutRecent(const std::string& key, const Vector& vector);

  const size_t capacity_;
  EmbeddingCache* const store_;
  common::Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the one used last first
  absl::flat_hash_map<std::string, std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::memory
