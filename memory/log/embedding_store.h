// Vectors by content, on disk: a cache behind RecentEmbeddings that outlives a restart. It lies in the store's folder
// and is no part of the log: nothing is lost with it but time.
//
//   EmbeddingStore cache(store->rocks(), 200'000);
//   cache.Put(EmbeddingKey(embedder.id(), text), vector);
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "common/rocks.h"
#include "memory/embedding/embedding_cache.h"

namespace kernelsmith::memory {

class EmbeddingStore : public EmbeddingCache {
 public:
  // Keeps about `capacity` vectors; a full store forgets a sixteenth of them, chosen by their hashes, thus at random.
  // REQUIRES: `store` has the families of StoreFamilies and outlives this; capacity > 0.
  EmbeddingStore(common::RocksStore& store, int64_t capacity);

  // Exactly the numbers that were put. Absent also if the key is no EmbeddingKey or the disk fails. Thread-safe.
  std::optional<Vector> Get(const std::string& key) override;
  void Put(const std::string& key, const Vector& vector) override;

  int64_t count() const { return count_; }  // after a restart an estimate

 private:
  void Forget(const std::string& from);

  common::RocksStore& store_;
  const int64_t capacity_;
  std::atomic<int64_t> count_;
};

}  // namespace kernelsmith::memory
