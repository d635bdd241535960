// The column families of the memory's store, and the RocksDB options that fit a million facts of a few kilobytes.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/rocks.h"

namespace kernelsmith::memory {

// Indexes for RocksStore::family. Keys of the first three begin with the team and a zero byte.
inline constexpr size_t kFacts = 0;        // FactKey -> frame, Fact
inline constexpr size_t kIdempotency = 1;  // IdempotencyKey -> sequence, 8 bytes big-endian, and content_sha256
inline constexpr size_t kHeads = 2;        // FactKey -> frame, Fact without the texts (head.h)
inline constexpr size_t kEmbeddings = 3;   // EmbeddingStore; a cache

struct FactStoreOptions {
  size_t cache_bytes = 128 << 20;        // uncompressed blocks that were read
  size_t write_buffer_bytes = 64 << 20;  // records in memory before they become a file
  // Free bytes of the disk below which nothing is written: room for what is in memory to become files, at the latest at
  // the next start.
  int64_t reserved_bytes = 256 << 20;
};

std::vector<common::RocksFamily> StoreFamilies(const FactStoreOptions& options);
rocksdb::Options StoreOptions();

// "...; restore a backup, or salvage what is readable (docs/operations.md)" behind a DATA_LOSS; others as they are.
absl::Status WithRepairHint(const absl::Status& status);

}  // namespace kernelsmith::memory
