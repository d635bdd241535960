#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "worker/devices/cpu_card.h"
#include "worker/locks/card_lock.h"
#include "worker/locks/lock_folder.h"
#include "worker/locks/timing_lock.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

TEST(CardLockTest, SecondWorkerIsRefusedWithTheFirstOnesProcessId) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  absl::StatusOr<FileLock> first = LockCard(folder.path() + "/locks", "cpu0");
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = LockCard(folder.path() + "/locks", "cpu0").status();
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.message()), HasSubstr(absl::StrCat(::getpid())));
  EXPECT_TRUE(LockCard(folder.path() + "/locks", "cpu1").ok());
  first->Release();
  EXPECT_TRUE(LockCard(folder.path() + "/locks", "cpu0").ok());
}

TEST(CardLockTest, DiesWithItsProcess) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = LockCard(folder.path(), "cpu0");
    ::_exit(lock.ok() ? 0 : 1);  // without releasing
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(LockCard(folder.path(), "cpu0").ok());
}

TEST(CardLockTest, AWorkerThatWasJustKilledIsWaitedFor) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const auto lock = LockCard(folder.path(), "cpu0");
    if (lock.ok()) (void)!::write(ready[1], "1", 1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(AwaitCard(folder.path(), "cpu0", absl::Now() + absl::Milliseconds(50)).status().code(),
            absl::StatusCode::kAlreadyExists)
      << "the holder lives on";
  absl::StatusOr<FileLock> next = absl::UnknownError("not yet");
  std::thread waiter([&] { next = AwaitCard(folder.path(), "cpu0", absl::Now() + absl::Seconds(60)); });
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  waiter.join();
  EXPECT_TRUE(next.ok()) << next.status();
  for (const int end : ready) ::close(end);
}

TEST(CardLockTest, WhatIsNoHolderIsNotWaitedFor) {
  EXPECT_FALSE(AwaitCard("/proc/locks", "cpu0", absl::InfiniteFuture()).ok());
}

TEST(LockFolderTest, IsOpenToEveryUserAndStickyWhateverTheMask) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const std::string locks = folder.path() + "/a/locks";
  const mode_t before = ::umask(077);
  ASSERT_TRUE(MakeLockFolder(locks).ok());
  ASSERT_TRUE(LockCard(locks, "cpu0").ok());
  ::umask(before);
  struct stat found = {};
  ASSERT_EQ(::stat(locks.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 01777U);
  ASSERT_EQ(::stat((locks + "/card-cpu0.lock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0666U);
  EXPECT_TRUE(MakeLockFolder(locks).ok());
  EXPECT_FALSE(MakeLockFolder("/proc/locks").ok());
  EXPECT_FALSE(MakeLockFolder(locks + "/card-cpu0.lock/below").ok());
}

TEST(LockFolderTest, AnotherUsersLocksCanBeTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  auto folder = *common::TemporaryFolder::Make("locks-test");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const std::string locks = folder.path() + "/locks";
  ASSERT_TRUE(LockCard(locks, "cpu0").ok());  // as root
  const pid_t child = ::fork();
  if (child == 0) {
    const bool other = ::setgid(65534) == 0 && ::setuid(65534) == 0;
    ::_exit(other && LockCard(locks, "cpu0").ok() && LockCard(locks, "cpu1").ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(LockCard(locks, "cpu1").ok());
}

TEST(LockFolderTest, ALinkInPlaceOfALockIsRefused) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  ASSERT_EQ(::symlink("/dev/null", (folder.path() + "/card-cpu0.lock").c_str()), 0);
  EXPECT_FALSE(LockCard(folder.path(), "cpu0").ok());
}

TEST(TimingLockTest, SharersRunTogetherAndTimersAlone) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const TimingLock lock(folder.path());
  auto a = lock.Acquire(LockMode::kShared);
  auto b = lock.Acquire(LockMode::kShared);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(lock.Acquire(LockMode::kExclusive, {}, absl::Now() + absl::Milliseconds(30)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  a->lock.Release();
  b->lock.Release();
  auto alone = lock.Acquire(LockMode::kExclusive);
  ASSERT_TRUE(alone.ok());
  EXPECT_FALSE(lock.Acquire(LockMode::kShared, {}, absl::Now() + absl::Milliseconds(30)).ok());
}

TEST(TimingLockTest, WaitingIsReported) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const TimingLock lock(folder.path());
  auto holder = lock.Acquire(LockMode::kExclusive);
  std::thread releaser([&] {
    absl::SleepFor(absl::Milliseconds(50));  // how long the other one waits is what this test is about
    holder->lock.Release();
  });
  const auto waiter = lock.Acquire(LockMode::kExclusive);
  releaser.join();
  ASSERT_TRUE(waiter.ok());
  EXPECT_GE(waiter->waited, absl::Milliseconds(40));
}

TEST(TimingLockTest, StopEndsTheWait) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const TimingLock lock(folder.path());
  auto holder = lock.Acquire(LockMode::kExclusive);
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(lock.Acquire(LockMode::kShared, stop.get_token()).status().code(), absl::StatusCode::kCancelled);
  stopper.join();
}

TEST(TimingLockTest, TimerIsNotStarvedBySharersThatKeepComing) {
  auto folder = *common::TemporaryFolder::Make("locks-test");
  const TimingLock lock(folder.path());
  std::atomic<bool> done{false};
  std::vector<std::thread> sharers;
  for (int i = 0; i < 3; ++i) {
    sharers.emplace_back([&] {
      while (!done) {
        auto hold = lock.Acquire(LockMode::kShared);
        absl::SleepFor(absl::Milliseconds(5));  // work under the lock, so that holds overlap
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(lock.Acquire(LockMode::kExclusive, {}, absl::Now() + absl::Seconds(20)).ok());
  }
  done = true;
  for (std::thread& thread : sharers) thread.join();
}

TEST(CpuCardTest, DescribesThisHost) {
  const absl::StatusOr<CpuCard> card = DescribeCpuCard("g++ 12");
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_THAT(card->target.architecture(), HasSubstr("cpu-"));
  EXPECT_THAT(card->target.driver(), HasSubstr("linux "));
  EXPECT_EQ(card->target.toolchain(), "g++ 12");
  EXPECT_FALSE(card->target.soc().empty());
  EXPECT_GE(card->cpu_count, 1);
  EXPECT_GT(card->memory_bytes, 0);
}

TEST(CpuCardTest, ReadsModelsOfSeveralArchitectures) {
  EXPECT_EQ(CpuModelOf("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name\t: Other\n"), "Fast CPU @ 3 GHz");
  EXPECT_EQ(CpuModelOf("processor : 0\nCPU part\t: 0xd01\nHardware\t: Board\n"), "Board");
  EXPECT_EQ(CpuModelOf("processor : 0\nCPU part\t: 0xd01\n"), "0xd01");
  EXPECT_EQ(CpuModelOf(""), "unknown");
}

TEST(CpuCardTest, NoiseFloorIsARelativeSpread) {
  const double noise = MeasureNoiseFloor(10, 100);
  EXPECT_GE(noise, 0);
  EXPECT_LT(noise, 1000);
}

}  // namespace
}  // namespace kernelsmith::worker
