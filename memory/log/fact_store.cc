#include "memory/log/fact_store.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/file_io.h"
#include "common/status.h"
#include "memory/log/record_scan.h"
#include "memory/log/store_upgrade.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kSequenceSize = 8;
constexpr char kRoomKey[] = "room";  // in the default column family
constexpr size_t kKeyBytes = 256;    // what keys, hash and frames of one fact take in a batch, about

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

rocksdb::Slice Slice(absl::string_view text) { return {text.data(), text.size()}; }

// Adds `body` with its frame to the batch, without copying it first.
void PutRecord(rocksdb::ColumnFamilyHandle* family, absl::string_view key, const RecordBody& body,
               rocksdb::WriteBatch* batch) {
  const std::string prefix = FramePrefix(body, key);
  const rocksdb::Slice key_part = Slice(key);
  const rocksdb::Slice value_parts[] = {prefix, body.bytes};
  batch->Put(family, rocksdb::SliceParts(&key_part, 1), rocksdb::SliceParts(value_parts, 2));
}

AppendResult Repeat(const Fact& fact, uint64_t stored_sequence, absl::string_view stored_hash) {
  AppendResult result{.sequence = stored_sequence, .duplicate = true};
  if (stored_hash != fact.content_sha256()) {
    result.status = absl::AlreadyExistsError(
        absl::StrCat(absl::StrReplaceAll(fact.idempotency_key(), {{"\t", " "}}),
                     " is recorded already with other content; use a new id, or send the same again"));
  }
  return result;
}

absl::Status DiskIsFull(const std::string& folder, int64_t reserved, absl::string_view cause) {
  const absl::StatusOr<int64_t> free = common::FreeDiskBytes(folder);
  return common::Exhausted(
      absl::StrCat("nothing was recorded: the disk of ", folder, " is full",
                   free.ok() ? absl::StrCat(" (", *free, " bytes are free, ", reserved, " are kept in reserve)") : "",
                   "; free space there and send the same again, no restart is needed", cause),
      absl::Seconds(10));
}

}  // namespace

std::string FactKeyOf(absl::string_view kind, absl::string_view id) { return absl::StrCat(kind, "\t", id); }

std::string FactKeyOf(absl::string_view kind, absl::string_view producer, absl::string_view id) {
  return absl::StrCat(kind, "\t", producer, "\t", id);
}

absl::StatusOr<std::unique_ptr<FactStore>> FactStore::Open(const std::string& folder, const FactStoreOptions& options) {
  auto rocks = common::RocksStore::Open(folder, StoreFamilies(options), kFactFormat, StoreOptions());
  if (!rocks.ok()) return WithRepairHint(rocks.status());
  auto store = std::unique_ptr<FactStore>(new FactStore(*std::move(rocks), folder, options.reserved_bytes));
  RETURN_IF_ERROR(WithRepairHint(UpgradeStore(*store->rocks_)));
  const absl::StatusOr<uint64_t> last = LastSequence(store->rocks_->db(), store->rocks_->family(kFacts));
  if (!last.ok()) return WithRepairHint(last.status());
  store->last_sequence_ = *last;
  return store;
}

std::vector<AppendResult> FactStore::Append(const std::vector<Fact*>& facts) {
  std::vector<PreparedFact> prepared;
  prepared.reserve(facts.size());
  std::vector<PreparedFact*> pointers;
  for (Fact* fact : facts) pointers.push_back(&prepared.emplace_back(PrepareFact(std::move(*fact))));
  std::vector<AppendResult> results = Append(pointers);
  for (size_t i = 0; i < facts.size(); ++i) *facts[i] = std::move(prepared[i].fact);
  return results;
}

std::vector<AppendResult> FactStore::Append(const std::vector<PreparedFact*>& facts) {
  const size_t count = facts.size();
  std::vector<AppendResult> results(count);
  std::vector<rocksdb::Slice> keys;
  keys.reserve(count);
  size_t bytes = 0;
  for (const PreparedFact* fact : facts) {
    keys.push_back(Slice(fact->idempotency_key));
    bytes += fact->body.bytes.size() + fact->head.bytes.size() + kKeyBytes;
  }
  std::vector<rocksdb::PinnableSlice> stored(count);
  std::vector<rocksdb::Status> reads(count);
  rocks_->db().MultiGet(rocksdb::ReadOptions(), rocks_->family(kIdempotency), count, keys.data(), stored.data(),
                        reads.data());

  std::unordered_map<std::string, size_t> in_batch;  // idempotency key -> index of the new fact
  rocksdb::WriteBatch batch(bytes);
  uint64_t next = last_sequence_ + 1;
  for (size_t i = 0; i < count; ++i) {
    const PreparedFact& prepared = *facts[i];
    const Fact& fact = prepared.fact;
    if (reads[i].ok() && stored[i].size() >= kSequenceSize) {
      const absl::string_view value = View(stored[i]);
      results[i] = Repeat(fact, common::ReadBigEndian64(value), value.substr(kSequenceSize));
      continue;
    }
    if (!reads[i].IsNotFound()) {
      results[i].status = WithRepairHint(
          reads[i].ok() ? absl::DataLossError("an idempotency key of the fact log has no number")
                        : common::FromRocks(reads[i], "cannot read the idempotency keys of the fact log"));
      continue;
    }
    const auto [earlier, is_new] = in_batch.emplace(prepared.idempotency_key, i);
    if (!is_new) {
      results[i] = Repeat(fact, results[earlier->second].sequence, facts[earlier->second]->fact.content_sha256());
      continue;
    }
    results[i].sequence = next++;
    const std::string key = FactKey(fact.team(), results[i].sequence);
    PutRecord(rocks_->family(kFacts), key, prepared.body, &batch);
    PutRecord(rocks_->family(kHeads), key, prepared.head, &batch);
    batch.Put(rocks_->family(kIdempotency), keys[i],
              absl::StrCat(common::BigEndian64(results[i].sequence), fact.content_sha256()));
  }
  if (in_batch.empty()) return results;

  const absl::Status written = Write(batch);
  if (written.ok()) {
    last_sequence_ = next - 1;
    for (const auto& [key, i] : in_batch) facts[i]->fact.set_sequence(results[i].sequence);
    return results;
  }
  // Nothing of the batch is stored, so what repeats a fact of the batch failed with it.
  for (AppendResult& result : results) {
    if (result.sequence > last_sequence_) result = {.status = written};
  }
  return results;
}

absl::Status FactStore::Write(rocksdb::WriteBatch& batch) {
  const absl::StatusOr<int64_t> free = common::FreeDiskBytes(folder_);
  if (free.ok() && *free < reserved_bytes_ + static_cast<int64_t>(batch.GetDataSize())) {
    return DiskIsFull(folder_, reserved_bytes_, "");
  }
  rocksdb::Status status = rocks_->db().Write(common::SyncedWrite(), &batch);
  if (status.IsNoSpace()) {
    status = GoOnAfterFullDisk();
    if (status.ok()) status = rocks_->db().Write(common::SyncedWrite(), &batch);
  }
  if (status.severity() >= rocksdb::Status::Severity::kFatalError) {
    return absl::UnavailableError(
        absl::StrCat("nothing was recorded: the store in ", folder_, " takes no writes any more (", status.ToString(),
                     "); free space there if the disk is full, and restart the memory: nothing that was acknowledged "
                     "is lost, and reads go on meanwhile"));
  }
  if (status.IsNoSpace()) return DiskIsFull(folder_, reserved_bytes_, absl::StrCat(" (", status.ToString(), ")"));
  return WithRepairHint(common::FromRocks(status, absl::StrCat("cannot append to the fact log in ", folder_)));
}

// RocksDB takes no writes after a full disk until it is told to go on, which fails while there is no room. A
// write-ahead log in which a write failed must not be written again: RocksDB ends the process by an assertion. Resume
// begins a new log only if there is something to flush, so a mark without a log entry is flushed here, and another one
// stays for the next Resume.
rocksdb::Status FactStore::GoOnAfterFullDisk() {
  rocksdb::DB& db = rocks_->db();
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  rocksdb::Status status = db.Resume();
  if (status.ok()) status = db.Put(unlogged, kRoomKey, "");
  if (status.ok()) status = db.Flush(rocksdb::FlushOptions());
  if (status.ok()) status = db.Put(unlogged, kRoomKey, "");
  return status;
}

absl::Status FactStore::Scan(uint64_t from, const Visitor& visit) const {
  return WithRepairHint(ScanRecords(rocks_->db(), rocks_->family(kFacts), from, visit));
}

absl::Status FactStore::ScanHeads(uint64_t from, const Visitor& visit) const {
  const absl::Status status = ScanRecords(rocks_->db(), rocks_->family(kHeads), from, visit);
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(absl::StrCat("a head is damaged, which RebuildHeads mends: ", status.message()));
}

absl::StatusOr<Fact> FactStore::Read(absl::string_view team, uint64_t sequence) const {
  ASSIGN_OR_RETURN(std::vector<Fact> facts, ReadMany(team, {sequence}));
  return std::move(facts.front());
}

absl::StatusOr<std::vector<Fact>> FactStore::ReadMany(absl::string_view team,
                                                      const std::vector<uint64_t>& sequences) const {
  const size_t count = sequences.size();
  std::vector<std::string> keys;
  keys.reserve(count);
  for (const uint64_t sequence : sequences) keys.push_back(FactKey(team, sequence));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(count);
  std::vector<rocksdb::Status> statuses(count);
  rocks_->db().MultiGet(rocksdb::ReadOptions(), rocks_->family(kFacts), count, slices.data(), values.data(),
                        statuses.data());
  std::vector<Fact> facts(count);
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(
        WithRepairHint(common::FromRocks(statuses[i], absl::StrCat("cannot read the fact number ", sequences[i]))));
    RETURN_IF_ERROR(WithRepairHint(ReadRecord(keys[i], View(values[i]), &facts[i])));
  }
  return facts;
}

absl::Status FactStore::RebuildHeads() { return WithRepairHint(memory::RebuildHeads(*rocks_)); }

StoreHealth FactStore::Health() const {
  using Properties = rocksdb::DB::Properties;
  rocksdb::DB& db = rocks_->db();
  StoreHealth health;
  for (const size_t family : {kFacts, kIdempotency, kHeads, kEmbeddings}) {
    const auto number = [&](const std::string& property) {
      uint64_t value = 0;
      db.GetIntProperty(rocks_->family(family), property, &value);
      return static_cast<int64_t>(value);
    };
    std::string level0_files;
    db.GetProperty(rocks_->family(family), absl::StrCat(Properties::kNumFilesAtLevelPrefix, 0), &level0_files);
    health.memtable_bytes += number(Properties::kCurSizeAllMemTables);
    health.unflushed_memtables += number(Properties::kNumImmutableMemTable);
    health.level0_files = std::max<int64_t>(health.level0_files, std::atoll(level0_files.c_str()));
    health.pending_compaction_bytes += number(Properties::kEstimatePendingCompactionBytes);
    // These three are of the whole database.
    health.delayed_write_rate = number(Properties::kActualDelayedWriteRate);
    health.writes_stopped = number(Properties::kIsWriteStopped) != 0;
    health.background_errors = number(Properties::kBackgroundErrors);
  }
  return health;
}

int64_t FactStore::TeamBytes(absl::string_view team) const {
  const std::string begin = TeamPrefix(team);
  const std::string end = TeamEnd(team);
  const rocksdb::Range range(begin, end);
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  options.include_files = true;
  uint64_t bytes = 0;
  rocks_->db().GetApproximateSizes(options, rocks_->family(kFacts), &range, 1, &bytes);
  return static_cast<int64_t>(bytes);
}

int64_t FactStore::TotalBytes() const { return rocks_->SizeBytes(); }

}  // namespace kernelsmith::memory
