// The short form of tests/bench/run memory_crash --events.
#include "tests/memory/faults/random_events.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/file_io.h"

namespace kernelsmith::memory::testing {
namespace {

TEST(RandomEvents, AFoldOfTheLogEqualsWhatIsServedAndTeamsStayApart) {
  const auto folder = common::TemporaryFolder::Make("memory-events");
  ASSERT_TRUE(folder.ok()) << folder.status();
  const absl::StatusOr<EventOutcome> outcome =
      RunRandomEvents({.program = absl::StrCat(KERNELSMITH_BIN_DIR, "/kernelsmith-memory"),
                       .data = absl::StrCat(folder->path(), "/data"),
                       .events = 3000});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_GT(outcome->accepted, 2000);
  EXPECT_TRUE(outcome->equal);
  EXPECT_TRUE(outcome->equal_after_kill);
  EXPECT_TRUE(outcome->damage.empty()) << absl::StrJoin(outcome->damage, "\n");
}

}  // namespace
}  // namespace kernelsmith::memory::testing
