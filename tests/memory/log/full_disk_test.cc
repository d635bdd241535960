// A disk that runs full, and has room again: a small file system of the test's own, in namespaces of its own.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/log/store_check.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

constexpr int kSuccess = 0;
constexpr size_t kBallast = 4 << 20;
constexpr int64_t kReserve = 4 << 20;
constexpr int kMostFacts = 5000;
constexpr int kRefusals = 20;  // in a row, until the disk counts as full

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// Mounts a file system of 16 MiB on `folder`, for this process alone. REQUIRES: the process has one thread.
bool MountSmallDisk(const std::string& folder) {
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && Write("/proc/self/setgroups", "deny") &&
         Write("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1")) &&
         Write("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1")) &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=16m") == 0;
}

bool NamespacesWork(const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) _exit(MountSmallDisk(folder) ? kSuccess : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == kSuccess;
}

Fact LargeFact(int number) {
  static std::mt19937_64 random(1);
  Fact fact = testing::AttemptFact("a", std::to_string(number));
  std::string& code = *fact.mutable_attempt()->mutable_case_()->mutable_code_after();
  while (code.size() < 40'000) absl::StrAppend(&code, absl::Hex(random()));
  return fact;
}

// Says on stderr what is wrong and ends the process.
void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  _exit(2);
}

// Appends until nothing fits any more; the number of facts that were acknowledged in all. A write that found no room
// may be followed by one that does: merging and dropped logs make some. `may_need_restart`: others may have taken the
// reserve.
int FillDisk(FactStore& store, int acknowledged, bool may_need_restart = false) {
  for (int refused = 0; acknowledged < kMostFacts && refused < kRefusals;) {
    const AppendResult result = testing::Append(store, LargeFact(acknowledged + 1));
    if (result.status.ok()) {
      Require(result.sequence == static_cast<uint64_t>(++acknowledged), "the numbers have a gap");
      refused = 0;
      continue;
    }
    ++refused;
    if (may_need_restart && absl::IsUnavailable(result.status)) {
      Require(absl::StrContains(result.status.message(), "restart the memory"), result.status.ToString());
      continue;
    }
    Require(absl::IsResourceExhausted(result.status), result.status.ToString());
    Require(absl::StrContains(result.status.message(), "is full"), result.status.ToString());
  }
  Require(acknowledged < kMostFacts, "the disk did not run full");
  Require(testing::ScannedIds(store).size() == static_cast<size_t>(acknowledged), "a failed append left something");
  return acknowledged;
}

FactStoreOptions SmallStore(int64_t reserve) {
  return {.cache_bytes = 1 << 20, .write_buffer_bytes = 512 << 10, .reserved_bytes = reserve};
}

// A fact of a failed write may be there too: its caller heard nothing good of it, and sends it again as a duplicate.
void CheckNothingIsLost(const std::string& folder, int64_t reserve, int acknowledged) {
  const auto store = FactStore::Open(folder, SmallStore(reserve));
  Require(store.ok(), store.status().ToString());
  Require(testing::ScannedIds(**store).size() >= static_cast<size_t>(acknowledged), "facts are lost");
  Require(CheckStore((*store)->rocks(), [](uint64_t) {})->differences.empty(), "the store is damaged");
}

void RunWithReserve(const std::string& folder) {
  Require(MountSmallDisk(folder), "no small disk");
  const std::string ballast = folder + "/ballast";
  Require(Write(ballast, std::string(kBallast, 'x')), "no ballast");
  int acknowledged = 0;
  {
    const auto store = *FactStore::Open(folder + "/store", SmallStore(kReserve));
    acknowledged = FillDisk(*store, acknowledged);
    Require(acknowledged > 10, "full at once");
    std::filesystem::remove(ballast);
    for (int i = 0; i < 5; ++i) {
      const AppendResult result = testing::Append(*store, LargeFact(++acknowledged));
      Require(result.status.ok(), result.status.ToString());
      Require(result.sequence == static_cast<uint64_t>(acknowledged), "the numbers have a gap");
    }
    acknowledged = FillDisk(*store, acknowledged);
  }
  CheckNothingIsLost(folder + "/store", kReserve, acknowledged);  // also a start finds room
  _exit(kSuccess);
}

void RunWithoutReserve(const std::string& folder) {
  Require(MountSmallDisk(folder), "no small disk");
  const std::string ballast = folder + "/ballast";
  Require(Write(ballast, std::string(kBallast, 'x')), "no ballast");
  int acknowledged = 0;
  {
    const auto store = *FactStore::Open(folder + "/store", SmallStore(0));
    acknowledged = FillDisk(*store, acknowledged, /*may_need_restart=*/true);
    std::filesystem::remove(ballast);
    acknowledged = FillDisk(*store, acknowledged, /*may_need_restart=*/true);
  }
  Require(mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0, "no larger disk");
  CheckNothingIsLost(folder + "/store", 0, acknowledged);
  _exit(kSuccess);
}

class FullDiskDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (!NamespacesWork(folder_.path())) GTEST_SKIP() << "the system allows no user namespaces with mounts";
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("full-disk");
};

TEST_F(FullDiskDeathTest, FailedAppendsChangeNothingAndWritingGoesOnWithoutARestart) {
  EXPECT_EXIT(RunWithReserve(folder_.path()), ::testing::ExitedWithCode(kSuccess), "");
}

TEST_F(FullDiskDeathTest, LosesNothingWhenOthersTakeTheReserve) {
  EXPECT_EXIT(RunWithoutReserve(folder_.path()), ::testing::ExitedWithCode(kSuccess), "");
}

}  // namespace
}  // namespace kernelsmith::memory
