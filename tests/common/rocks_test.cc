#include "common/rocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

TEST(RocksStore, KeepsWhatWasWrittenOverAReopen) {
  const TemporaryFolder folder = TestFolder();
  {
    auto store = RocksStore::Open(folder.path(), {"a", "b"}, 1).value();
    ASSERT_TRUE(store->db().Put(SyncedWrite(), store->family(1), "key", "value").ok());
  }
  auto store = RocksStore::Open(folder.path(), {"a", "b"}, 1).value();
  std::string value;
  ASSERT_TRUE(store->db().Get(rocksdb::ReadOptions(), store->family(1), "key", &value).ok());
  EXPECT_EQ(value, "value");
  EXPECT_EQ(store->stored_format(), 1u);
}

TEST(RocksStore, RefusesANewerFormatAndKeepsAnOlderOneForUpgrade) {
  const TemporaryFolder folder = TestFolder();
  { ASSERT_TRUE(RocksStore::Open(folder.path(), {}, 2).ok()); }
  const auto older_program = RocksStore::Open(folder.path(), {}, 1);
  EXPECT_EQ(older_program.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(older_program.status().message()), ::testing::HasSubstr("has format 2"));
  EXPECT_EQ(RocksStore::Open(folder.path(), {}, 3).value()->stored_format(), 2u);
}

TEST(RocksStore, ASecondOpenSaysThatTheStoreIsInUse) {
  const TemporaryFolder folder = TestFolder();
  const auto first = RocksStore::Open(folder.path(), {}, 1).value();
  const auto second = RocksStore::Open(folder.path(), {}, 1);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), ::testing::HasSubstr("open in another process"));
}

TEST(BigEndian64, SortsLikeTheNumberAndReadsBack) {
  EXPECT_LT(BigEndian64(255), BigEndian64(256));
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, ~uint64_t{0}}) {
    EXPECT_EQ(ReadBigEndian64(BigEndian64(value)), value);
  }
}

}  // namespace
}  // namespace kernelsmith::common
