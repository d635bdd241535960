#include "server/scheduling/lease_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

constexpr uint32_t kFormat = 1;
constexpr size_t kMaxDeadLetters = 1000;

enum LeaseFamily { kLeases = 0, kDeadLetters = 1, kDrains = 2 };

absl::StatusOr<storage::v1::LeaseRecord> Parse(const rocksdb::Iterator& it) {
  storage::v1::LeaseRecord record;
  if (!record.ParseFromArray(it.value().data(), static_cast<int>(it.value().size()))) {
    return absl::DataLossError(
        absl::StrCat("the lease record of '", it.key().ToString(), "' is damaged; restore a backup"));
  }
  return record;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LeaseStore>> LeaseStore::Open(const std::string& folder) {
  ASSIGN_OR_RETURN(auto store, common::RocksStore::Open(folder, {"leases", "dead_letters", "drains"}, kFormat));
  auto leases = std::unique_ptr<LeaseStore>(new LeaseStore(std::move(store)));
  RETURN_IF_ERROR(leases->TrimDeadLetters());
  return leases;
}

absl::StatusOr<LeaseStore::Content> LeaseStore::Load(absl::Time too_old) {
  Content content;
  rocksdb::WriteBatch removals;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kLeases)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSIGN_OR_RETURN(storage::v1::LeaseRecord record, Parse(*it));
    if (record.job_id().empty() || absl::FromUnixMicros(record.queued_unix_us()) < too_old) {
      removals.Delete(store_->family(kLeases), it->key());
    } else {
      content.records.push_back(std::move(record));
    }
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the leases"));
  it.reset(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kDrains)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) content.drained_workers.push_back(it->key().ToString());
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the drained workers"));
  RETURN_IF_ERROR(common::FromRocks(store_->db().Write(common::SyncedWrite(), &removals), "cannot remove old leases"));
  return content;
}

absl::Status LeaseStore::Write(const WorkBoard::DirtyRecords& records) {
  rocksdb::WriteBatch batch;
  for (const auto& [id, record] : records) {
    if (!record) {
      batch.Delete(store_->family(kLeases), id);
      continue;
    }
    const std::string bytes = record->SerializeAsString();
    batch.Put(store_->family(kLeases), id, bytes);
    if (record->dead_letter()) batch.Put(store_->family(kDeadLetters), id, bytes);
  }
  return common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch), "cannot write leases");
}

absl::Status LeaseStore::WriteDrain(const std::string& worker_id, bool drain) {
  rocksdb::WriteBatch batch;
  if (drain) {
    batch.Put(store_->family(kDrains), worker_id, "");
  } else {
    batch.Delete(store_->family(kDrains), worker_id);
  }
  return common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch),
                           absl::StrCat("cannot note the drain of worker '", worker_id, "'"));
}

absl::StatusOr<std::vector<DeadLetter>> LeaseStore::DeadLetters() const {
  std::vector<DeadLetter> letters;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kDeadLetters)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSIGN_OR_RETURN(const storage::v1::LeaseRecord record, Parse(*it));
    letters.push_back({record.assignment_id(), record.team(), record.job_id(), record.failures(), record.failure()});
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the dead letters"));
  return letters;
}

absl::Status LeaseStore::TrimDeadLetters() {
  std::vector<std::pair<int64_t, std::string>> by_age;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kDeadLetters)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSIGN_OR_RETURN(const storage::v1::LeaseRecord record, Parse(*it));
    by_age.emplace_back(record.queued_unix_us(), it->key().ToString());
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the dead letters"));
  if (by_age.size() <= kMaxDeadLetters) return absl::OkStatus();
  std::sort(by_age.begin(), by_age.end());
  rocksdb::WriteBatch batch;
  for (size_t i = 0; i < by_age.size() - kMaxDeadLetters; ++i) {
    batch.Delete(store_->family(kDeadLetters), by_age[i].second);
  }
  return common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch), "cannot trim the dead letters");
}

}  // namespace kernelsmith::server
