#include "memory/log/store_check.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "memory/log/fact_record.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kMostDifferences = 100;
constexpr uint64_t kProgressFacts = 4096;

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// Walks the facts, and beside them the heads, which have the same keys.
class Check {
 public:
  Check(common::RocksStore& store, const rocksdb::Snapshot* snapshot) : store_(store) {
    options_.snapshot = snapshot;
    options_.fill_cache = false;
  }

  StoreCheck Run(const std::function<void(uint64_t facts)>& progress) {
    const rocksdb::Status sums = store_.db().VerifyChecksum();
    if (!sums.ok()) Differ(absl::StrCat("a file is damaged: ", sums.ToString()));
    const std::unique_ptr<rocksdb::Iterator> facts(store_.db().NewIterator(options_, store_.family(kFacts)));
    const std::unique_ptr<rocksdb::Iterator> heads(store_.db().NewIterator(options_, store_.family(kHeads)));
    heads->SeekToFirst();
    for (facts->SeekToFirst(); facts->Valid(); facts->Next()) {
      SkipHeadsBefore(*heads, facts->key());
      CheckFact(facts->key(), facts->value(), *heads);
      if (++check_.facts % kProgressFacts == 0) progress(check_.facts);
    }
    if (!facts->status().ok()) Differ(absl::StrCat("the facts cannot be read on: ", facts->status().ToString()));
    for (; heads->Valid(); heads->Next()) Differ(absl::StrCat("a head has no fact: ", Name(heads->key())));
    if (!heads->status().ok()) Differ(absl::StrCat("the heads cannot be read on: ", heads->status().ToString()));
    CountKeys();
    return std::move(check_);
  }

 private:
  static std::string Name(const rocksdb::Slice& key) {
    std::string team;
    uint64_t sequence = 0;
    SplitFactKey(View(key), &team, &sequence);
    return absl::StrCat("number ", sequence, " of team '", team, "'");
  }

  void Differ(std::string what) {
    if (check_.differences.size() < kMostDifferences) check_.differences.push_back(std::move(what));
  }

  void SkipHeadsBefore(rocksdb::Iterator& heads, const rocksdb::Slice& key) {
    for (; heads.Valid() && heads.key().compare(key) < 0; heads.Next()) {
      Differ(absl::StrCat("a head has no fact: ", Name(heads.key())));
    }
  }

  void CheckFact(const rocksdb::Slice& key, const rocksdb::Slice& value, rocksdb::Iterator& heads) {
    const bool has_head = heads.Valid() && heads.key() == key;
    Fact fact;
    const absl::Status read = ReadRecord(View(key), View(value), &fact);
    if (!read.ok()) {
      Differ(std::string(read.message()));
    } else {
      CheckKey(fact);
      const PreparedFact prepared = PrepareFact(std::move(fact));
      const std::string expected = FramePrefix(prepared.head, View(key)) + prepared.head.bytes;
      if (!has_head) Differ(absl::StrCat("there is no head of ", Name(key)));
      if (has_head && heads.value() != expected) Differ(absl::StrCat("the head differs from its fact: ", Name(key)));
    }
    if (has_head) heads.Next();
  }

  void CheckKey(const Fact& fact) {
    rocksdb::PinnableSlice value;
    const rocksdb::Status read = store_.db().Get(options_, store_.family(kIdempotency),
                                                 IdempotencyKey(fact.team(), fact.idempotency_key()), &value);
    const std::string expected = absl::StrCat(common::BigEndian64(fact.sequence()), fact.content_sha256());
    if (read.ok() && View(value) == expected) return;
    Differ(absl::StrCat("the idempotency key of number ", fact.sequence(), " of team '", fact.team(), "' ",
                        read.ok() ? "says something else" : absl::StrCat("cannot be read: ", read.ToString())));
  }

  void CountKeys() {
    uint64_t keys = 0;
    const std::unique_ptr<rocksdb::Iterator> it(store_.db().NewIterator(options_, store_.family(kIdempotency)));
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++keys;
    if (!it->status().ok()) Differ(absl::StrCat("the keys cannot be read on: ", it->status().ToString()));
    if (keys != check_.facts) Differ(absl::StrCat(keys, " idempotency keys stand beside ", check_.facts, " facts"));
  }

  common::RocksStore& store_;
  rocksdb::ReadOptions options_;
  StoreCheck check_;
};

}  // namespace

absl::StatusOr<StoreCheck> CheckStore(common::RocksStore& store, const std::function<void(uint64_t facts)>& progress) {
  const std::unique_ptr<const rocksdb::Snapshot, std::function<void(const rocksdb::Snapshot*)>> snapshot(
      store.db().GetSnapshot(), [&store](const rocksdb::Snapshot* held) { store.db().ReleaseSnapshot(held); });
  if (snapshot == nullptr) return absl::UnavailableError("cannot hold a state of the store to check it");
  return Check(store, snapshot.get()).Run(progress);
}

}  // namespace kernelsmith::memory
