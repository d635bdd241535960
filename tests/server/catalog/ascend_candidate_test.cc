// Candidates of the ascend target on the emulated card: every operator under the naive, the strong and varied
// schedules, with and without the compiler's own synchronisation, has the right numbers and no finding.
#include <gtest/gtest.h>

#include "tests/server/catalog/ascend_run.h"
#include "tests/server/catalog/ascend_schedules.h"
#include "tests/server/catalog/candidate_check.h"

namespace kernelsmith::server::testing {
namespace {

// One row, one column, tails of every kind, several tiles, and a row beyond UB.
const std::vector<std::pair<int64_t, int64_t>> kShapes = {{1, 1}, {3, 16}, {33, 129}, {45, 7}, {5, 5001}};
const std::vector<std::pair<int64_t, int64_t>> kLongRow = {{2, 50011}};
constexpr size_t kTurns = 9;

class AscendCandidates : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(AscendCandidate::Available()) << "the emulated CANN is not built; build the target emulated_cann";
  }
};

TEST_P(AscendCandidates, EveryScheduleIsCorrectAndClean) {
  const Operator& op = FindOperator(GetParam());
  const absl::StatusOr<Problem> problem = AscendProblem(op);
  ASSERT_TRUE(problem.ok()) << problem.status();
  // The naive and the strong schedule of every operator; of the others each operator has its turn.
  const std::vector<Parameters> schedules = AscendSchedules(*problem, 2);
  const size_t turn = std::hash<std::string>()(op.name) % kTurns;
  bool auto_sync = false;
  for (size_t i = 0; i < schedules.size(); ++i) {
    if (i > 1 && i % kTurns != turn) continue;
    ExpectCorrectOnAscend(op, schedules[i], auto_sync, kShapes);
    auto_sync = !auto_sync;
  }
}

TEST_P(AscendCandidates, ARowBeyondUbIsCorrect) {
  const Operator& op = FindOperator(GetParam());
  const Parameters strong = AscendSchedules(*AscendProblem(op), 0)[1];
  ExpectCorrectOnAscend(op, strong, false, kLongRow);
}

INSTANTIATE_TEST_SUITE_P(Catalog, AscendCandidates,
                         ::testing::Values("unary", "positive_unary", "broadcast", "broadcast_fp16", "broadcast_bf16",
                                           "channel_bias", "integer", "softmax", "softmax_bf16", "softmax_middle",
                                           "log_softmax", "sum_middle", "max", "layer_norm", "layer_norm_fp16",
                                           "rms_norm", "gelu_fp32", "relu_fp16", "transpose", "transpose_bf16"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace kernelsmith::server::testing
