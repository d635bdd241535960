#include "memory/log/fact_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/file_io.h"
#include "common/hash.h"
#include "common/rocks.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using testing::Append;
using testing::AttemptFact;
using testing::ScannedIds;

class FactStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<FactStore> Open() {
    auto store = FactStore::Open(folder_.path());
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("fact-store");
};

TEST_F(FactStoreTest, NumbersFactsFromOneOverAllTeams) {
  const auto store = Open();
  EXPECT_EQ(Append(*store, AttemptFact("a", "1")).sequence, 1u);
  EXPECT_EQ(Append(*store, AttemptFact("b", "1")).sequence, 2u);
  EXPECT_EQ(Append(*store, AttemptFact("a", "2")).sequence, 3u);
}

TEST_F(FactStoreTest, ScansAllTeamsInSequenceOrder) {
  const auto store = Open();
  for (const char* team : {"b", "a", "ab", "b", "a"}) {
    Append(*store, AttemptFact(team, std::to_string(ScannedIds(*store).size())));
  }
  EXPECT_THAT(ScannedIds(*store), ElementsAre("b:0", "a:1", "ab:2", "b:3", "a:4"));
  EXPECT_THAT(ScannedIds(*store, 4), ElementsAre("b:3", "a:4"));
}

TEST_F(FactStoreTest, StopsScanningAtTheVisitorsError) {
  const auto store = Open();
  Append(*store, AttemptFact("a", "1"));
  Append(*store, AttemptFact("a", "2"));
  int visited = 0;
  const absl::Status status = store->Scan(0, [&](const Fact&) {
    ++visited;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(visited, 1);
}

TEST_F(FactStoreTest, KeepsFactsAndNumbersOverAReopen) {
  { Append(*Open(), AttemptFact("team", "1")); }
  const auto store = Open();
  EXPECT_THAT(ScannedIds(*store), ElementsAre("team:1"));
  EXPECT_EQ(Append(*store, AttemptFact("another", "2")).sequence, 2u);
}

TEST_F(FactStoreTest, TellsARepeatFromAConflict) {
  const auto store = Open();
  Append(*store, AttemptFact("a", "1", "same"));
  const AppendResult repeat = Append(*store, AttemptFact("a", "1", "same"));
  EXPECT_TRUE(repeat.status.ok());
  EXPECT_TRUE(repeat.duplicate);
  EXPECT_EQ(repeat.sequence, 1u);
  const AppendResult conflict = Append(*store, AttemptFact("a", "1", "other"));
  EXPECT_EQ(conflict.status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(Append(*store, AttemptFact("b", "1", "other")).duplicate) << "keys of teams are apart";
  EXPECT_EQ(ScannedIds(*store).size(), 2u);
}

TEST_F(FactStoreTest, TellsARepeatFromAConflictWithinOneBatch) {
  const auto store = Open();
  Fact first = AttemptFact("a", "1", "same");
  Fact repeat = AttemptFact("a", "1", "same");
  Fact conflict = AttemptFact("a", "1", "other");
  Fact next = AttemptFact("a", "2");
  const auto results = store->Append(std::vector<Fact*>{&first, &repeat, &conflict, &next});
  EXPECT_FALSE(results[0].duplicate);
  EXPECT_TRUE(results[1].duplicate);
  EXPECT_EQ(results[1].sequence, results[0].sequence);
  EXPECT_EQ(results[2].status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(results[3].sequence, results[0].sequence + 1);
}

TEST_F(FactStoreTest, ReadsFactsByNumberWithinTheTeamOnly) {
  const auto store = Open();
  Append(*store, AttemptFact("a", "1"));
  Append(*store, AttemptFact("b", "2"));
  EXPECT_EQ(store->Read("a", 1)->attempt().attempt_id(), "1");
  EXPECT_EQ(store->Read("a", 2).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->ReadMany("a", {1, 1})->size(), 2u);
  EXPECT_GT(store->TotalBytes(), 0);
}

TEST_F(FactStoreTest, ScansHeadsThatLackTheTextsAndKeepTheRest) {
  const auto store = Open();
  Append(*store, AttemptFact("a", "1"));
  Append(*store, AttemptFact("b", "2"));
  std::vector<Fact> heads;
  ASSERT_TRUE(store
                  ->ScanHeads(0,
                              [&](const Fact& head) {
                                heads.push_back(head);
                                return absl::OkStatus();
                              })
                  .ok());
  ASSERT_EQ(heads.size(), 2u);
  const Fact fact = *store->Read("b", 2);
  EXPECT_EQ(heads[1].sequence(), 2u);
  EXPECT_EQ(heads[1].attempt().attempt_id(), "2");
  EXPECT_EQ(heads[1].attempt().case_().speedup(), fact.attempt().case_().speedup());
  EXPECT_TRUE(heads[1].attempt().case_().code_after().empty());
  EXPECT_FALSE(heads[1].attempt().has_journal());
  EXPECT_EQ(NotesOf(heads[1]).code_after_sha256(), common::Sha256Hex(fact.attempt().case_().code_after()));
  EXPECT_TRUE(NotesOf(heads[1]).has_journal());
}

TEST_F(FactStoreTest, ReportsItsBacklog) {
  const auto store = Open();
  for (int i = 0; i < 20; ++i) Append(*store, AttemptFact("a", std::to_string(i)));
  const StoreHealth health = store->Health();
  EXPECT_GT(health.memtable_bytes, 0);
  EXPECT_FALSE(health.writes_stopped);
  EXPECT_EQ(health.background_errors, 0);
}

// Flips one byte of a stored record, as a fault of the machine would behind RocksDB's own checksums.
TEST_F(FactStoreTest, NoticesAChangedByteOfARecordWhereverItIsRead) {
  { Append(*Open(), AttemptFact("a", "1")); }
  {
    auto rocks = common::RocksStore::Open(folder_.path(), {"facts", "idempotency", "heads"}, kFactFormat);
    for (const size_t family : {kFacts, kHeads}) {
      std::string value;
      ASSERT_TRUE((*rocks)->db().Get({}, (*rocks)->family(family), FactKey("a", 1), &value).ok());
      value[value.find("softmax")] = 'S';
      ASSERT_TRUE((*rocks)->db().Put(common::SyncedWrite(), (*rocks)->family(family), FactKey("a", 1), value).ok());
    }
  }
  const auto store = Open();
  const auto visit = [](const Fact&) { return absl::OkStatus(); };
  EXPECT_EQ(store->Scan(0, visit).code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(store->Scan(0, visit).message()), HasSubstr("docs/operations.md"));
  EXPECT_EQ(store->ScanHeads(0, visit).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store->Read("a", 1).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(FactStoreTest, RefusesASecondOpenOfTheSameFolder) {
  const auto store = Open();
  const auto second = FactStore::Open(folder_.path());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("open in another process"));
}

TEST_F(FactStoreTest, RefusesAFolderOfANewerFormat) {
  { ASSERT_TRUE(common::RocksStore::Open(folder_.path(), {"facts", "idempotency"}, kFactFormat + 1).ok()); }
  const auto store = FactStore::Open(folder_.path());
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("format 3"));
}

// The newest write-ahead log of the store.
std::filesystem::path WriteAheadLog(const std::string& folder) {
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) newest = std::max(newest, entry.path());
  }
  return newest;
}

TEST_F(FactStoreTest, DropsATornTailAndKeepsWhatStandsBeforeIt) {
  {
    const auto store = Open();
    for (const char* id : {"1", "2", "3"}) Append(*store, AttemptFact("a", id));
  }
  const std::filesystem::path log = WriteAheadLog(folder_.path());
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 7);
  const auto store = Open();
  EXPECT_THAT(ScannedIds(*store), ElementsAre("a:1", "a:2"));
  EXPECT_FALSE(Append(*store, AttemptFact("a", "3")).duplicate);
}

TEST_F(FactStoreTest, RefusesDamageInTheMiddleOfTheLog) {
  {
    const auto store = Open();
    for (int i = 0; i < 50; ++i) Append(*store, AttemptFact("a", std::to_string(i)));
  }
  const std::filesystem::path log = WriteAheadLog(folder_.path());
  // Into a record's payload: a damaged length in the last block cannot be told from a torn tail.
  const std::string bytes = *common::ReadFile(log);
  const size_t place = bytes.find("softmax", bytes.size() / 2);
  ASSERT_NE(place, std::string::npos);
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(place));
  file.write("damage", 6);
  file.close();
  EXPECT_EQ(FactStore::Open(folder_.path()).status().code(), absl::StatusCode::kDataLoss);
}

// Puts raw bytes where a fact belongs.
void PutRaw(const std::string& folder, const std::string& value) {
  auto rocks = common::RocksStore::Open(folder, {"facts", "idempotency"}, kFactFormat);
  ASSERT_TRUE(rocks.ok()) << rocks.status();
  const std::string key = std::string("a\0", 2) + common::BigEndian64(1);
  ASSERT_TRUE((*rocks)->db().Put(common::SyncedWrite(), (*rocks)->family(0), key, value).ok());
}

TEST_F(FactStoreTest, ReportsARecordThatDoesNotParseAsDataLoss) {
  PutRaw(folder_.path(), "\xff\xff");
  const absl::Status status = Open()->Scan(0, [](const Fact&) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(FactStoreTest, RefusesARecordOfANewerFormat) {
  Fact fact = AttemptFact("a", "1");
  fact.set_format(kFactFormat + 1);
  PutRaw(folder_.path(), fact.SerializeAsString());
  const absl::Status status = Open()->Scan(0, [](const Fact&) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

// The bytes on disk as docs/formats.md gives them; a change here is a change of format.
TEST_F(FactStoreTest, WritesTheDocumentedKeysAndValues) {
  Fact fact;
  fact.set_team("local");
  fact.set_idempotency_key(FactKeyOf("adoption", "retrieval-1"));
  fact.set_content_sha256("ab");
  fact.set_at_unix_us(5);
  fact.mutable_adoption()->set_retrieval_id("retrieval-1");
  { ASSERT_EQ(Append(*Open(), fact).sequence, 1u); }

  auto rocks = common::RocksStore::Open(folder_.path(), {"facts", "idempotency", "heads"}, kFactFormat);
  ASSERT_TRUE(rocks.ok());
  const auto stored = [&](size_t family, const std::string& key) {
    std::string value;
    EXPECT_TRUE((*rocks)->db().Get({}, (*rocks)->family(family), key, &value).ok());
    return value;
  };
  const std::string number("\0\0\0\0\0\0\0\1", 8);
  const std::string key = std::string("local\0", 6) + number;
  const std::string start = std::string("\x08\x02\x1a\x05local\x22\x14") + "adoption\tretrieval-1";
  const std::string end = std::string("\x30\x05\x4a\x0d\x0a\x0bretrieval-1\x7a\0", 19);
  EXPECT_EQ(stored(kFacts, key), "\x02\x26\x27\x7d\xc5" + start + "\x2a\x02" + "ab" + end);
  EXPECT_EQ(stored(kHeads, key), "\x02\x0d\x4b\xf8\x59" + start + end);
  EXPECT_EQ(stored(kIdempotency, std::string("local\0adoption\tretrieval-1", 26)), number + "ab");
  std::string stamp;
  ASSERT_TRUE((*rocks)->db().Get({}, "format", &stamp).ok());
  EXPECT_EQ(stamp, "2");
}

}  // namespace
}  // namespace kernelsmith::memory
