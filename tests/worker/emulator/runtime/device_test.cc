#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/worker/emulator/runtime/acl.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(EmulatedDevice, InitAndFinalizeComplainWhenRepeated) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_EQ(acl.aclInit(nullptr), 0);
    EXPECT_EQ(acl.aclInit(nullptr), 100002);
    EXPECT_EQ(acl.aclFinalize(), 0);
    EXPECT_EQ(acl.aclFinalize(), 100037);
    EXPECT_EQ(acl.aclInit("/nonexistent/acl.json"), 100003);
  }));
}

TEST(EmulatedDevice, KnowsItsCardWithoutBeingSet) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_STREQ(acl.aclrtGetSocName(), "Ascend910B3");
    int64_t value = 0;
    EXPECT_EQ(acl.aclGetDeviceCapability(0, 0, &value), 0);
    EXPECT_EQ(value, 20);
    EXPECT_EQ(acl.aclGetDeviceCapability(0, 1, &value), 0);
    EXPECT_EQ(value, 40);
    EXPECT_EQ(acl.aclrtGetDeviceInfo(7, 601, &value), 0);
    EXPECT_EQ(value, 2201);
    EXPECT_EQ(acl.aclrtGetDeviceInfo(0, 301, &value), 0);
    EXPECT_EQ(value, 268435456);
    EXPECT_EQ(acl.aclrtGetDeviceInfo(0, 9999, &value), 207000);
    EXPECT_EQ(acl.aclGetDeviceCapability(8, 0, &value), 107001);
    EXPECT_EQ(acl.aclGetDeviceCapability(0, 5, &value), 100000);
    int32_t major = 0;
    int32_t minor = 0;
    int32_t patch = -1;
    EXPECT_EQ(acl.aclrtGetVersion(&major, &minor, &patch), 0);
    EXPECT_EQ(major, 1);
    char version[512] = {};
    EXPECT_EQ(acl.aclsysGetCANNVersion(0, version), 0);
    EXPECT_STREQ(version, "9.1.0");
    EXPECT_THAT(acl.kseLabel(), HasSubstr("emulated-cann "));
    EXPECT_THAT(DeviceProcesses(getpid()), IsEmpty());
  }));
}

TEST(EmulatedDevice, AnotherCardIsChosenByEnvironment) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_SOC", "Ascend910B1"}}, [](const Acl& acl) {
    EXPECT_STREQ(acl.aclrtGetSocName(), "Ascend910B1");
    EXPECT_EQ(acl.aclrtSetDevice(0), 0) << acl.Message();
  }));
}

TEST(EmulatedDevice, UnknownCardIsRefusedByName) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_SOC", "Ascend1"}}, [](const Acl& acl) {
    EXPECT_EQ(acl.aclrtGetSocName(), nullptr);
    EXPECT_EQ(acl.aclrtSetDevice(0), 507008);
    EXPECT_THAT(acl.Message(), HasSubstr("Ascend1.textproto"));
  }));
}

TEST(EmulatedDevice, CountFollowsTheEnvironment) {
  const auto count = [](const Environment& environment, uint32_t expected) {
    EXPECT_TRUE(InProcess(environment, [expected](const Acl& acl) {
      uint32_t devices = 99;
      EXPECT_EQ(acl.aclrtGetDeviceCount(&devices), 0);
      EXPECT_EQ(devices, expected);
    }));
  };
  count({}, 8);
  count({{"KERNELSMITH_EMULATED_DEVICES", "2"}}, 2);
  count({{"ASCEND_RT_VISIBLE_DEVICES", "3,1"}}, 2);
  count({{"ASCEND_RT_VISIBLE_DEVICES", "3,9,1"}}, 1);
  count({{"ASCEND_RT_VISIBLE_DEVICES", ""}}, 0);
}

TEST(EmulatedDevice, VisibleDevicesKeepTheirNumberOnTheMachine) {
  EXPECT_TRUE(InProcess({{"ASCEND_RT_VISIBLE_DEVICES", "5,2"}}, [](const Acl& acl) {
    int64_t number = 0;
    EXPECT_EQ(acl.aclrtGetDeviceInfo(0, 402, &number), 0);
    EXPECT_EQ(number, 5);
    EXPECT_EQ(acl.aclrtSetDevice(1), 0);
    EXPECT_EQ(acl.aclrtSetDevice(2), 107001);
  }));
}

TEST(EmulatedDevice, BadNumbersAndUnusedDevicesAreNamed) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_EQ(acl.aclrtSetDevice(-1), 107001);
    EXPECT_EQ(acl.aclrtSetDevice(8), 107001);
    EXPECT_THAT(acl.Message(), HasSubstr("there is no device 8"));
    EXPECT_EQ(acl.aclrtResetDevice(0), 107001);
    EXPECT_EQ(acl.aclrtCreateContext(nullptr, 0), 107000);
    EXPECT_EQ(acl.aclrtDeviceTaskAbort(0, 0), 107001);
  }));
}

TEST(EmulatedDevice, UseIsCountedAndForceIsNot) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), SizeIs(1));
    EXPECT_EQ(acl.aclrtResetDevice(0), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), SizeIs(1));
    EXPECT_EQ(acl.aclrtResetDevice(0), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), IsEmpty());
    EXPECT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_EQ(acl.aclrtResetDeviceForce(0), 0);
    EXPECT_THAT(DeviceProcesses(getpid()), IsEmpty());
    void* memory = nullptr;
    EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 107002);
  }));
}

TEST(EmulatedDevice, EachDeviceHasAProcessAndMemoryOfItsOwn) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int* const first = acl.Upload(std::vector<int>{1, 2});
    ASSERT_EQ(acl.aclrtSetDevice(1), 0);
    int* const second = acl.Upload(std::vector<int>{3, 4});
    EXPECT_THAT(DeviceProcesses(getpid()), SizeIs(2));
    EXPECT_NE(first, second);
    int32_t device = -1;
    EXPECT_EQ(acl.aclrtGetDevice(&device), 0);
    EXPECT_EQ(device, 1);
    EXPECT_EQ(acl.aclrtMemcpy(second, 8, first, 8, kDeviceToDevice), 0);
    EXPECT_EQ(acl.Download(second, 2), (std::vector<int>{1, 2}));
    EXPECT_EQ(acl.aclFinalize(), 100037);
  }));
}

TEST(EmulatedDevice, ContextsBelongToThreads) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    void* context = nullptr;
    EXPECT_EQ(acl.aclrtGetCurrentContext(&context), 107002);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    ASSERT_EQ(acl.aclrtGetCurrentContext(&context), 0);
    std::thread([&] {
      void* memory = nullptr;
      EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 107002);
      EXPECT_EQ(acl.aclrtSetCurrentContext(context), 0);
      EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 0);
    }).join();
    void* other = nullptr;
    EXPECT_EQ(acl.aclrtCreateContext(&other, 0), 0);
    EXPECT_EQ(acl.aclrtDestroyContext(other), 0);
    EXPECT_EQ(acl.aclrtDestroyContext(other), 107002);
    EXPECT_EQ(acl.aclrtSetCurrentContext(other), 107002);
    void* memory = nullptr;
    EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 107002) << "the current context is gone";
  }));
}

TEST(EmulatedDevice, StreamOfAnotherContextIsRefused) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* stream = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    void* other = nullptr;
    ASSERT_EQ(acl.aclrtCreateContext(&other, 0), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 107003);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 0);
  }));
}

TEST(EmulatedDevice, LastErrorIsPerThreadAndClearedByGet) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_EQ(acl.aclrtGetLastError(0), 0);
    EXPECT_EQ(acl.aclrtSetDevice(-1), 107001);
    EXPECT_EQ(acl.aclrtGetDeviceCount(nullptr), 107000);
    std::thread([&] {
      EXPECT_EQ(acl.aclrtPeekAtLastError(0), 0);
      EXPECT_EQ(acl.Message(), "");
    }).join();
    ASSERT_EQ(acl.aclrtSetDevice(0), 0) << "success clears nothing";
    EXPECT_EQ(acl.aclrtPeekAtLastError(0), 107000);
    EXPECT_EQ(acl.aclrtPeekAtLastError(0), 107000);
    EXPECT_EQ(acl.aclrtGetLastError(0), 107000);
    EXPECT_EQ(acl.aclrtGetLastError(0), 0);
    EXPECT_THAT(acl.Message(), HasSubstr("aclrtGetDeviceCount: a pointer is null"));
    EXPECT_EQ(acl.aclGetRecentErrMsg(), nullptr);
  }));
}

TEST(EmulatedDevice, OpTimeOutComesInUnitsOfTheCardsTimer) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    const std::pair<uint64_t, uint64_t> cases[] = {
        {1, 4294967}, {4294967, 4294967}, {10000000, 12884901}, {0, 1090921693}, {uint64_t{1} << 60, 1090921693}};
    for (const auto& [asked, in_force] : cases) {
      uint64_t actual = 0;
      EXPECT_EQ(acl.aclrtSetOpExecuteTimeOutV2(asked, &actual), 0);
      EXPECT_EQ(actual, in_force) << asked;
    }
    EXPECT_EQ(acl.aclrtSetOpExecuteTimeOut(10), 0);
    EXPECT_EQ(acl.aclrtSetOpExecuteTimeOutWithMs(10), 0);
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
