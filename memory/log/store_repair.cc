#include "memory/log/store_repair.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/file_io.h"
#include "common/ids.h"
#include "common/status.h"
#include "memory/log/fact_record.h"
#include "memory/log/open_read_only.h"
#include "memory/log/salvage_scan.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBatchBytes = 4 << 20;

absl::Status FolderError(const std::error_code& error, absl::string_view what) {
  return error ? common::ErrnoStatus(error.value(), what) : absl::OkStatus();
}

// Holds RocksDB's lock of a folder, so that no process serves from it meanwhile.
class FolderLock {
 public:
  static absl::StatusOr<std::unique_ptr<FolderLock>> Take(const std::string& folder) {
    auto lock = std::unique_ptr<FolderLock>(new FolderLock);
    const rocksdb::Status taken = rocksdb::Env::Default()->LockFile(absl::StrCat(folder, "/LOCK"), &lock->lock_);
    if (taken.ok()) return lock;
    return absl::UnavailableError(
        absl::StrCat("the store in ", folder, " is open in a process; stop that one first (", taken.ToString(), ")"));
  }
  ~FolderLock() {
    if (lock_ != nullptr) rocksdb::Env::Default()->UnlockFile(lock_).PermitUncheckedError();
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  FolderLock() = default;
  rocksdb::FileLock* lock_ = nullptr;
};

// A second set of the folder's files: tables, which never change, as hard links where that works.
absl::Status LinkStore(const fs::path& from, const fs::path& to) {
  RETURN_IF_ERROR(common::MakeFolders(to.string()));
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(from, error)) {
    if (!file.is_regular_file() || file.path().filename() == "LOCK") continue;
    const fs::path copy = to / file.path().filename();
    if (file.path().extension() == ".sst") fs::create_hard_link(file.path(), copy, error);
    if (file.path().extension() != ".sst" || error) fs::copy_file(file.path(), copy, error);
    RETURN_IF_ERROR(FolderError(error, absl::StrCat("cannot copy ", file.path().string())));
  }
  return FolderError(error, absl::StrCat("cannot list ", from.string()));
}

// Opens what is left. A table or the manifest may be unusable: then RocksDB rebuilds a manifest from the tables, in a
// second set of files in `scratch`.
absl::StatusOr<std::unique_ptr<ReadOnlyStore>> OpenDamaged(const std::string& damaged, const std::string& scratch,
                                                           RepairReport* report) {
  auto whole = ReadOnlyStore::Open(damaged, rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords);
  if (whole.ok()) return whole;
  report->notes.push_back(std::string(whole.status().message()));
  auto without_gaps = ReadOnlyStore::Open(damaged, rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords);
  if (without_gaps.ok()) {
    report->notes.emplace_back("damaged records of the write-ahead log were passed over");
    return without_gaps;
  }
  RETURN_IF_ERROR(LinkStore(damaged, scratch));
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  for (const common::RocksFamily& family : StoreFamilies({})) families.emplace_back(family.name, family.options);
  rocksdb::Options options = StoreOptions();
  options.create_if_missing = false;
  RETURN_IF_ERROR(common::FromRocks(rocksdb::RepairDB(scratch, options, families), "cannot rebuild the manifest"));
  report->notes.emplace_back("the manifest was rebuilt from the tables that are left");
  return ReadOnlyStore::Open(scratch, rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords);
}

// From the damaged store to the new one.
class Salvage {
 public:
  Salvage(ReadOnlyStore& from, common::RocksStore& to, RepairReport* report) : from_(from), to_(to), report_(*report) {}

  absl::Status Run() {
    for (const size_t family : {kFacts, kHeads}) {
      if (from_.family(family) == nullptr) continue;
      const bool sound =
          SalvageEnds(from_.db(), from_.family(family), [this](absl::string_view key, absl::string_view) {
            std::string team;
            uint64_t sequence = 0;
            if (SplitFactKey(key, &team, &sequence)) Know(team, sequence);
          });
      if (!sound)
        report_.notes.push_back(absl::StrCat("tables of ", family == kFacts ? "facts" : "heads", " are damaged"));
    }
    if (from_.family(kIdempotency) != nullptr) ReadKeys();
    if (from_.family(kFacts) != nullptr) {
      SalvageRecords(from_.db(), from_.family(kFacts), teams_, last_sequence_,
                     [this](absl::string_view key, absl::string_view value) { Keep(key, value); });
    }
    if (from_.family(kHeads) != nullptr) {
      SalvageRecords(from_.db(), from_.family(kHeads), teams_, last_sequence_,
                     [this](absl::string_view key, absl::string_view value) { ReadHead(key, value); });
    }
    RETURN_IF_ERROR(WriteBatch(0));
    RETURN_IF_ERROR(to_.StampFormat(kFactFormat));
    ListLost();
    return written_;
  }

 private:
  using Number = std::pair<std::string, uint64_t>;

  void Know(const std::string& team, uint64_t sequence) {
    teams_.insert(team);
    last_sequence_ = std::max(last_sequence_, sequence);
  }

  void ReadKeys() {
    const bool sound =
        SalvageEnds(from_.db(), from_.family(kIdempotency), [this](absl::string_view key, absl::string_view value) {
          const size_t end = key.find('\0');
          if (end == absl::string_view::npos || value.size() < 8) return;
          const Number number(std::string(key.substr(0, end)), common::ReadBigEndian64(value));
          Know(number.first, number.second);
          keys_[number] = std::string(key.substr(end + 1));
        });
    if (!sound) report_.notes.emplace_back("tables of idempotency keys are damaged");
  }

  void ReadHead(absl::string_view key, absl::string_view value) {
    Fact head;
    if (ReadRecord(key, value, &head).ok()) keys_[{head.team(), head.sequence()}] = head.idempotency_key();
  }

  void Keep(absl::string_view key, absl::string_view value) {
    Fact fact;
    const absl::Status read = ReadRecord(key, value, &fact);
    if (!read.ok()) {
      report_.notes.push_back(std::string(read.message()));
      std::string team;
      uint64_t sequence = 0;
      if (SplitFactKey(key, &team, &sequence)) keys_.try_emplace({team, sequence});
      return;
    }
    const uint64_t sequence = fact.sequence();
    if (!kept_.insert({fact.team(), sequence}).second) return;
    const PreparedFact prepared = PrepareFact(std::move(fact));
    const rocksdb::Slice stored(key.data(), key.size());
    batch_.Put(to_.family(kFacts), stored, FramePrefix(prepared.body, key) + prepared.body.bytes);
    batch_.Put(to_.family(kHeads), stored, FramePrefix(prepared.head, key) + prepared.head.bytes);
    batch_.Put(to_.family(kIdempotency), prepared.idempotency_key,
               absl::StrCat(common::BigEndian64(sequence), prepared.fact.content_sha256()));
    if (written_.ok()) written_ = WriteBatch(kBatchBytes);
  }

  absl::Status WriteBatch(size_t limit) {
    if (batch_.Count() == 0 || batch_.GetDataSize() < limit) return absl::OkStatus();
    RETURN_IF_ERROR(common::FromRocks(to_.db().Write(rocksdb::WriteOptions(), &batch_), "cannot write the new store"));
    batch_.Clear();
    return absl::OkStatus();
  }

  void ListLost() {
    std::set<uint64_t> known;
    for (const auto& [team, sequence] : kept_) {
      known.insert(sequence);
      report_.last_sequence = std::max(report_.last_sequence, sequence);
    }
    report_.salvaged = kept_.size();
    for (const auto& [number, key] : keys_) {
      known.insert(number.second);
      if (kept_.contains(number)) continue;
      report_.lost.push_back(
          {.team = number.first, .sequence = number.second, .key = absl::StrReplaceAll(key, {{"\t", " "}})});
    }
    std::sort(report_.lost.begin(), report_.lost.end(),
              [](const LostFact& a, const LostFact& b) { return a.sequence < b.sequence; });
    uint64_t next = 1;
    for (const uint64_t sequence : known) {
      if (sequence > next) {
        report_.numbers_without_a_trace.push_back(sequence == next + 1 ? absl::StrCat(next)
                                                                       : absl::StrCat(next, "-", sequence - 1));
      }
      next = sequence + 1;
    }
  }

  ReadOnlyStore& from_;
  common::RocksStore& to_;
  RepairReport& report_;
  std::set<std::string> teams_;
  uint64_t last_sequence_ = 0;
  std::map<Number, std::string> keys_;  // idempotency keys of all facts that left a trace
  std::set<Number> kept_;
  rocksdb::WriteBatch batch_;
  absl::Status written_;
};

}  // namespace

absl::StatusOr<RepairReport> RepairStore(const std::string& damaged, const std::string& target) {
  std::error_code error;
  const fs::path folder = fs::path(target).lexically_normal();
  if (!fs::exists(fs::path(damaged) / "CURRENT", error) && !fs::exists(fs::path(damaged) / "IDENTITY", error)) {
    return absl::NotFoundError(absl::StrCat(damaged, " holds no store; name the data folder of a memory"));
  }
  if (!folder.has_filename() || (fs::exists(folder, error) && !fs::is_empty(folder, error))) {
    return absl::AlreadyExistsError(
        absl::StrCat("'", target, "' is not empty; name a new folder for what is salvaged"));
  }
  ASSIGN_OR_RETURN(const auto lock, FolderLock::Take(damaged));
  const std::string unfinished = absl::StrCat(folder.string(), ".", common::RandomId(), ".unfinished");
  const std::string scratch = absl::StrCat(unfinished, ".scratch");
  const absl::Cleanup remove = [&] {
    std::error_code ignored;  // after success there is nothing to remove
    fs::remove_all(unfinished, ignored);
    fs::remove_all(scratch, ignored);
  };
  RepairReport report;
  {
    ASSIGN_OR_RETURN(const auto from, OpenDamaged(damaged, scratch, &report));
    ASSIGN_OR_RETURN(const auto to,
                     common::RocksStore::Open(unfinished, StoreFamilies({}), kFactFormat, StoreOptions()));
    RETURN_IF_ERROR(Salvage(*from, *to, &report).Run());
  }
  fs::rename(unfinished, folder, error);
  RETURN_IF_ERROR(FolderError(error, absl::StrCat("cannot name the new store ", target)));
  return report;
}

std::string RepairText(const RepairReport& report) {
  std::string text = absl::StrCat("salvaged ", report.salvaged, " facts up to number ", report.last_sequence, "\n");
  for (const std::string& note : report.notes) absl::StrAppend(&text, "damage: ", note, "\n");
  for (const LostFact& fact : report.lost) {
    absl::StrAppend(&text, "lost: number ", fact.sequence, " of team '", fact.team, "'",
                    fact.key.empty() ? "" : absl::StrCat(", ", fact.key), "\n");
  }
  for (const std::string& numbers : report.numbers_without_a_trace) {
    absl::StrAppend(&text, "no trace of number ", numbers, "\n");
  }
  if (report.lost.empty() && report.numbers_without_a_trace.empty()) {
    absl::StrAppend(&text, "nothing below that number is missing\n");
  }
  return text;
}

}  // namespace kernelsmith::memory
