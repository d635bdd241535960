#include "memory/log/record_scan.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "common/rocks.h"
#include "common/status.h"
#include "memory/log/fact_record.h"

namespace kernelsmith::memory {
namespace {

constexpr char kCannotRead[] = "cannot read the fact log";

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// The records of one team from a sequence on.
struct TeamCursor {
  std::unique_ptr<rocksdb::Iterator> iterator;
  std::string prefix;
  uint64_t sequence = 0;

  // Reads the sequence of the current record; false at the end of the team.
  bool Load() {
    if (!iterator->Valid() || !iterator->key().starts_with(prefix)) return false;
    std::string team;
    if (!SplitFactKey(View(iterator->key()), &team, &sequence)) sequence = 0;  // ReadRecord reports it
    return true;
  }
};

}  // namespace

absl::Status VisitTeams(rocksdb::DB& db, const rocksdb::ReadOptions& options, rocksdb::ColumnFamilyHandle* family,
                        const std::function<absl::Status(const std::string& team)>& visit) {
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(options, family));
  for (it->SeekToFirst(); it->Valid();) {
    std::string team;
    uint64_t sequence = 0;
    if (!SplitFactKey(View(it->key()), &team, &sequence)) {
      return absl::DataLossError("the fact log holds a key that is none of a fact");
    }
    RETURN_IF_ERROR(visit(team));
    it->Seek(TeamEnd(team));
  }
  return common::FromRocks(it->status(), kCannotRead);
}

absl::StatusOr<uint64_t> LastSequence(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  uint64_t last = 0;
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions(), family));
  RETURN_IF_ERROR(VisitTeams(db, rocksdb::ReadOptions(), family, [&](const std::string& found) {
    it->SeekForPrev(TeamEnd(found));
    std::string team;
    uint64_t sequence = 0;
    if (it->Valid() && SplitFactKey(View(it->key()), &team, &sequence)) last = std::max(last, sequence);
    return common::FromRocks(it->status(), kCannotRead);
  }));
  return last;
}

absl::Status ScanRecords(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, uint64_t from,
                         const std::function<absl::Status(const Fact&)>& visit) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;  // a scan would drive out what point reads need
  options.snapshot = db.GetSnapshot();
  const std::unique_ptr<const rocksdb::Snapshot, std::function<void(const rocksdb::Snapshot*)>> snapshot(
      options.snapshot, [&db](const rocksdb::Snapshot* held) { db.ReleaseSnapshot(held); });

  // One cursor per team, merged by sequence.
  std::vector<TeamCursor> cursors;
  RETURN_IF_ERROR(VisitTeams(db, options, family, [&](const std::string& team) {
    TeamCursor cursor{.iterator = std::unique_ptr<rocksdb::Iterator>(db.NewIterator(options, family)),
                      .prefix = TeamPrefix(team)};
    cursor.iterator->Seek(FactKey(team, from));
    if (cursor.Load()) {
      cursors.push_back(std::move(cursor));
      return absl::OkStatus();
    }
    return common::FromRocks(cursor.iterator->status(), kCannotRead);
  }));

  const auto later = [&](size_t a, size_t b) { return cursors[a].sequence > cursors[b].sequence; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> next(later);
  for (size_t i = 0; i < cursors.size(); ++i) next.push(i);
  Fact fact;
  while (!next.empty()) {
    const size_t index = next.top();
    next.pop();
    TeamCursor& cursor = cursors[index];
    // A team's records mostly come in runs: stay with it while it is in front.
    do {
      RETURN_IF_ERROR(ReadRecord(View(cursor.iterator->key()), View(cursor.iterator->value()), &fact));
      RETURN_IF_ERROR(visit(fact));
      cursor.iterator->Next();
      if (!cursor.Load()) {
        RETURN_IF_ERROR(common::FromRocks(cursor.iterator->status(), kCannotRead));
        cursor.iterator.reset();
      }
    } while (cursor.iterator != nullptr && (next.empty() || cursor.sequence < cursors[next.top()].sequence));
    if (cursor.iterator != nullptr) next.push(index);
  }
  return absl::OkStatus();
}

}  // namespace kernelsmith::memory
