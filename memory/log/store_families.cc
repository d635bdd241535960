#include "memory/log/store_families.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {
namespace {

constexpr uint64_t kLargestWal = 256 << 20;  // bounds what a start replays
constexpr double kFilterBits = 10;           // bits a key: 1 % of the look-ups of absent keys read a block

// After a full disk RocksDB would look for room every few seconds and refuse every write until then; FactStore tells it
// to go on as soon as somebody writes.
class NoWaitForRoom : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status error,
                            bool* auto_recovery) override {
    if (error.IsNoSpace()) *auto_recovery = false;
  }
};

rocksdb::ColumnFamilyOptions Family(const FactStoreOptions& options, const std::shared_ptr<rocksdb::Cache>& cache,
                                    const std::shared_ptr<const rocksdb::FilterPolicy>& filter, size_t block_size) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.filter_policy = filter;
  table.block_size = block_size;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  rocksdb::ColumnFamilyOptions family;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  family.write_buffer_size = options.write_buffer_bytes;
  family.max_write_buffer_number = 4;
  family.level_compaction_dynamic_level_bytes = true;
  family.compression = rocksdb::kLZ4Compression;
  return family;
}

}  // namespace

std::vector<common::RocksFamily> StoreFamilies(const FactStoreOptions& options) {
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes);
  const std::shared_ptr<const rocksdb::FilterPolicy> filter(rocksdb::NewBloomFilterPolicy(kFilterBits));
  // Facts are read one by one, heads in long scans.
  rocksdb::ColumnFamilyOptions facts = Family(options, cache, filter, 8 << 10);
  rocksdb::ColumnFamilyOptions idempotency = Family(options, cache, filter, 4 << 10);
  rocksdb::ColumnFamilyOptions heads = Family(options, cache, nullptr, 32 << 10);
  rocksdb::ColumnFamilyOptions embeddings = Family(options, cache, filter, 4 << 10);
  // Most look-ups are of keys that are new.
  idempotency.memtable_whole_key_filtering = true;
  idempotency.memtable_prefix_bloom_size_ratio = 0.02;
  embeddings.compression = rocksdb::kNoCompression;  // floating-point numbers do not shrink
  return {{.name = "facts", .options = facts},
          {.name = "idempotency", .options = idempotency},
          {.name = "heads", .options = heads},
          {.name = "embeddings", .options = embeddings}};
}

rocksdb::Options StoreOptions() {
  rocksdb::Options options = common::RocksOptions();
  options.max_total_wal_size = kLargestWal;
  options.bytes_per_sync = 1 << 20;
  options.skip_stats_update_on_db_open = true;
  options.listeners.push_back(std::make_shared<NoWaitForRoom>());
  return options;
}

absl::Status WithRepairHint(const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(absl::StrCat(
      status.message(), "; restore a backup, or salvage what is readable as docs/operations.md says under \"Damage\""));
}

}  // namespace kernelsmith::memory
