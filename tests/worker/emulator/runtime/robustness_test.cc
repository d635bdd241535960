#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/worker/emulator/runtime/acl.h"
#include "tests/worker/emulator/runtime/test_image.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EmulatedDeviceLife : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { TestImage(); }
};

// A client that runs a kernel without end; the write end says when it has begun. Returns its pid.
pid_t StartBusyClient(std::vector<int>* processes) {
  int line[2];
  if (::pipe(line) != 0) return -1;
  const pid_t client = ::fork();
  if (client == 0) {
    const Acl acl = LoadAcl();
    const TestKernels kernels(acl);
    if (acl.aclrtSetDevice(0) != 0 || kernels.Launch("endless", nullptr, {}) != 0) ::_exit(1);
    std::vector<int> devices = DeviceProcesses(::getpid());
    if (devices.size() != 1) ::_exit(1);
    // The executor is a child of the device process.
    if (!Eventually([&] { return DeviceProcesses(devices[0]).size() == 1; })) ::_exit(1);
    const int found[2] = {devices[0], DeviceProcesses(devices[0])[0]};
    if (::write(line[1], found, sizeof(found)) != sizeof(found)) ::_exit(1);
    acl.aclrtSynchronizeStream(nullptr);
    ::pause();
  }
  int found[2] = {0, 0};
  EXPECT_EQ(::read(line[0], found, sizeof(found)), static_cast<ssize_t>(sizeof(found)));
  ::close(line[0]);
  ::close(line[1]);
  *processes = {found[0], found[1]};
  return client;
}

TEST_F(EmulatedDeviceLife, KilledClientLeavesNothingBehind) {
  std::vector<int> processes;
  const pid_t client = StartBusyClient(&processes);
  for (const int pid : processes) EXPECT_TRUE(Lives(pid));
  ::kill(client, SIGKILL);
  ::waitpid(client, nullptr, 0);
  for (const int pid : processes) EXPECT_TRUE(Eventually([pid] { return !Lives(pid); })) << pid;
}

TEST_F(EmulatedDeviceLife, KilledDeviceTakesItsKernelsAlong) {
  std::vector<int> processes;
  const pid_t client = StartBusyClient(&processes);
  ::kill(processes[0], SIGKILL);
  for (const int pid : processes) EXPECT_TRUE(Eventually([pid] { return !Lives(pid); })) << pid;
  ::kill(client, SIGKILL);
  ::waitpid(client, nullptr, 0);
}

TEST_F(EmulatedDeviceLife, LostDeviceIsToldByEveryCallAndReplacedAfterReset) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    void* stream = nullptr;
    void* event = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    ASSERT_EQ(acl.aclrtCreateEvent(&event), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, stream), 0);
    EXPECT_EQ(kernels.Launch("endless", stream, {}), 0);
    std::thread killer([device = DeviceProcesses(getpid())] { ::kill(device.at(0), SIGKILL); });
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 507010);
    killer.join();
    EXPECT_THAT(acl.Message(), HasSubstr("device process is gone"));
    void* memory = nullptr;
    int host = 0;
    float ms = 0;
    EXPECT_EQ(acl.aclrtSetDevice(0), 507010);
    EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 507010);
    EXPECT_EQ(acl.aclrtFree(values), 507010);
    EXPECT_EQ(acl.aclrtMemcpy(&host, 4, values, 4, kDeviceToHost), 507010);
    EXPECT_EQ(acl.aclrtMemcpyAsync(&host, 4, values, 4, kDeviceToHost, stream), 507010);
    EXPECT_EQ(acl.aclrtMemset(values, 4, 0, 4), 507010);
    EXPECT_EQ(acl.aclrtCreateStream(&memory), 507010);
    EXPECT_EQ(acl.aclrtCreateEvent(&memory), 507010);
    EXPECT_EQ(acl.aclrtRecordEvent(event, stream), 507010);
    EXPECT_EQ(acl.aclrtSynchronizeEvent(event), 507010);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, event, event), 507010);
    EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 507010);
    EXPECT_EQ(acl.aclrtSynchronizeDevice(), 507010);
    EXPECT_EQ(acl.aclrtDestroyStream(stream), 507010);
    EXPECT_EQ(acl.Report(0), R"({"launches": []})");
    EXPECT_EQ(acl.aclrtResetDeviceForce(0), 0);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0) << acl.Message();
    int* const fresh = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(fresh), 1}), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(acl.Download(fresh, 1)[0], 2);
  }));
}

TEST_F(EmulatedDeviceLife, ProcessesDoNotShareADevice) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int* const mine = acl.Upload(std::vector<int>{1});
    EXPECT_TRUE(InProcess({}, [&](const Acl& other) {
      ASSERT_EQ(other.aclrtSetDevice(0), 0) << other.Message();
      int* const theirs = other.Upload(std::vector<int>{5});
      EXPECT_EQ(theirs, mine);
    }));
    EXPECT_EQ(acl.Download(mine, 1)[0], 1);
  }));
}

TEST_F(EmulatedDeviceLife, ForkedChildStartsAnew) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclInit(nullptr), 0);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    const pid_t child = ::fork();
    if (child == 0) {
      void* memory = nullptr;
      const bool none = acl.aclrtMalloc(&memory, 32, 0) == 107002;
      const bool set = acl.aclrtSetDevice(0) == 0;
      int* const own = acl.Upload(std::vector<int>{10});
      const bool ran = kernels.Launch("adds", nullptr, {Value(own), 1}) == 0 &&
                       acl.aclrtSynchronizeStream(nullptr) == 0 && acl.Download(own, 1)[0] == 11;
      ::_exit(none && set && ran ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(acl.Download(values, 1)[0], 2);
  }));
}

TEST_F(EmulatedDeviceLife, ChildThatOutlivesItsParentDoesNotKeepTheDevice) {
  int line[2];
  ASSERT_EQ(::pipe(line), 0);
  const pid_t client = ::fork();
  if (client == 0) {
    const Acl acl = LoadAcl();
    if (acl.aclrtSetDevice(0) != 0) ::_exit(1);
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    const int found[2] = {DeviceProcesses(::getpid()).at(0), child};
    if (::write(line[1], found, sizeof(found)) != sizeof(found)) ::_exit(1);
    ::_exit(0);  // without aclFinalize
  }
  int found[2] = {0, 0};
  ASSERT_EQ(::read(line[0], found, sizeof(found)), static_cast<ssize_t>(sizeof(found)));
  ::waitpid(client, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return !Lives(found[0]); }));
  EXPECT_TRUE(Lives(found[1]));
  ::kill(found[1], SIGKILL);
  ::close(line[0]);
  ::close(line[1]);
}

TEST_F(EmulatedDeviceLife, StartingThreadMayEnd) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    std::thread([&] { EXPECT_EQ(acl.aclrtSetDevice(0), 0); }).join();
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), SizeIs(1));
  }));
}

TEST_F(EmulatedDeviceLife, FinalizeEndsEveryDevice) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclInit(nullptr), 0);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    ASSERT_EQ(acl.aclrtSetDevice(3), 0);
    EXPECT_EQ(acl.aclFinalize(), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), IsEmpty());
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      EXPECT_THAT(entry.path().string(), ::testing::Not(HasSubstr("emulated-device")));
    }
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
