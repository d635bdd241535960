#include "memory/log/commit_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"

namespace kernelsmith::memory {
namespace {

Fact MakeFact(const std::string& id, const std::string& team = "local") {
  Fact fact;
  fact.set_team(team);
  fact.set_idempotency_key(id);
  fact.set_content_sha256(id);
  return fact;
}

class CommitQueueTest : public ::testing::Test {
 protected:
  // Calls `write(t)` from several threads at once.
  template <typename Write>
  static void FromThreads(int threads, const Write& write) {
    std::atomic<int> ready = 0;
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&, t] {
        ++ready;
        while (ready < threads) std::this_thread::yield();
        write(t);
      });
    }
    for (std::thread& writer : writers) writer.join();
  }

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

TEST_F(CommitQueueTest, AnswersSeveralFactsByTheirPlaces) {
  common::Mutex mutex;
  std::map<size_t, AppendResult> answers;
  {
    CommitQueue queue(*store_, [](const Fact&) {});
    queue.StartAll({}, [](size_t, AppendResult) { FAIL() << "there is no fact"; });
    queue.StartAll({MakeFact("a"), MakeFact("b"), MakeFact("a")}, [&](size_t place, AppendResult result) {
      const common::MutexLock lock(mutex);
      EXPECT_TRUE(answers.emplace(place, std::move(result)).second);
    });
  }
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].sequence, 1u);
  EXPECT_EQ(answers[1].sequence, 2u);
  EXPECT_EQ(answers[2].sequence, 1u);
  EXPECT_TRUE(answers[2].duplicate);
}

TEST_F(CommitQueueTest, KeepsSequenceOrderUnderManyWriters) {
  constexpr int kThreads = 8;
  constexpr int kFactsEach = 40;
  std::vector<uint64_t> applied;  // written by one leader at a time
  CommitQueue queue(*store_, [&](const Fact& fact) { applied.push_back(fact.sequence()); });
  FromThreads(kThreads, [&](int t) {
    for (int i = 0; i < kFactsEach; ++i) {
      // Every fact is written by two threads, so each number is also asked for as a duplicate.
      const AppendResult result = queue.Commit(MakeFact(absl::StrCat(t / 2, "/", i)));
      EXPECT_TRUE(result.status.ok()) << result.status;
      EXPECT_GT(result.sequence, 0u);
    }
  });
  ASSERT_EQ(applied.size(), static_cast<size_t>(kThreads / 2 * kFactsEach));
  for (size_t i = 0; i < applied.size(); ++i) EXPECT_EQ(applied[i], i + 1);
}

TEST_F(CommitQueueTest, ReturnsToNobodyBeforeTheFactIsAppliedNotEvenToARepeat) {
  constexpr int kCount = 200;
  std::array<std::atomic<bool>, kCount + 1> applied = {};
  CommitQueue queue(*store_, [&](const Fact& fact) { applied[fact.sequence()] = true; });
  FromThreads(4, [&](int) {
    for (int i = 0; i < kCount; ++i) {
      const AppendResult result = queue.Commit(MakeFact(absl::StrCat(i)));
      ASSERT_TRUE(result.status.ok()) << result.status;
      EXPECT_TRUE(applied[result.sequence]) << result.sequence;
    }
  });
}

TEST_F(CommitQueueTest, GivesARacedKeyToExactlyOneOfTwoClients) {
  constexpr int kKeys = 100;
  std::array<std::array<AppendResult, kKeys>, 2> results;
  CommitQueue queue(*store_, [](const Fact&) {});
  FromThreads(2, [&](int t) {
    for (int i = 0; i < kKeys; ++i) {
      Fact fact = MakeFact(absl::StrCat("key-", i));
      // Even keys carry the same content from both clients, odd ones do not.
      fact.set_content_sha256(i % 2 == 0 ? "same" : absl::StrCat("client-", t));
      results[static_cast<size_t>(t)][static_cast<size_t>(i)] = queue.Commit(std::move(fact));
    }
  });
  for (size_t i = 0; i < kKeys; ++i) {
    const AppendResult& a = results[0][i];
    const AppendResult& b = results[1][i];
    EXPECT_EQ(a.sequence, b.sequence) << "both see the stored one";
    EXPECT_NE(a.duplicate, b.duplicate);
    const AppendResult& loser = a.duplicate ? a : b;
    EXPECT_EQ(loser.status.code(), i % 2 == 0 ? absl::StatusCode::kOk : absl::StatusCode::kAlreadyExists);
    EXPECT_TRUE((a.duplicate ? b : a).status.ok());
  }
}

TEST_F(CommitQueueTest, NeverMixesTwoTeamsThatRace) {
  constexpr int kFactsEach = 100;
  const std::array<std::string, 2> teams = {"a", "ab"};
  std::array<std::set<std::string>, 2> applied;
  CommitQueue queue(*store_,
                    [&](const Fact& fact) { applied[fact.team() == teams[0] ? 0 : 1].insert(fact.idempotency_key()); });
  FromThreads(4, [&](int t) {
    for (int i = 0; i < kFactsEach; ++i) {
      // Both teams use the same keys, with other content.
      Fact fact = MakeFact(absl::StrCat(t / 2, "/", i), teams[static_cast<size_t>(t % 2)]);
      fact.set_content_sha256(fact.team());
      const AppendResult result = queue.Commit(std::move(fact));
      ASSERT_TRUE(result.status.ok()) << result.status;
      EXPECT_FALSE(result.duplicate);
    }
  });
  for (const auto& keys : applied) EXPECT_EQ(keys.size(), 2u * kFactsEach);
  std::map<std::string, int> stored;
  const absl::Status scanned = store_->Scan(0, [&](const Fact& fact) {
    EXPECT_EQ(fact.content_sha256(), fact.team());
    ++stored[fact.team()];
    return absl::OkStatus();
  });
  EXPECT_TRUE(scanned.ok()) << scanned;
  EXPECT_EQ(stored, (std::map<std::string, int>{{teams[0], 2 * kFactsEach}, {teams[1], 2 * kFactsEach}}));
}

}  // namespace
}  // namespace kernelsmith::memory
