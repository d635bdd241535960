#include "memory/log/salvage_scan.h"

#include <memory>

#include "memory/log/fact_record.h"

namespace kernelsmith::memory {
namespace {

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

rocksdb::ReadOptions Options() {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

// One team's records.
class TeamSalvage {
 public:
  TeamSalvage(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string team, uint64_t last_sequence,
              const SalvageVisitor& visit)
      : db_(db), family_(family), team_(std::move(team)), last_sequence_(last_sequence), visit_(visit) {}

  // False if something was unreadable.
  bool Run() {
    bool sound = true;
    // `next` is the first number that has not been looked at.
    for (uint64_t next = 0; next <= last_sequence_;) {
      if (ReadOn(&next)) return sound;
      sound = false;
      // Between here and the next readable place records may still answer one by one.
      std::string value;
      const std::string key = FactKey(team_, next);
      if (db_.Get(Options(), family_, key, &value).ok()) visit_(key, value);
      ++next;
    }
    return sound;
  }

 private:
  // Reads from `*next` to the end of the team, true, or to damage, false.
  bool ReadOn(uint64_t* next) {
    const std::unique_ptr<rocksdb::Iterator> it(db_.NewIterator(Options(), family_));
    const std::string prefix = TeamPrefix(team_);
    for (it->Seek(FactKey(team_, *next)); it->Valid() && it->key().starts_with(prefix); it->Next()) {
      std::string team;
      uint64_t sequence = 0;
      if (!SplitFactKey(View(it->key()), &team, &sequence)) continue;
      visit_(View(it->key()), View(it->value()));
      *next = sequence + 1;
    }
    return it->status().ok();
  }

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const std::string team_;
  const uint64_t last_sequence_;
  const SalvageVisitor& visit_;
};

}  // namespace

bool SalvageRecords(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::set<std::string>& teams,
                    uint64_t last_sequence, const SalvageVisitor& visit) {
  bool sound = true;
  for (const std::string& team : teams) sound &= TeamSalvage(db, family, team, last_sequence, visit).Run();
  return sound;
}

bool SalvageEnds(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const SalvageVisitor& visit) {
  std::string last;
  std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(Options(), family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    last = it->key().ToString();
    visit(View(it->key()), View(it->value()));
  }
  if (it->status().ok()) return true;
  it.reset(db.NewIterator(Options(), family));
  for (it->SeekToLast(); it->Valid() && it->key().compare(last) > 0; it->Prev()) {
    visit(View(it->key()), View(it->value()));
  }
  return false;
}

}  // namespace kernelsmith::memory
