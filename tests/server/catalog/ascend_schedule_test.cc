// Properties of Ascend schedules that need no compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/proposers/catalog/moves.h"
#include "server/proposers/catalog/target.h"
#include "tests/server/catalog/ascend_schedules.h"
#include "tests/server/catalog/candidate_check.h"

namespace kernelsmith::server::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Problem ProblemOf(const std::string& name) { return *AscendProblem(FindOperator(name)); }

constexpr const char* kOperators[] = {"broadcast",  "broadcast_fp16", "channel_bias", "integer",
                                      "softmax",    "softmax_middle", "sum_middle",   "max",
                                      "layer_norm", "rms_norm",       "gelu_fp32",    "transpose"};

TEST(AscendSchedule, NormalisingTwiceChangesNothing) {
  for (const char* name : kOperators) {
    const Problem problem = ProblemOf(name);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Parameters once = Normalise(problem, RandomSchedule(problem, seed));
      EXPECT_EQ(Normalise(problem, once), once) << name;
    }
  }
}

TEST(AscendSchedule, EqualArgumentsGiveEqualSource) {
  for (const char* name : kOperators) {
    const Problem problem = ProblemOf(name);
    for (const Parameters& schedule : AscendSchedules(problem, 4)) {
      const AscendSource once = RenderAscend(problem, schedule);
      const AscendSource again = RenderAscend(problem, schedule);
      EXPECT_EQ(once.kernel, again.kernel) << name;
      EXPECT_EQ(once.plan, again.plan) << name;
    }
  }
}

TEST(AscendSchedule, DifferentSchedulesGiveDifferentSource) {
  for (const char* name : kOperators) {
    const Problem problem = ProblemOf(name);
    std::set<std::string> sources;
    const std::vector<Parameters> schedules = AscendSchedules(problem, 4);
    for (const Parameters& schedule : schedules) {
      const AscendSource source = RenderAscend(problem, schedule);
      // Without the head comments, which name the schedule.
      sources.insert(source.kernel.substr(source.kernel.find("#include")) +
                     source.plan.substr(source.plan.find("#include")));
    }
    EXPECT_EQ(sources.size(), schedules.size()) << name;
  }
}

TEST(AscendSchedule, TheSourceDoesNotDependOnSizes) {
  for (const char* name : kOperators) {
    const Operator& op = FindOperator(name);
    const Parameters schedule = {{"engine", "vector"}, {"cores", "all"}};
    EXPECT_EQ(RenderAscend(*Understand(op.task(5, 40), "ascend"), schedule).kernel,
              RenderAscend(*Understand(op.task(6, 50), "ascend"), schedule).kernel)
        << name;
  }
}

TEST(AscendSchedule, ACpuScheduleIsTheNaiveOne) {
  const Problem softmax = ProblemOf("softmax");
  EXPECT_EQ(Normalise(softmax, {{"loops", "fused"}, {"threads", "all"}}), Normalise(softmax, {}));
}

TEST(AscendSchedule, PerOperationGoesThroughTheWorkspace) {
  const Problem softmax = ProblemOf("softmax");
  const AscendSource apart = RenderAscend(softmax, {{"engine", "vector"}});
  EXPECT_THAT(apart.kernel, HasSubstr("stage3_"));
  EXPECT_THAT(apart.plan, HasSubstr("ks_add_workspace"));
  const AscendSource fused = RenderAscend(softmax, {{"engine", "vector"}, {"passes", "fused"}});
  EXPECT_THAT(fused.kernel, Not(HasSubstr("stage1_")));
  EXPECT_THAT(fused.plan, Not(HasSubstr("ks_add_workspace")));
}

TEST(AscendSchedule, AMatrixProductIsRefused) {
  const absl::Status status = AscendProblem(FindOperator("matmul")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cube"));
}

TEST(AscendSchedule, ATranspositionIsRefusedOnTheCpu) {
  const absl::Status status = Understand(FindOperator("transpose").task(5, 40)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST(AscendMoves, EveryValueOfAMoveBelongsToItsKey) {
  for (const char* name : {"broadcast", "softmax", "transpose"}) {
    const Problem problem = ProblemOf(name);
    std::map<std::string, std::vector<std::string>> space;
    for (const ParameterSpace& p : SpaceOf(problem)) space[p.key] = p.values;
    for (const Move& move : MovesOf(problem)) {
      if (!space.contains(move.key)) continue;
      for (const std::string& value : move.values) EXPECT_THAT(space[move.key], Contains(value)) << move.id;
      for (const auto& [key, value] : move.implies) {
        if (space.contains(key)) {
          EXPECT_THAT(space[key], Contains(value)) << move.id;
        }
      }
      EXPECT_FALSE(move.title.empty() || move.reason.empty() || move.applies_when.empty() || move.bottleneck.empty());
    }
  }
}

TEST(AscendMoves, IdsAreUniqueAmongTargets) {
  std::map<std::string, std::string> key_of;
  for (const CatalogTarget* target : AllTargets()) {
    for (const Family family : {Family::kElementwise, Family::kRowReduction, Family::kMatmul, Family::kTransposition}) {
      for (const Move& move : target->Moves(family)) {
        const std::string key = target->CardKind() + " " + move.key;
        EXPECT_EQ(key_of.emplace(move.id, key).first->second, key) << move.id;
      }
    }
  }
}

TEST(AscendMoves, AMoveChangesTheNaiveScheduleOrSaysWhyNot) {
  const Problem softmax = ProblemOf("softmax");
  const Parameters naive = Normalise(softmax, {});
  for (const char* id : {"ascend-vectorise", "ascend-all-cores", "ascend-double-buffer", "ascend-fuse",
                         "ascend-keep-row", "ascend-rows-per-tile", "ascend-flags", "ascend-tile-length"}) {
    const Move* move = FindMove(id);
    ASSERT_NE(move, nullptr) << id;
    EXPECT_NE(Apply(softmax, naive, *move, move->values.front()), naive) << id;
  }
}

}  // namespace
}  // namespace kernelsmith::server::testing
