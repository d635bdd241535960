// The short form of tests/bench/run memory_crash.
#include "absl/strings/str_join.h"
#include "common/file_io.h"
#include "gtest/gtest.h"
#include "tests/memory/faults/crash_scenario.h"

namespace kernelsmith::memory::testing {
namespace {

TEST(KillNine, LosesNothingAcknowledgedAndLeavesNothingHalfIndexed) {
  const auto folder = common::TemporaryFolder::Make("memory-kill");
  ASSERT_TRUE(folder.ok()) << folder.status();
  const absl::StatusOr<CrashOutcome> outcome =
      RunCrashScenario({.program = absl::StrCat(KERNELSMITH_BIN_DIR, "/kernelsmith-memory"),
                        .data = absl::StrCat(folder->path(), "/data"),
                        .attempts = 500,
                        .kills = 6});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->kills, 6);
  EXPECT_GT(outcome->acknowledged, 6);
  EXPECT_TRUE(outcome->equal);
  EXPECT_TRUE(outcome->damage.empty()) << absl::StrJoin(outcome->damage, "\n");
}

}  // namespace
}  // namespace kernelsmith::memory::testing
