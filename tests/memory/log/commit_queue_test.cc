#include "memory/log/commit_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"

namespace kernelsmith::memory {
namespace {

Fact MakeFact(const std::string& id) {
  Fact fact;
  fact.set_team("local");
  fact.set_idempotency_key(id);
  fact.set_content_sha256(id);
  return fact;
}

class CommitQueueTest : public ::testing::Test {
 protected:
  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("commit-queue");
  const std::unique_ptr<FactStore> store_ = *FactStore::Open(folder_.path());
};

TEST_F(CommitQueueTest, AppliesEachNewFactOnceBeforeItReturns) {
  std::vector<uint64_t> applied;
  CommitQueue queue(*store_, [&](const Fact& fact) { applied.push_back(fact.sequence()); });
  EXPECT_EQ(queue.Commit(MakeFact("a")).sequence, 1u);
  EXPECT_EQ(applied.size(), 1u);
  EXPECT_TRUE(queue.Commit(MakeFact("a")).duplicate);
  Fact conflict = MakeFact("a");
  conflict.set_content_sha256("other");
  EXPECT_EQ(queue.Commit(conflict).status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(applied.size(), 1u);
}

TEST_F(CommitQueueTest, KeepsSequenceOrderUnderManyWriters) {
  constexpr int kThreads = 8;
  constexpr int kFactsEach = 40;
  std::vector<uint64_t> applied;  // written by one leader at a time
  CommitQueue queue(*store_, [&](const Fact& fact) { applied.push_back(fact.sequence()); });
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < kFactsEach; ++i) {
        // Every fact is written by two threads, so each number is also asked for as a duplicate.
        const AppendResult result = queue.Commit(MakeFact(absl::StrCat(t / 2, "/", i)));
        EXPECT_TRUE(result.status.ok()) << result.status;
        EXPECT_GT(result.sequence, 0u);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  ASSERT_EQ(applied.size(), static_cast<size_t>(kThreads / 2 * kFactsEach));
  for (size_t i = 0; i < applied.size(); ++i) EXPECT_EQ(applied[i], i + 1);
}

}  // namespace
}  // namespace kernelsmith::memory
