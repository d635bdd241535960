#include "server/scheduling/lease_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"

namespace kernelsmith::server {
namespace {

class LeaseStoreTest : public ::testing::Test {
 protected:
  LeaseStoreTest() : folder_(*common::TemporaryFolder::Make("leases")) { Reopen(); }
  void Reopen() {
    store_.reset();
    auto opened = LeaseStore::Open(folder_.path());
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  static storage::v1::LeaseRecord Record(const std::string& id, const std::string& job, int64_t queued_s) {
    storage::v1::LeaseRecord record;
    record.set_assignment_id(id);
    record.set_job_id(job);
    record.set_team("a");
    record.set_queued_unix_us(queued_s * 1'000'000);
    return record;
  }

  common::TemporaryFolder folder_;
  std::unique_ptr<LeaseStore> store_;
};

TEST_F(LeaseStoreTest, RecordsSurviveAReopenAndRemovalsToo) {
  ASSERT_TRUE(store_->Write({{"x", Record("x", "j", 100)}, {"y", Record("y", "j", 100)}}).ok());
  ASSERT_TRUE(store_->Write({{"y", std::nullopt}}).ok());
  Reopen();
  const auto content = store_->Load(absl::UnixEpoch());
  ASSERT_TRUE(content.ok());
  ASSERT_EQ(content->records.size(), 1u);
  EXPECT_EQ(content->records[0].assignment_id(), "x");
}

TEST_F(LeaseStoreTest, WorkWithoutAJobAndOldWorkAreDroppedAtAStart) {
  ASSERT_TRUE(
      store_->Write({{"call", Record("call", "", 100)}, {"old", Record("old", "j", 1)}, {"x", Record("x", "j", 100)}})
          .ok());
  EXPECT_EQ(store_->Load(absl::FromUnixSeconds(50))->records.size(), 1u);
  EXPECT_EQ(store_->Load(absl::UnixEpoch())->records.size(), 1u);
}

TEST_F(LeaseStoreTest, DeadLettersStayWhenTheWorkIsForgotten) {
  auto record = Record("x", "j", 100);
  record.set_dead_letter(true);
  record.set_failures(5);
  record.set_failure("disk full");
  ASSERT_TRUE(store_->Write({{"x", record}}).ok());
  ASSERT_TRUE(store_->Write({{"x", std::nullopt}}).ok());
  Reopen();
  const auto letters = store_->DeadLetters();
  ASSERT_TRUE(letters.ok());
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ((*letters)[0].reason(), "disk full");
  EXPECT_EQ((*letters)[0].failures(), 5);
}

TEST_F(LeaseStoreTest, AStartKeepsTheNewestThousandDeadLetters) {
  WorkBoard::DirtyRecords records;
  for (int i = 0; i < 1003; ++i) {
    auto record = Record(absl::StrCat("x", i), "j", i);
    record.set_dead_letter(true);
    records.emplace_back(record.assignment_id(), record);
  }
  ASSERT_TRUE(store_->Write(records).ok());
  Reopen();
  const auto letters = store_->DeadLetters();
  ASSERT_EQ(letters->size(), 1000u);
  for (const auto& letter : *letters) EXPECT_NE(letter.id(), "x2");
}

TEST_F(LeaseStoreTest, DeadLettersAreCountedListedNewestFirstAndRemoved) {
  WorkBoard::DirtyRecords records;
  for (const int i : {1, 3, 2}) {
    auto record = Record(absl::StrCat("x", i), "j", 100);
    record.set_dead_letter(true);
    record.set_dead_unix_us(i);
    record.set_round(i);
    records.emplace_back(record.assignment_id(), record);
  }
  ASSERT_TRUE(store_->Write(records).ok());
  ASSERT_TRUE(store_->Write(records).ok());  // the same ones again
  EXPECT_EQ(store_->dead_letter_count(), 3);
  Reopen();
  EXPECT_EQ(store_->dead_letter_count(), 3);
  ASSERT_TRUE(store_->RemoveDeadLetter("x2").ok());
  ASSERT_TRUE(store_->RemoveDeadLetter("x2").ok());
  EXPECT_EQ(store_->dead_letter_count(), 2);
  const auto letters = store_->DeadLetters();
  ASSERT_EQ(letters->size(), 2u);
  EXPECT_EQ((*letters)[0].id(), "x3");
  EXPECT_EQ((*letters)[0].round(), 3);
  EXPECT_EQ((*letters)[0].job_id(), "j");
  EXPECT_EQ((*letters)[0].at_unix_us(), 3);
  EXPECT_EQ((*letters)[1].id(), "x1");
}

TEST_F(LeaseStoreTest, DrainsAreRemembered) {
  ASSERT_TRUE(store_->WriteDrain("w1", true).ok());
  ASSERT_TRUE(store_->WriteDrain("w2", true).ok());
  ASSERT_TRUE(store_->WriteDrain("w2", false).ok());
  Reopen();
  EXPECT_THAT(store_->Load(absl::UnixEpoch())->drained_workers, ::testing::ElementsAre("w1"));
}

TEST_F(LeaseStoreTest, ADamagedRecordIsDataLoss) {
  store_.reset();
  {
    auto raw = common::RocksStore::Open(folder_.path(), {"leases", "dead_letters", "drains"}, 1);
    ASSERT_TRUE(raw.ok());
    (*raw)->db().Put(common::SyncedWrite(), (*raw)->family(0), "bad", "\xff\xff");
  }
  Reopen();
  EXPECT_EQ(store_->Load(absl::UnixEpoch()).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace kernelsmith::server
