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

// Records of earlier versions do not say when they were given up.
int64_t DeadAt(const storage::v1::LeaseRecord& record) {
  return record.dead_unix_us() > 0 ? record.dead_unix_us() : record.queued_unix_us();
}

v1::DeadLetter LetterOf(const storage::v1::LeaseRecord& record) {
  v1::DeadLetter letter;
  letter.set_id(record.assignment_id());
  letter.set_team(record.team());
  letter.set_job_id(record.job_id());
  letter.set_round(record.round());
  letter.set_card_kind(record.card_kind());
  letter.set_failures(record.failures());
  letter.set_reason(record.failure());
  letter.set_at_unix_us(DeadAt(record));
  return letter;
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
  int64_t new_letters = 0;
  for (const auto& [id, record] : records) {
    if (!record) {
      batch.Delete(store_->family(kLeases), id);
      continue;
    }
    const std::string bytes = record->SerializeAsString();
    batch.Put(store_->family(kLeases), id, bytes);
    if (!record->dead_letter()) continue;
    ASSIGN_OR_RETURN(const bool known, HasDeadLetter(id));
    if (!known) ++new_letters;
    batch.Put(store_->family(kDeadLetters), id, bytes);
  }
  RETURN_IF_ERROR(common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch), "cannot write leases"));
  dead_letter_count_ += new_letters;
  return absl::OkStatus();
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

absl::StatusOr<std::vector<v1::DeadLetter>> LeaseStore::DeadLetters() const {
  std::vector<v1::DeadLetter> letters;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kDeadLetters)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSIGN_OR_RETURN(const storage::v1::LeaseRecord record, Parse(*it));
    letters.push_back(LetterOf(record));
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the dead letters"));
  std::stable_sort(letters.begin(), letters.end(),
                   [](const v1::DeadLetter& a, const v1::DeadLetter& b) { return a.at_unix_us() > b.at_unix_us(); });
  return letters;
}

absl::StatusOr<bool> LeaseStore::HasDeadLetter(const std::string& assignment_id) const {
  std::string bytes;
  const rocksdb::Status read =
      store_->db().Get(rocksdb::ReadOptions(), store_->family(kDeadLetters), assignment_id, &bytes);
  if (read.IsNotFound()) return false;
  RETURN_IF_ERROR(common::FromRocks(read, "cannot read the dead letters"));
  return true;
}

absl::Status LeaseStore::RemoveDeadLetter(const std::string& assignment_id) {
  ASSIGN_OR_RETURN(const bool known, HasDeadLetter(assignment_id));
  if (!known) return absl::OkStatus();
  rocksdb::WriteBatch batch;
  batch.Delete(store_->family(kDeadLetters), assignment_id);
  RETURN_IF_ERROR(common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch),
                                    absl::StrCat("cannot remove the dead letter '", assignment_id, "'")));
  --dead_letter_count_;
  return absl::OkStatus();
}

absl::Status LeaseStore::TrimDeadLetters() {
  std::vector<std::pair<int64_t, std::string>> by_age;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kDeadLetters)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSIGN_OR_RETURN(const storage::v1::LeaseRecord record, Parse(*it));
    by_age.emplace_back(DeadAt(record), it->key().ToString());
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the dead letters"));
  dead_letter_count_ = static_cast<int64_t>(std::min(by_age.size(), kMaxDeadLetters));
  if (by_age.size() <= kMaxDeadLetters) return absl::OkStatus();
  std::sort(by_age.begin(), by_age.end());
  rocksdb::WriteBatch batch;
  for (size_t i = 0; i < by_age.size() - kMaxDeadLetters; ++i) {
    batch.Delete(store_->family(kDeadLetters), by_age[i].second);
  }
  return common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch), "cannot trim the dead letters");
}

}  // namespace kernelsmith::server
