// Limits of programs on a busy machine. The rule with tables; then real programs beside real load.
#include "worker/jail/time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "tests/worker/support/busy_host.h"
#include "worker/jail/jail.h"
#include "worker/jail/process_tree.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

constexpr ProcessorUse kIdle = {};

// Waits for a program in half seconds until the rule ends it; returns how long that took.
absl::Duration WaitedFor(TimeLimit& limit, double used_a_second, bool ready, bool crowded) {
  absl::Time now = absl::UnixEpoch();
  ProcessorUse use{.ready = ready, .crowded = crowded};
  limit.Enter(now, use.used);
  do {
    now += absl::Milliseconds(500);
    use.used += absl::Milliseconds(500) * used_a_second;
  } while (limit.Look(now, use));
  return now - absl::UnixEpoch();
}

TEST(TimeLimitTest, OnlyAProgramThatIsReadyOnACrowdedMachineGetsMoreThanItsLimit) {
  struct Case {
    const char* name;
    double used_a_second;
    bool ready;
    bool crowded;
    double ends_s;
    bool starved;
  };
  for (const Case& c :
       {Case{"sleeps", 0, false, false, 4, false}, Case{"sleeps on a crowded machine", 0, false, true, 4, false},
        Case{"runs alone", 1, true, false, 4, false}, Case{"runs with many threads", 8, true, true, 4, false},
        Case{"got a quarter", 0.25, true, true, 16, false}, Case{"got nothing", 0, true, true, 80, true},
        Case{"got a fiftieth", 0.02, true, true, 80, true}}) {
    TimeLimit limit(absl::Seconds(4));
    EXPECT_EQ(WaitedFor(limit, c.used_a_second, c.ready, c.crowded), absl::Seconds(c.ends_s)) << c.name;
    EXPECT_EQ(limit.starved(), c.starved) << c.name;
  }
}

TEST(TimeLimitTest, WhatOneWaitLeavesIsForTheNext) {
  TimeLimit limit(absl::Seconds(10));
  absl::Time now = absl::UnixEpoch();
  limit.Enter(now, absl::Seconds(5));
  limit.Leave(now + absl::Seconds(2));
  EXPECT_EQ(limit.left(), absl::Seconds(8));
  now += absl::Hours(1);  // between two waits the program does nothing
  limit.Enter(now, absl::ZeroDuration());
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(limit.Look(now += absl::Seconds(1), kIdle));
  EXPECT_EQ(limit.used(), absl::ZeroDuration()) << "what it used before its first wait does not count";
  EXPECT_FALSE(limit.Look(now + absl::Seconds(1), kIdle));
}

TEST(TimeLimitTest, TimeInWhichTheWorkerStoodStillDoesNotCount) {
  TimeLimit limit(absl::Seconds(10));
  absl::Time now = absl::UnixEpoch();
  limit.Enter(now, absl::ZeroDuration());
  EXPECT_TRUE(limit.Look(now += absl::Minutes(15), kIdle));
  EXPECT_GE(limit.left(), absl::Seconds(8));
  EXPECT_TRUE(limit.Look(now -= absl::Minutes(20), kIdle)) << "a clock that was set back";
  EXPECT_GE(limit.left(), absl::Seconds(8));
}

TEST(TimeLimitTest, SlicesEndWithTheLimitAndNoTimeMeansNoWait) {
  TimeLimit limit(absl::Seconds(1));
  EXPECT_EQ(limit.Slice(), absl::Milliseconds(500));
  limit.Enter(absl::UnixEpoch(), absl::ZeroDuration());
  limit.Leave(absl::UnixEpoch() + absl::Milliseconds(900));
  EXPECT_EQ(limit.Slice(), absl::Milliseconds(100));
  TimeLimit none(-absl::Seconds(1));
  EXPECT_EQ(none.Slice(), absl::ZeroDuration());
  none.Enter(absl::UnixEpoch(), absl::ZeroDuration());
  EXPECT_FALSE(none.Look(absl::UnixEpoch(), {.ready = true, .crowded = true}));
  EXPECT_FALSE(none.starved());
}

TEST(TimeLimitTest, ReadsHowManyTasksAreRunnable) {
  EXPECT_EQ(RunnableOf("cpu 1 2\nprocesses 9\nprocs_running 7\nprocs_blocked 0\n"), 7);
  for (const char* text : {"", "procs_running x\n", "other_procs_running 7\n"}) EXPECT_EQ(RunnableOf(text), 0) << text;
}

std::unique_ptr<JailedProcess> Start(std::vector<std::string> argv) {
  JailSpec spec;
  spec.argv = std::move(argv);
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  return *JailedProcess::Start(spec);
}

TEST(BusyMachineTest, AProgramThatIsHeldUpStillFinishes) {
  const testing_support::BusyHost busy;
  TimeLimit limit(absl::Seconds(1));
  const auto jail = Start({"/usr/bin/python3", "-S", "-c", "import time\nwhile time.process_time() < 0.5: pass"});
  EXPECT_EQ(jail->Wait(limit).kind, ExitKind::kExited);
}

TEST(BusyMachineTest, ASleeperIsStillEnded) {
  const testing_support::BusyHost busy;
  TimeLimit limit(absl::Seconds(1));
  EXPECT_EQ(Start({"/usr/bin/sleep", "1000"})->Wait(limit).kind, ExitKind::kDeadline);
  EXPECT_FALSE(limit.starved());
}

TEST(BusyMachineTest, AnEndlessLoopIsEndedOnceItUsedItsLimit) {
  const testing_support::BusyHost busy(1);
  TimeLimit limit(absl::Milliseconds(500));
  EXPECT_EQ(Start({"/bin/sh", "-c", "while :; do :; done"})->Wait(limit).kind, ExitKind::kDeadline);
  EXPECT_FALSE(limit.starved());
}

TEST(BusyMachineTest, AProgramThatGetsNothingIsStarvedNotLate) {
  const testing_support::BusyHost busy;
  TimeLimit limit(absl::Seconds(1));  // it sleeps while the jail is made, which counts
  // It only runs when nothing else wants to, in a session that is worth as little.
  const auto jail =
      Start({"/bin/sh", "-c", "echo 19 > /proc/self/autogroup; exec chrt -i 0 sh -c 'while :; do :; done'"});
  EXPECT_EQ(jail->Wait(limit).kind, ExitKind::kStarved);
  EXPECT_TRUE(limit.starved());
  EXPECT_THAT(StarvedText(limit), HasSubstr("overloaded"));
}

// A process that waits in the kernel, where no signal stops it, until the returned pipe's other end is closed.
pid_t InTheKernel(int close_to_release[2]) {
  EXPECT_EQ(::pipe(close_to_release), 0);
  const pid_t pid = ::fork();
  if (pid != 0) {
    ::close(close_to_release[0]);
    return pid;
  }
  ::close(close_to_release[1]);
  static std::array<char, 1 << 16> stack;
  const auto sleeper = [](void* fd) -> int {
    char byte = 0;
    (void)!::read(*static_cast<int*>(fd), &byte, 1);
    ::_exit(0);
  };
  // The parent of a vfork sleeps uninterruptibly until its child, here a sibling, ends.
  ::clone(sleeper, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | CLONE_PARENT | SIGCHLD, &close_to_release[0]);
  while (true) ::pause();
}

void AwaitState(pid_t pid, char state) {
  TaskStat stat;
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (stat.state != state && absl::Now() < deadline) {
    const auto line = common::ReadFile(absl::StrCat("/proc/", pid, "/stat"));
    ASSERT_TRUE(line.ok() && ParseTaskStat(*line, &stat));
  }
  ASSERT_EQ(stat.state, state);
}

TEST(BusyMachineTest, FreezingWaitsForAThreadThatTheKernelHolds) {
  int release[2];
  const pid_t pid = InTheKernel(release);
  ProcessTree tree(pid, /*count_root=*/true);
  AwaitState(pid, 'D');
  EXPECT_FALSE(tree.AnyReady()) << "a program could ask for this wait";
  std::thread releasing([&] {
    absl::SleepFor(absl::Milliseconds(200));
    ::close(release[1]);
  });
  EXPECT_TRUE(tree.Freeze().ok());
  EXPECT_FALSE(tree.AnyReady());
  releasing.join();
  tree.KillAll();
  while (::wait(nullptr) > 0) continue;
}

TEST(BusyMachineTest, FreezingGivesUpOnWhatNeverStops) {
  int release[2];
  const pid_t pid = InTheKernel(release);
  ProcessTree tree(pid, /*count_root=*/true);
  AwaitState(pid, 'D');
  EXPECT_TRUE(absl::IsDeadlineExceeded(tree.Freeze(absl::Milliseconds(50))));
  tree.KillAll();
  ::close(release[1]);
  while (::wait(nullptr) > 0) continue;
}

}  // namespace
}  // namespace kernelsmith::worker
