#include "memory/log/fact_store.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

// Column families. Keys of both begin with the team and a zero byte.
constexpr size_t kFacts = 0;  // sequence, 8 bytes big-endian -> storage.v1.Fact
constexpr size_t kKeys = 1;   // idempotency key -> sequence, 8 bytes big-endian, and content_sha256

std::string TeamPrefix(absl::string_view team) { return absl::StrCat(team, absl::string_view("\0", 1)); }

// The first key after every key of the team.
std::string TeamEnd(absl::string_view team) { return absl::StrCat(team, "\x01"); }

std::string FactKey(absl::string_view team, uint64_t sequence) {
  return absl::StrCat(TeamPrefix(team), common::BigEndian64(sequence));
}

absl::StatusOr<Fact> ParseFact(const rocksdb::Slice& bytes, absl::string_view where) {
  Fact fact;
  if (!fact.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(
        absl::StrCat("the fact ", where, " does not parse; restore a backup of the data folder"));
  }
  if (fact.format() > kFactFormat) {
    return absl::FailedPreconditionError(absl::StrCat("the fact ", where, " has format ", fact.format(),
                                                      ", this program knows up to ", kFactFormat,
                                                      "; use the newer program that wrote it"));
  }
  return fact;
}

// The facts of one team from a sequence on.
struct TeamCursor {
  std::unique_ptr<rocksdb::Iterator> iterator;
  std::string prefix;
  uint64_t sequence = 0;

  // Reads the sequence of the current record; false at the end of the team.
  bool Load() {
    if (!iterator->Valid() || !iterator->key().starts_with(prefix)) return false;
    sequence = common::ReadBigEndian64({iterator->key().data() + prefix.size(), 8});
    return true;
  }
};

}  // namespace

std::string FactKeyOf(absl::string_view kind, absl::string_view id) { return absl::StrCat(kind, "\t", id); }

std::string FactKeyOf(absl::string_view kind, absl::string_view producer, absl::string_view id) {
  return absl::StrCat(kind, "\t", producer, "\t", id);
}

FactStore::FactStore(std::unique_ptr<common::RocksStore> rocks) : rocks_(std::move(rocks)) {}

absl::StatusOr<std::unique_ptr<FactStore>> FactStore::Open(const std::string& folder) {
  ASSIGN_OR_RETURN(auto rocks, common::RocksStore::Open(folder, {"facts", "idempotency"}, kFactFormat));
  auto store = std::unique_ptr<FactStore>(new FactStore(std::move(rocks)));
  RETURN_IF_ERROR(store->FindLastSequence());
  return store;
}

absl::Status FactStore::FindLastSequence() {
  const std::unique_ptr<rocksdb::Iterator> it(rocks_->db().NewIterator(rocksdb::ReadOptions(), rocks_->family(kFacts)));
  it->SeekToFirst();
  while (it->Valid()) {
    const std::string key = it->key().ToString();
    const std::string team = key.substr(0, key.find('\0'));
    it->SeekForPrev(TeamEnd(team));  // the last fact of the team
    if (!it->Valid()) break;
    const uint64_t sequence = common::ReadBigEndian64(it->key().ToString().substr(team.size() + 1));
    last_sequence_ = std::max(last_sequence_, sequence);
    it->Seek(TeamEnd(team));
  }
  return common::FromRocks(it->status(), "cannot read the fact log");
}

std::vector<AppendResult> FactStore::Append(const std::vector<Fact*>& facts) {
  std::vector<AppendResult> results(facts.size());
  std::unordered_map<std::string, size_t> in_batch;  // storage key -> index of the new fact
  std::vector<size_t> fresh;
  rocksdb::WriteBatch batch;
  uint64_t next = last_sequence_ + 1;

  for (size_t i = 0; i < facts.size(); ++i) {
    Fact& fact = *facts[i];
    const std::string key = absl::StrCat(TeamPrefix(fact.team()), fact.idempotency_key());
    uint64_t stored_sequence = 0;
    std::string stored_hash;
    if (const auto earlier = in_batch.find(key); earlier != in_batch.end()) {
      stored_sequence = facts[earlier->second]->sequence();
      stored_hash = facts[earlier->second]->content_sha256();
    } else {
      std::string value;
      const rocksdb::Status read = rocks_->db().Get(rocksdb::ReadOptions(), rocks_->family(kKeys), key, &value);
      if (!read.ok() && !read.IsNotFound()) {
        results[i].status = common::FromRocks(read, "cannot read the fact log");
        continue;
      }
      if (read.ok()) {
        stored_sequence = common::ReadBigEndian64(value);
        stored_hash = value.substr(8);
      }
    }
    if (stored_sequence != 0) {
      results[i].sequence = stored_sequence;
      results[i].duplicate = true;
      if (stored_hash != fact.content_sha256()) {
        results[i].status = absl::AlreadyExistsError(
            absl::StrCat(absl::StrReplaceAll(fact.idempotency_key(), {{"\t", " "}}),
                         " is recorded already with other content; use a new id, or send the same again"));
      }
      continue;
    }
    fact.set_format(kFactFormat);
    fact.set_sequence(next++);
    results[i].sequence = fact.sequence();
    in_batch.emplace(key, i);
    fresh.push_back(i);
    batch.Put(rocks_->family(kFacts), FactKey(fact.team(), fact.sequence()), fact.SerializeAsString());
    batch.Put(rocks_->family(kKeys), key, absl::StrCat(common::BigEndian64(fact.sequence()), fact.content_sha256()));
  }
  if (fresh.empty()) return results;

  const absl::Status written =
      common::FromRocks(rocks_->db().Write(common::SyncedWrite(), &batch), "cannot append to the fact log");
  if (written.ok()) {
    last_sequence_ = next - 1;
    return results;
  }
  // Nothing of the batch is stored, so what repeats a fact of the batch failed with it.
  for (size_t i = 0; i < facts.size(); ++i) {
    if (results[i].sequence > last_sequence_) results[i] = {.status = written};
  }
  return results;
}

absl::Status FactStore::Scan(uint64_t from, const std::function<absl::Status(const Fact&)>& visit) const {
  rocksdb::ReadOptions options;
  options.snapshot = rocks_->db().GetSnapshot();
  const std::unique_ptr<const rocksdb::Snapshot, std::function<void(const rocksdb::Snapshot*)>> snapshot(
      options.snapshot, [this](const rocksdb::Snapshot* held) { rocks_->db().ReleaseSnapshot(held); });

  // One cursor per team, merged by sequence.
  std::vector<TeamCursor> cursors;
  const std::unique_ptr<rocksdb::Iterator> teams(rocks_->db().NewIterator(options, rocks_->family(kFacts)));
  for (teams->SeekToFirst(); teams->Valid();) {
    const std::string key = teams->key().ToString();
    const std::string team = key.substr(0, key.find('\0'));
    TeamCursor cursor{
        .iterator = std::unique_ptr<rocksdb::Iterator>(rocks_->db().NewIterator(options, rocks_->family(kFacts))),
        .prefix = TeamPrefix(team)};
    cursor.iterator->Seek(FactKey(team, from));
    if (cursor.Load()) cursors.push_back(std::move(cursor));
    teams->Seek(TeamEnd(team));
  }
  RETURN_IF_ERROR(common::FromRocks(teams->status(), "cannot read the fact log"));

  const auto later = [&](size_t a, size_t b) { return cursors[a].sequence > cursors[b].sequence; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> next(later);
  for (size_t i = 0; i < cursors.size(); ++i) next.push(i);
  while (!next.empty()) {
    const size_t index = next.top();
    next.pop();
    TeamCursor& cursor = cursors[index];
    ASSIGN_OR_RETURN(const Fact fact, ParseFact(cursor.iterator->value(), absl::StrCat("number ", cursor.sequence)));
    RETURN_IF_ERROR(visit(fact));
    cursor.iterator->Next();
    if (cursor.Load()) {
      next.push(index);
    } else {
      RETURN_IF_ERROR(common::FromRocks(cursor.iterator->status(), "cannot read the fact log"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Fact> FactStore::Read(absl::string_view team, uint64_t sequence) const {
  ASSIGN_OR_RETURN(std::vector<Fact> facts, ReadMany(team, {sequence}));
  return std::move(facts.front());
}

absl::StatusOr<std::vector<Fact>> FactStore::ReadMany(absl::string_view team,
                                                      const std::vector<uint64_t>& sequences) const {
  std::vector<std::string> keys;
  keys.reserve(sequences.size());
  for (const uint64_t sequence : sequences) keys.push_back(FactKey(team, sequence));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values;
  const std::vector<rocksdb::Status> statuses = rocks_->db().MultiGet(
      rocksdb::ReadOptions(), std::vector<rocksdb::ColumnFamilyHandle*>(keys.size(), rocks_->family(kFacts)), slices,
      &values);
  std::vector<Fact> facts;
  facts.reserve(sequences.size());
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::string where = absl::StrCat("number ", sequences[i]);
    RETURN_IF_ERROR(common::FromRocks(statuses[i], absl::StrCat("cannot read the fact ", where)));
    ASSIGN_OR_RETURN(Fact fact, ParseFact(values[i], where));
    facts.push_back(std::move(fact));
  }
  return facts;
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
