#include "server/jobs/time_use.h"

#include <gtest/gtest.h>

#include "tests/server/jobs/job_events.h"

namespace kernelsmith::server {
namespace {

constexpr int64_t kSecond = 1'000'000;

Interval Seconds(int64_t begin, int64_t end) { return {begin * kSecond, end * kSecond}; }

TEST(TimeUseTest, AUnionCountsOverlapsOnce) {
  const struct {
    const char* name;
    std::vector<Interval> intervals;
    double seconds;
  } cases[] = {
      {"nothing", {}, 0},
      {"one", {Seconds(1, 4)}, 3},
      {"apart", {Seconds(0, 1), Seconds(5, 7)}, 3},
      {"touching", {Seconds(0, 1), Seconds(1, 2)}, 2},
      {"overlapping, out of order", {Seconds(2, 5), Seconds(0, 3)}, 5},
      {"nested", {Seconds(0, 10), Seconds(2, 3)}, 10},
      {"backwards is empty", {Seconds(5, 2), Seconds(0, 1)}, 1},
      {"the same twice", {Seconds(0, 2), Seconds(0, 2)}, 2},
  };
  for (const auto& c : cases) EXPECT_DOUBLE_EQ(UnionSeconds(c.intervals), c.seconds) << c.name;
}

TEST(TimeUseTest, WindowsClip) {
  EXPECT_DOUBLE_EQ(UnionSecondsWithin({Seconds(0, 10)}, {Seconds(2, 4), Seconds(6, 7)}), 3);
  EXPECT_DOUBLE_EQ(UnionSecondsWithin({Seconds(0, 10)}, {}), 0);
  EXPECT_DOUBLE_EQ(UnionSecondsWithin({Seconds(0, 1)}, {Seconds(5, 9)}), 0);
}

v1::JobEvent At(v1::JobEvent event, int64_t second) {
  event.set_at_unix_us(second * kSecond);
  return event;
}

void AddPhase(v1::JobEvent& event, const char* kind, int64_t begin, int64_t end) {
  auto* phase = event.mutable_evaluation_ended()->add_phases();
  phase->set_kind(kind);
  phase->set_begin_unix_us(begin * kSecond);
  phase->set_end_unix_us(end * kSecond);
}

TEST(TimeUseTest, AccountsForEveryKindAndTheRestIsOverhead) {
  v1::JobEvent proposed = Proposal(1);
  proposed.mutable_proposed()->set_begin_unix_us(10 * kSecond);
  proposed.mutable_proposed()->set_end_unix_us(20 * kSecond);
  v1::JobEvent call = CallEnded(1, 1, 1, 0);
  call.mutable_model_call_ended()->set_begin_unix_us(11 * kSecond);
  call.mutable_model_call_ended()->set_end_unix_us(19 * kSecond);
  v1::JobEvent evaluated = Evaluated(1, v1::PASSED);
  AddPhase(evaluated, "wait_card", 20, 22);
  AddPhase(evaluated, "screen", 22, 23);
  AddPhase(evaluated, "compile", 23, 30);
  AddPhase(evaluated, "reference", 25, 33);
  AddPhase(evaluated, "verify", 33, 36);
  AddPhase(evaluated, "wait_lock", 36, 37);
  AddPhase(evaluated, "time", 37, 45);
  AddPhase(evaluated, "census", 45, 46);
  const v1::TimeUse use = AccountTime({At(Started(1), 10), call, proposed, evaluated}, 50 * kSecond);
  EXPECT_DOUBLE_EQ(use.wall_s(), 40);
  EXPECT_DOUBLE_EQ(use.proposer_s(), 10);
  EXPECT_DOUBLE_EQ(use.compile_s(), 8);
  EXPECT_DOUBLE_EQ(use.reference_s(), 8);
  EXPECT_DOUBLE_EQ(use.verify_s(), 3);
  EXPECT_DOUBLE_EQ(use.timing_s(), 8);
  EXPECT_DOUBLE_EQ(use.lock_wait_s(), 3);
  EXPECT_DOUBLE_EQ(use.covered_s(), 36);
  EXPECT_DOUBLE_EQ(use.overhead_ratio(), 0.1);
}

TEST(TimeUseTest, TheTimeBetweenAnEndAndItsExtensionIsNotWall) {
  const v1::TimeUse use = AccountTime(
      {At(Started(1), 0), At(Ended(v1::EXHAUSTED), 10), At(Extended(1), 1000), At(Started(2), 1001)}, 1005 * kSecond);
  EXPECT_DOUBLE_EQ(use.wall_s(), 15);
}

TEST(TimeUseTest, AJobWithoutRoundsUsedNoTime) {
  const v1::TimeUse use = AccountTime({At(Submitted(), 0)}, 10 * kSecond);
  EXPECT_DOUBLE_EQ(use.wall_s(), 0);
  EXPECT_DOUBLE_EQ(use.overhead_ratio(), 0);
}

}  // namespace
}  // namespace kernelsmith::server
