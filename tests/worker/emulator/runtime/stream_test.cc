#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/worker/emulator/runtime/acl.h"
#include "tests/worker/emulator/runtime/test_image.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class EmulatedStream : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { TestImage(); }
};

constexpr char kWall[] = "KERNELSMITH_EMULATED_WALL_LIMIT_MS";

TEST_F(EmulatedStream, FailureIsToldAtSynchronizationOnceInContinueMode) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("crashes", nullptr, {}), 0);
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0) << "launches do not see it";
    EXPECT_EQ(acl.aclrtGetLastError(0), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507035);
    EXPECT_EQ(acl.Download(values, 1)[0], 2) << "later tasks run";
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(acl.aclrtGetLastError(0), 507035);
    EXPECT_THAT(acl.Message(), AllOf(HasSubstr("EZ9999: Inner Error!"), HasSubstr("The error from device(chipId:0"),
                                     HasSubstr("there is an exception of aivec error"), HasSubstr("errorStr: "),
                                     HasSubstr("Kernel task happen error, retCode=0x31, [vector core exception]."),
                                     HasSubstr("fault kernel_name=crashes"), HasSubstr("emulated-cann: ")));
    EXPECT_EQ(acl.aclGetRecentErrMsg(), nullptr);
  }));
}

TEST_F(EmulatedStream, FailureIsForGoodInStopMode) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    void* stream = nullptr;
    ASSERT_EQ(acl.aclrtCreateStreamWithConfig(&stream, 0, 3), 0);
    EXPECT_EQ(acl.aclrtSetStreamFailureMode(stream, 1), 0);
    EXPECT_EQ(acl.aclrtSetStreamFailureMode(stream, 1), 0);
    EXPECT_EQ(acl.aclrtSetStreamFailureMode(stream, 0), 207000);
    EXPECT_EQ(acl.aclrtSetStreamFailureMode(stream, 2), 107000);
    void* event = nullptr;
    ASSERT_EQ(acl.aclrtCreateEvent(&event), 0);
    int* const values = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("crashes", stream, {}), 0);
    EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, stream), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 507035);
    EXPECT_EQ(acl.Download(values, 1)[0], 1) << "nothing ran after the failure";
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 507035);
    EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 507035);
    EXPECT_EQ(acl.aclrtMemsetAsync(values, 4, 0, 4, stream), 507035);
    EXPECT_EQ(acl.aclrtRecordEvent(event, stream), 507035);
    EXPECT_THAT(acl.Message(), HasSubstr("vector core exception"));
    int status = -1;
    EXPECT_EQ(acl.aclrtQueryEventStatus(event, &status), 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(acl.aclrtDestroyStream(stream), 0);
    EXPECT_EQ(acl.aclrtResetDeviceForce(0), 0);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int* const fresh = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(fresh), 1}), 0) << "a new device knows nothing of it";
    EXPECT_EQ(acl.aclrtSynchronizeDevice(), 0);
  }));
}

TEST_F(EmulatedStream, WaitsEndAtTheirLimitWhileTheTaskGoesOn) {
  EXPECT_TRUE(InProcess({{kWall, "1500"}}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    void* stream = nullptr;
    void* event = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    ASSERT_EQ(acl.aclrtCreateEvent(&event), 0);
    EXPECT_EQ(kernels.Launch("endless", stream, {}), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, stream), 0);
    int status = -1;
    EXPECT_EQ(acl.aclrtStreamQuery(stream, &status), 0);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(acl.aclrtSynchronizeStreamWithTimeout(stream, 10), 507046);
    EXPECT_EQ(acl.aclrtSynchronizeEventWithTimeout(event, 10), 507047);
    EXPECT_EQ(acl.aclrtSynchronizeDeviceWithTimeout(10), 507046);
    EXPECT_EQ(acl.aclrtSynchronizeStreamWithTimeout(stream, -2), 107000);
    EXPECT_EQ(acl.aclrtSynchronizeStreamWithTimeout(stream, -1), 507014);
    EXPECT_THAT(acl.Message(), AllOf(HasSubstr("timeout or trap error."), HasSubstr("retCode=0x25"),
                                     HasSubstr("did not end within 1500 ms")));
    EXPECT_EQ(acl.aclrtStreamQuery(stream, &status), 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(acl.aclrtSynchronizeEvent(event), 0);
  }));
}

TEST_F(EmulatedStream, ForcedEndsDoNotWaitForTheKernel) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    void* stream = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    int* const values = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("endless", stream, {}), 0);
    EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtDestroyStreamForce(stream), 0);
    EXPECT_EQ(acl.aclrtDestroyStreamForce(stream), 107000);
    EXPECT_EQ(acl.aclrtSynchronizeDevice(), 0);
    EXPECT_EQ(acl.Download(values, 1)[0], 1) << "what had not begun does not";

    EXPECT_EQ(kernels.Launch("endless", nullptr, {}), 0);
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtDeviceTaskAbort(0, 0), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 107022);
    EXPECT_EQ(acl.Download(values, 1)[0], 1);

    EXPECT_EQ(kernels.Launch("endless", nullptr, {}), 0);
    EXPECT_EQ(acl.aclrtResetDeviceForce(0), 0);
  }));
}

TEST_F(EmulatedStream, DestroyingWaitsForWhatIsOnIt) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    void* stream = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtDestroyStream(stream), 0);
    EXPECT_EQ(acl.Download(values, 1)[0], 21);
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 107000);
    EXPECT_EQ(acl.aclrtDestroyStream(nullptr), 107000);
  }));
}

TEST_F(EmulatedStream, WaitingForAnEventOfAnotherStreamOrdersTheTwo) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    int* const copy = acl.Upload(std::vector<int>{0});
    void* first = nullptr;
    void* second = nullptr;
    void* event = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&first), 0);
    ASSERT_EQ(acl.aclrtCreateStream(&second), 0);
    ASSERT_EQ(acl.aclrtCreateEvent(&event), 0);
    EXPECT_EQ(kernels.Launch("adds", first, {Value(values), 1}), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, first), 0);
    EXPECT_EQ(acl.aclrtStreamWaitEvent(second, event), 0);
    EXPECT_EQ(acl.aclrtMemcpyAsync(copy, 4, values, 4, kDeviceToDevice, second), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(second), 0);
    EXPECT_EQ(acl.Download(copy, 1)[0], 2);
    EXPECT_EQ(acl.aclrtStreamWaitEvent(second, second), 107000);
  }));
}

TEST_F(EmulatedStream, SynchronizingTheDeviceWaitsForEveryContext) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    EXPECT_EQ(kernels.Launch("crashes", nullptr, {}), 0);
    void* other = nullptr;
    ASSERT_EQ(acl.aclrtCreateContext(&other, 0), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << "another default stream";
    EXPECT_EQ(acl.aclrtSynchronizeDevice(), 507035);
    EXPECT_EQ(acl.aclrtSynchronizeDevice(), 0);
  }));
}

TEST_F(EmulatedStream, ThreadsShareADevice) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    void* context = nullptr;
    ASSERT_EQ(acl.aclrtGetCurrentContext(&context), 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        EXPECT_EQ(acl.aclrtSetCurrentContext(context), 0);
        void* stream = nullptr;
        EXPECT_EQ(acl.aclrtCreateStream(&stream), 0);
        for (int i = 0; i < 10; ++i) {
          int* const values = acl.Upload(std::vector<int>{i});
          EXPECT_EQ(kernels.Launch("adds", stream, {Value(values), 1}), 0);
          EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 0);
          EXPECT_EQ(acl.Download(values, 1)[0], i + 1);
          EXPECT_EQ(acl.aclrtFree(values), 0);
        }
        EXPECT_EQ(acl.aclrtDestroyStream(stream), 0);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
