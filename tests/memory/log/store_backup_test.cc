#include "memory/log/store_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "common/file_io.h"
#include "memory/log/store_check.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

namespace fs = std::filesystem;

class StoreBackupTest : public ::testing::Test {
 protected:
  std::string Target() const { return folder_.path() + "/backup"; }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("store-backup");
  const std::unique_ptr<FactStore> store_ = *FactStore::Open(folder_.path() + "/store");
};

TEST_F(StoreBackupTest, MakesAStoreOfItsOwn) {
  for (int i = 0; i < 20; ++i) testing::Append(*store_, testing::AttemptFact("a", std::to_string(i)));
  const absl::StatusOr<BackupSummary> made = BackUpStore(store_->rocks(), Target());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->last_sequence, 20u);
  EXPECT_GT(made->bytes, 0);
  testing::Append(*store_, testing::AttemptFact("a", "later"));

  const auto restored = *FactStore::Open(Target());
  EXPECT_EQ(testing::ScannedIds(*restored).size(), 20u);
  EXPECT_THAT(CheckStore(restored->rocks(), [](uint64_t) {})->differences, ::testing::IsEmpty());
  EXPECT_EQ(testing::Append(*restored, testing::AttemptFact("a", "other")).sequence, 21u);
  EXPECT_EQ(testing::ScannedIds(*store_).size(), 21u) << "the two stores have nothing in common any more";
}

TEST_F(StoreBackupTest, HoldsWhatWasAcknowledgedBeforeItWhileWritersGoOn) {
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> acknowledged = 0;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      acknowledged = testing::Append(*store_, testing::AttemptFact("a", std::to_string(i))).sequence;
    }
  });
  while (acknowledged < 50) std::this_thread::yield();
  const uint64_t before = acknowledged;
  const absl::StatusOr<BackupSummary> made = BackUpStore(store_->rocks(), Target());
  stop = true;
  writer.join();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_GE(made->last_sequence, before);
  const auto restored = *FactStore::Open(Target());
  EXPECT_EQ(testing::ScannedIds(*restored).size(), made->last_sequence);
  EXPECT_THAT(CheckStore(restored->rocks(), [](uint64_t) {})->differences, ::testing::IsEmpty());
}

TEST_F(StoreBackupTest, TakesAnEmptyFolderAndRefusesAnyOther) {
  fs::create_directory(Target());
  EXPECT_TRUE(BackUpStore(store_->rocks(), Target()).ok());
  EXPECT_EQ(BackUpStore(store_->rocks(), Target()).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(BackUpStore(store_->rocks(), "relative").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BackUpStore(store_->rocks(), "").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StoreBackupTest, LeavesNothingBehindWhenItFails) {
  ASSERT_TRUE(common::WriteFileAtomically(folder_.path() + "/file", "").ok());
  EXPECT_FALSE(BackUpStore(store_->rocks(), folder_.path() + "/file/backup").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace kernelsmith::memory
