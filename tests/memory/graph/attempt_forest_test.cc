#include "memory/graph/attempt_forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelsmith::memory {
namespace {

int Add(AttemptForest& forest, const std::string& id, int prev, double speedup, bool correct = true) {
  return forest.Add({.producer = "p", .attempt_id = id, .prev = prev, .correct = correct, .speedup = speedup});
}

void ExpectAsRecomputed(const AttemptForest& forest) {
  const std::vector<double> recomputed = forest.RecomputedDownstream();
  for (int node = 0; node < forest.size(); ++node) {
    ASSERT_EQ(std::bit_cast<uint64_t>(forest.d(node)), std::bit_cast<uint64_t>(recomputed[node])) << node;
  }
}

TEST(AttemptForest, HoldsTheWorkedExampleK1) {
  AttemptForest forest;
  const int r = Add(forest, "R", AttemptForest::kNone, 1.0);
  const int a = Add(forest, "A", r, 1.25);
  const int b = Add(forest, "B", r, 0.75);
  const int c = Add(forest, "C", a, 1.5);
  const int d = Add(forest, "D", c, 1.25);
  const std::pair<int, double> downstream[] = {{d, .833333}, {c, .891667}, {a, .937083}, {b, .75}, {r, 1.090479}};
  for (const auto& [node, value] : downstream) EXPECT_NEAR(forest.d(node), value, 1e-6);
  const std::pair<int, double> literal[] = {{d, .416667}, {c, .745833}, {a, .886042}, {b, .375}, {r, .941365}};
  for (const auto& [node, value] : literal) {
    EXPECT_NEAR(forest.DownstreamUnder(node, {.halve_leaves = true}), value, 1e-6);
  }
  EXPECT_EQ(forest.DownstreamUnder(r, {}), forest.d(r));
  EXPECT_NEAR(forest.DownstreamUnder(r, {.mean = true}), 0.5 + 0.35 * (0.9370833 + 0.75) / 2, 1e-6);
  EXPECT_EQ(forest.node(c).label, v1::EFFECTIVE);
  EXPECT_EQ(forest.node(d).label, v1::NEGATIVE);
}

TEST(AttemptForest, LabelsAChainOfFailuresK6) {
  AttemptForest forest;
  const int f0 = Add(forest, "F0", AttemptForest::kNone, 0, false);
  const int f1 = Add(forest, "F1", f0, 0, false);
  const int g = Add(forest, "G", f1, 0.9);
  EXPECT_EQ(forest.node(f0).r, 0);
  EXPECT_EQ(forest.node(f1).r, 0);
  EXPECT_EQ(forest.node(g).r, 1);
  EXPECT_EQ(forest.node(f1).label, v1::NEGATIVE);
  EXPECT_EQ(forest.node(g).label, v1::PARTIAL);
}

TEST(AttemptForest, KeepsProducersApart) {
  AttemptForest forest;
  const int first = Add(forest, "1", AttemptForest::kNone, 1);
  EXPECT_EQ(forest.Find("p", "1"), first);
  EXPECT_EQ(forest.Find("q", "1"), AttemptForest::kNone);
  EXPECT_EQ(forest.attempt_id(first), "1");
  EXPECT_EQ(forest.producer(first), "p");
}

TEST(AttemptForest, OrdersSuccessorsByAttemptId) {
  AttemptForest forest;
  const int root = Add(forest, "root", AttemptForest::kNone, 1);
  const int c = Add(forest, "c", root, 1);
  const int a = Add(forest, "a", root, 1);
  EXPECT_EQ(forest.successors(root), (std::vector<int>{a, c}));
  const int b = Add(forest, "b", root, 1);
  EXPECT_EQ(forest.successors(root), (std::vector<int>{a, b, c}));
  const int other = forest.Add({.producer = "q", .attempt_id = "b", .prev = root, .correct = true});
  EXPECT_EQ(forest.successors(root), (std::vector<int>{a, b, other, c})) << "of equal ids the earlier first";
}

TEST(AttemptForest, TakesAnIncomparablePredecessorForLineageOnly) {
  AttemptForest forest;
  const int root = Add(forest, "root", AttemptForest::kNone, 4.0);
  const int other = forest.Add({.producer = "p",
                                .attempt_id = "x",
                                .prev = root,
                                .correct = true,
                                .speedup = 2.0,
                                .cross_job = true,
                                .comparable = false});
  EXPECT_EQ(forest.node(other).r, 1) << "as a root";
  EXPECT_TRUE(forest.node(other).cross_job);
  EXPECT_NEAR(forest.d(root), 0.5 + 0.35, 1e-12) << "but it came of the root's code";
}

// Property: whatever the forest and the order in which it grew, the incremental d is the recomputed d, bit for bit.
TEST(AttemptForest, UpdatesDownstreamScoresBitForBitAsRecomputed) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 60; ++round) {
    AttemptForest forest;
    const int size = 1 + static_cast<int>(random() % 120);
    const int bushiness = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < size; ++i) {
      int prev = AttemptForest::kNone;
      if (i > 0 && random() % 10 != 0) prev = std::max(0, i - 1 - static_cast<int>(random() % bushiness));
      const bool correct = random() % 4 != 0;
      const double speedup = random() % 9 == 0 ? 0 : 0.3 + static_cast<double>(random() % 10'000) / 1000;
      Add(forest, std::to_string(random()), prev, speedup, correct);
      if (random() % 3 == 0) ExpectAsRecomputed(forest);
    }
    ExpectAsRecomputed(forest);
  }
}

TEST(AttemptForest, FoldsAChainOfAHundredThousand) {
  AttemptForest forest;
  int prev = AttemptForest::kNone;
  for (int i = 0; i < 100'000; ++i) {
    prev = Add(forest, absl::StrCat("n", i), prev, 1 + (i % 7) * 0.1, i % 5 != 0);
    if (i % 10 == 0) forest.d(0);
  }
  ExpectAsRecomputed(forest);
}

TEST(AttemptForest, FoldsStarsOfAHundredThousandInEveryOrder) {
  const auto rising = [](int i) { return absl::StrFormat("n%06d", i); };
  const auto falling = [](int i) { return absl::StrFormat("n%06d", 999'999 - i); };
  const auto plain = [](int i) { return absl::StrCat("n", i); };  // n10 stands before n2
  const std::function<std::string(int)> orders[] = {rising, falling, plain};
  for (const auto& id : orders) {
    AttemptForest forest;
    const int root = Add(forest, "root", AttemptForest::kNone, 1);
    for (int i = 0; i < 100'000; ++i) {
      Add(forest, id(i), root, 1 + (i % 9) * 0.25);
      if (i % 1000 == 0) forest.d(root);
    }
    ExpectAsRecomputed(forest);
  }
}

TEST(AttemptForest, FoldsSuccessorsOfTheBranchesOfAWideStar) {
  AttemptForest forest;
  const int root = Add(forest, "root", AttemptForest::kNone, 1);
  constexpr int kWidth = 30'000;
  for (int i = 0; i < kWidth; ++i) Add(forest, absl::StrFormat("n%06d", i), root, 1.5);
  for (int i = 0; i < kWidth; ++i) Add(forest, absl::StrFormat("m%06d", i), 1 + i, 2.5);
  ExpectAsRecomputed(forest);
}

TEST(AttemptForest, AnswersManyReadersAtOnceAfterAWrite) {
  AttemptForest forest;
  const int root = Add(forest, "root", AttemptForest::kNone, 1);
  for (int i = 0; i < 2000; ++i) Add(forest, absl::StrCat("n", i), i % 3 == 0 ? root : i, 1.1);
  std::vector<double> seen(4);
  std::vector<std::thread> readers;
  for (double& d : seen) readers.emplace_back([&forest, &d] { d = forest.d(0) + forest.successors(0).size(); });
  for (std::thread& reader : readers) reader.join();
  for (const double d : seen) EXPECT_EQ(d, seen[0]);
  ExpectAsRecomputed(forest);
}

}  // namespace
}  // namespace kernelsmith::memory
