#include "memory/log/store_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/log/store_check.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

using testing::AttemptFact;
using testing::Scanned;

constexpr int kFacts1 = 60;

std::string TeamOf(int number) { return number % 3 == 0 ? "b" : "a"; }

Fact OldFact(int number) {
  Fact fact = AttemptFact(TeamOf(number), std::to_string(number));
  fact.set_format(1);
  fact.set_sequence(static_cast<uint64_t>(number));
  return fact;
}

// As the program of format 1 wrote it: no frame, no heads, the sequence within the fact.
void WriteFormat1(const std::string& folder) {
  const auto rocks = *common::RocksStore::Open(folder, {"facts", "idempotency"}, 1);
  for (int number = 1; number <= kFacts1; ++number) {
    const Fact fact = OldFact(number);
    rocksdb::WriteBatch batch;
    batch.Put(rocks->family(0), FactKey(fact.team(), fact.sequence()), fact.SerializeAsString());
    batch.Put(rocks->family(1), IdempotencyKey(fact.team(), fact.idempotency_key()),
              absl::StrCat(common::BigEndian64(fact.sequence()), fact.content_sha256()));
    ASSERT_TRUE(rocks->db().Write(common::SyncedWrite(), &batch).ok());
  }
}

class StoreUpgradeTest : public ::testing::Test {
 protected:
  std::unique_ptr<FactStore> Open() {
    auto store = FactStore::Open(folder_.path());
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static void ExpectSound(FactStore& store) {
    EXPECT_THAT(CheckStore(store.rocks(), [](uint64_t) {})->differences, ::testing::IsEmpty());
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("store-upgrade");
};

TEST_F(StoreUpgradeTest, KeepsEveryFactOfFormat1AndGivesItAHead) {
  WriteFormat1(folder_.path());
  const auto store = Open();
  EXPECT_EQ(store->rocks().stored_format(), kFactFormat);
  ExpectSound(*store);
  int number = 0;
  const absl::Status status = store->Scan(0, [&](const Fact& fact) {
    Fact expected = OldFact(++number);
    expected.set_format(kFactFormat);
    *expected.mutable_notes() = NotesOf(expected);
    EXPECT_EQ(fact.DebugString(), expected.DebugString());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(number, kFacts1);
  EXPECT_EQ(Scanned(*store, /*heads=*/true).size(), static_cast<size_t>(kFacts1));
  EXPECT_TRUE(testing::Append(*store, AttemptFact("b", "3")).duplicate) << "repeats are known after the upgrade";
  EXPECT_EQ(testing::Append(*store, AttemptFact("b", "new")).sequence, kFacts1 + 1u);
}

// The upgrade writes batch by batch in key order and stamps at the end: whatever it had done when it was killed is a
// prefix of its work.
TEST_F(StoreUpgradeTest, GoesOnAfterItWasKilledAnywhere) {
  for (const int done : {0, 1, kFacts1 / 2, kFacts1}) {
    const common::TemporaryFolder folder = *common::TemporaryFolder::Make("store-upgrade");
    WriteFormat1(folder.path());
    {
      const auto rocks = *common::RocksStore::Open(folder.path(), {"facts", "idempotency", "heads"}, 1);
      for (int number = 1; number <= done; ++number) {
        const PreparedFact prepared = PrepareFact(OldFact(number));
        const std::string key = FactKey(TeamOf(number), static_cast<uint64_t>(number));
        rocksdb::WriteBatch batch;
        batch.Put(rocks->family(kFacts), key, FramePrefix(prepared.body, key) + prepared.body.bytes);
        batch.Put(rocks->family(kHeads), key, FramePrefix(prepared.head, key) + prepared.head.bytes);
        ASSERT_TRUE(rocks->db().Write({}, &batch).ok());
      }
    }
    auto store = FactStore::Open(folder.path());
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectSound(**store);
    EXPECT_EQ(Scanned(**store, /*heads=*/false).size(), static_cast<size_t>(kFacts1));
  }
}

TEST_F(StoreUpgradeTest, RefusesAStoreOfANewerFormatAndLeavesItAlone) {
  { ASSERT_TRUE(common::RocksStore::Open(folder_.path(), {"facts", "futures"}, kFactFormat + 1).ok()); }
  const auto store = FactStore::Open(folder_.path());
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()), ::testing::HasSubstr("format 3, this program knows up to 2"));
}

TEST_F(StoreUpgradeTest, RebuildsDamagedHeadsFromTheFacts) {
  const auto store = Open();
  for (int i = 0; i < 50; ++i) testing::Append(*store, AttemptFact(TeamOf(i), std::to_string(i)));
  const std::vector<std::string> heads = Scanned(*store, /*heads=*/true);
  ASSERT_TRUE(store->rocks().db().Put({}, store->rocks().family(kHeads), FactKey("a", 2), "damage").ok());
  const absl::Status damaged = store->ScanHeads(0, [](const Fact&) { return absl::OkStatus(); });
  EXPECT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(store->RebuildHeads().ok());
  EXPECT_EQ(Scanned(*store, /*heads=*/true), heads);
  ExpectSound(*store);
}

TEST_F(StoreUpgradeTest, FinishesARebuildOfTheHeadsThatWasKilled) {
  std::vector<std::string> heads;
  {
    const auto store = Open();
    for (int i = 0; i < 50; ++i) testing::Append(*store, AttemptFact(TeamOf(i), std::to_string(i)));
    heads = Scanned(*store, /*heads=*/true);
    ASSERT_TRUE(store->rocks().db().Put({}, "heads", "").ok());
    ASSERT_TRUE(store->rocks().RecreateFamily(kHeads).ok());
  }
  EXPECT_EQ(Scanned(*Open(), /*heads=*/true), heads);
}

}  // namespace
}  // namespace kernelsmith::memory
