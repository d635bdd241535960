// Near-duplicates that are recorded at the same moment: one of them is stored.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

constexpr int kWriters = 8;

// Texts of one round differ in case and punctuation alone; those of different rounds in their words.
v1::RecordItemRequest Insight(int round, int writer) {
  v1::RecordItemRequest request;
  request.set_producer(absl::StrCat("agent-", writer));
  request.set_item_key(absl::StrCat("round-", round));
  request.mutable_content()->set_kind(v1::INSIGHT);
  request.mutable_content()->set_title(absl::StrCat("Banks ", round));
  request.mutable_content()->set_text(absl::StrCat("Round", round, " pads rows", std::string(writer, '.'),
                                                   writer % 2 == 0 ? " by one block" : " BY ONE BLOCK"));
  return request;
}

class AdmissionRaceTest : public ::testing::Test {
 protected:
  // The answers to one round, all of whose writers begin at the same moment.
  std::vector<v1::RecordItemResponse> Race(int round, const std::function<std::string(int)>& team_of) {
    std::vector<v1::RecordItemResponse> answers(kWriters);
    std::latch start(kWriters);
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer] {
        start.arrive_and_wait();
        const auto answer = server_.experience().RecordItem(team_of(writer), Insight(round, writer));
        ASSERT_TRUE(answer.ok()) << answer.status();
        answers[writer] = *answer;
      });
    }
    for (std::thread& writer : writers) writer.join();
    return answers;
  }

  testing::MemoryServer server_;
};

TEST_F(AdmissionRaceTest, OfNearDuplicatesThatComeAtOnceOneIsStored) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    std::set<std::string> ids;
    int stored = 0;
    for (const v1::RecordItemResponse& answer : Race(round, [](int) { return std::string("local"); })) {
      ids.insert(answer.item_id());
      stored += answer.near_duplicate_of().empty() ? 1 : 0;
    }
    EXPECT_EQ(stored, 1);
    EXPECT_EQ(ids.size(), 1U) << "everybody hears of the same item";
  }
  const auto stats = server_.experience().Stats("local", {});
  EXPECT_EQ(stats->items(), kRounds);
  EXPECT_EQ(stats->near_duplicates(), kRounds * (kWriters - 1));
}

TEST_F(AdmissionRaceTest, EveryTeamHasItsOwn) {
  const auto team_of = [](int writer) { return writer % 2 == 0 ? std::string("red") : std::string("blue"); };
  for (int round = 0; round < 10; ++round) Race(round, team_of);
  EXPECT_EQ(server_.experience().Stats("red", {})->items(), 10);
  EXPECT_EQ(server_.experience().Stats("blue", {})->items(), 10);
}

TEST_F(AdmissionRaceTest, TheSameItemSentTwiceAtOnceIsARepeat) {
  for (int round = 0; round < 10; ++round) {
    std::vector<v1::RecordItemResponse> answers(2);
    std::latch start(2);
    std::vector<std::thread> writers;
    for (v1::RecordItemResponse& answer : answers) {
      writers.emplace_back([&] {
        start.arrive_and_wait();
        answer = server_.experience().RecordItem("local", Insight(round, 0)).value_or(v1::RecordItemResponse());
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(answers[0].item_id(), answers[1].item_id());
    EXPECT_NE(answers[0].duplicate(), answers[1].duplicate());
    EXPECT_EQ(answers[0].near_duplicate_of(), "");
  }
}

}  // namespace
}  // namespace kernelsmith::memory
