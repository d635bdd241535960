#include "memory/graph/attempt_forest.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

namespace kernelsmith::memory {
namespace {

TEST(AttemptForest, HoldsTheWorkedExampleK1) {
  AttemptForest forest;
  const int r = forest.Add({"p", "R", AttemptForest::kNone, true, 1.0});
  const int a = forest.Add({"p", "A", r, true, 1.25});
  const int b = forest.Add({"p", "B", r, true, 0.75});
  const int c = forest.Add({"p", "C", a, true, 1.5});
  const int d = forest.Add({"p", "D", c, true, 1.25});
  const std::pair<int, double> downstream[] = {{d, .833333}, {c, .891667}, {a, .937083}, {b, .75}, {r, 1.090479}};
  for (const auto& [node, value] : downstream) EXPECT_NEAR(forest.node(node).d, value, 1e-6);
  EXPECT_EQ(forest.node(c).label, v1::EFFECTIVE);
  EXPECT_EQ(forest.node(d).label, v1::NEGATIVE);
}

TEST(AttemptForest, LabelsAChainOfFailuresK6) {
  AttemptForest forest;
  const int f0 = forest.Add({"p", "F0", AttemptForest::kNone, false, 0});
  const int f1 = forest.Add({"p", "F1", f0, false, 0});
  const int g = forest.Add({"p", "G", f1, true, 0.9});
  EXPECT_EQ(forest.node(f0).r, 0);
  EXPECT_EQ(forest.node(f1).r, 0);
  EXPECT_EQ(forest.node(g).r, 1);
  EXPECT_EQ(forest.node(f1).label, v1::NEGATIVE);
  EXPECT_EQ(forest.node(g).label, v1::PARTIAL);
}

TEST(AttemptForest, KeepsProducersApart) {
  AttemptForest forest;
  forest.Add({"p", "1", AttemptForest::kNone, true, 1});
  EXPECT_EQ(forest.Find("p", "1"), 0);
  EXPECT_EQ(forest.Find("q", "1"), AttemptForest::kNone);
}

TEST(AttemptForest, OrdersSuccessorsByAttemptId) {
  AttemptForest forest;
  const int root = forest.Add({"p", "root", AttemptForest::kNone, true, 1});
  const int c = forest.Add({"p", "c", root, true, 1});
  const int a = forest.Add({"p", "a", root, true, 1});
  const int b = forest.Add({"p", "b", root, true, 1});
  EXPECT_EQ(forest.node(root).successors, (std::vector<int>{a, b, c}));
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
      forest.Add({"p", std::to_string(random()), prev, correct, speedup});
      const std::vector<double> recomputed = forest.RecomputedDownstream();
      for (int node = 0; node < forest.size(); ++node) {
        ASSERT_EQ(std::bit_cast<uint64_t>(forest.node(node).d), std::bit_cast<uint64_t>(recomputed[node]));
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::memory
