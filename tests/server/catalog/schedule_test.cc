#include "server/proposers/catalog/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/proposers/catalog/cpu/render.h"
#include "server/proposers/catalog/moves.h"
#include "tests/server/catalog/candidate_check.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

Problem ProblemOf(const std::string& name) { return *Understand(FindOperator(name).task(5, 40)); }

TEST(Schedule, AnyMapIsASchedule) {
  const Problem softmax = ProblemOf("softmax");
  const Parameters schedule =
      Normalise(softmax, {{"loops", "fused"}, {"lanes", "17"}, {"tile_m", "8"}, {"colour", "red"}});
  EXPECT_EQ(schedule.at("loops"), "fused");
  EXPECT_EQ(schedule.at("lanes"), "1");
  EXPECT_FALSE(schedule.contains("tile_m"));
  EXPECT_FALSE(schedule.contains("colour"));
}

TEST(Schedule, ValuesWithoutEffectBecomeTheirDefault) {
  const Problem softmax = ProblemOf("softmax");
  EXPECT_EQ(Normalise(softmax, {{"loops", "per-op"}, {"lanes", "16"}, {"threads", "all"}}), Normalise(softmax, {}));
  EXPECT_EQ(Normalise(softmax, {{"loops", "fused"}, {"split", "dynamic"}}).at("split"), "static");
  const Problem matmul = ProblemOf("matmul");
  EXPECT_EQ(Normalise(matmul, {{"loops", "naive"}, {"tile_m", "8"}}), Normalise(matmul, {}));
}

TEST(Schedule, NormalisingTwiceChangesNothing) {
  for (const Operator& op : CpuOperators()) {
    const Problem problem = *Understand(op.task(5, 40));
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Parameters once = RandomSchedule(problem, seed);
      EXPECT_EQ(Normalise(problem, once), once) << op.name;
    }
  }
}

TEST(Schedule, EqualArgumentsGiveEqualSource) {
  for (const Operator& op : CpuOperators()) {
    const Problem problem = *Understand(op.task(5, 40));
    const Parameters schedule = RandomSchedule(problem, 7);
    EXPECT_EQ(Render(problem, schedule), Render(problem, schedule)) << op.name;
  }
}

TEST(Schedule, TheSourceDoesNotDependOnSizes) {
  for (const Operator& op : CpuOperators()) {
    const Parameters schedule = {{"loops", "fused"}, {"lanes", "16"}};
    EXPECT_EQ(Render(*Understand(op.task(5, 40)), schedule), Render(*Understand(op.task(6, 50)), schedule)) << op.name;
  }
}

TEST(Moves, EveryValueOfAMoveBelongsToItsKey) {
  for (const char* name : {"unary", "softmax", "matmul"}) {
    const Problem problem = ProblemOf(name);
    std::map<std::string, std::vector<std::string>> space;
    for (const ParameterSpace& p : SpaceOf(problem)) space[p.key] = p.values;
    for (const Move& move : MovesOf(problem)) {
      ASSERT_TRUE(space.contains(move.key)) << move.id;
      for (const std::string& value : move.values) EXPECT_THAT(space[move.key], ::testing::Contains(value)) << move.id;
      for (const auto& [key, value] : move.implies) EXPECT_THAT(space[key], ::testing::Contains(value)) << move.id;
      EXPECT_FALSE(move.title.empty() || move.reason.empty() || move.applies_when.empty() || move.bottleneck.empty());
    }
  }
}

TEST(Moves, AMoveOnTheNaiveScheduleBringsWhatItNeeds) {
  const Problem softmax = ProblemOf("softmax");
  const Parameters next = Apply(softmax, {}, *FindMove("vectorise"), "16");
  EXPECT_EQ(next.at("loops"), "fused");
  EXPECT_EQ(next.at("lanes"), "16");
}

TEST(Moves, AMoveWithoutEffectGivesTheSameSchedule) {
  const Problem sum = ProblemOf("sum_middle");
  EXPECT_EQ(Apply(sum, {}, *FindMove("polynomial-math"), "polynomial").contains("math"), false);
}

}  // namespace
}  // namespace kernelsmith::server::testing
