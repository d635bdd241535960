#include "memory/log/store_upgrade.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/log/fact_record.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {
namespace {

constexpr char kRebuildKey[] = "heads";  // in the default family, while the heads are made anew
constexpr size_t kBatchBytes = 4 << 20;

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// Writes what is gathered once it is large, unsynced: the stamp or the end of the rebuild syncs everything.
absl::Status WriteIfLarge(rocksdb::DB& db, size_t limit, rocksdb::WriteBatch* batch) {
  if (batch->Count() == 0 || batch->GetDataSize() < limit) return absl::OkStatus();
  RETURN_IF_ERROR(common::FromRocks(db.Write(rocksdb::WriteOptions(), batch), "cannot upgrade the fact log"));
  batch->Clear();
  return absl::OkStatus();
}

// Writes head of every fact, and the facts of format 1 in the present one. Those that have it already are passed over
// unless `all` heads are wanted.
absl::Status WriteHeads(common::RocksStore& store, bool all) {
  rocksdb::DB& db = store.db();
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(options, store.family(kFacts)));
  rocksdb::WriteBatch batch;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const absl::string_view key = View(it->key());
    const bool old = IsFormat1(View(it->value()));
    if (!old && !all) continue;
    Fact fact;
    RETURN_IF_ERROR(ReadRecord(key, View(it->value()), &fact));
    const PreparedFact prepared = PrepareFact(std::move(fact));
    if (old) batch.Put(store.family(kFacts), it->key(), FramePrefix(prepared.body, key) + prepared.body.bytes);
    batch.Put(store.family(kHeads), it->key(), FramePrefix(prepared.head, key) + prepared.head.bytes);
    RETURN_IF_ERROR(WriteIfLarge(db, kBatchBytes, &batch));
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the fact log"));
  return WriteIfLarge(db, 0, &batch);
}

absl::Status FillHeads(common::RocksStore& store) {
  RETURN_IF_ERROR(WriteHeads(store, /*all=*/true));
  return common::FromRocks(store.db().Delete(common::SyncedWrite(), kRebuildKey),
                           "cannot end the rebuild of the heads");
}

}  // namespace

absl::Status UpgradeStore(common::RocksStore& store) {
  if (store.stored_format() < kFactFormat) {
    RETURN_IF_ERROR(WriteHeads(store, /*all=*/false));
    RETURN_IF_ERROR(store.StampFormat(kFactFormat));
  }
  std::string value;
  const rocksdb::Status rebuilding = store.db().Get(rocksdb::ReadOptions(), kRebuildKey, &value);
  if (rebuilding.IsNotFound()) return absl::OkStatus();
  RETURN_IF_ERROR(common::FromRocks(rebuilding, "cannot read whether the heads are being rebuilt"));
  return FillHeads(store);
}

absl::Status RebuildHeads(common::RocksStore& store) {
  RETURN_IF_ERROR(
      common::FromRocks(store.db().Put(common::SyncedWrite(), kRebuildKey, ""), "cannot begin to rebuild the heads"));
  RETURN_IF_ERROR(store.RecreateFamily(kHeads));
  return FillHeads(store);
}

}  // namespace kernelsmith::memory
