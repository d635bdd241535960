#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/runtime/acl.h"
#include "tests/worker/emulator/runtime/test_image.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kTimeLine = 8;

class EmulatedEvent : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { TestImage(); }
};

TEST_F(EmulatedEvent, ErrorsOfElapsedTimeAreToldApart) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_WALL_LIMIT_MS", "1000"}}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    void* never = nullptr;
    void* done = nullptr;
    void* untimed = nullptr;
    void* pending = nullptr;
    ASSERT_EQ(acl.aclrtCreateEventWithFlag(&never, kTimeLine), 0);
    ASSERT_EQ(acl.aclrtCreateEvent(&done), 0);
    ASSERT_EQ(acl.aclrtCreateEventWithFlag(&untimed, 1), 0);
    ASSERT_EQ(acl.aclrtCreateEventExWithFlag(&pending, kTimeLine), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(done, nullptr), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(untimed, nullptr), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(kernels.Launch("endless", nullptr, {}), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(pending, nullptr), 0);
    float ms = -1;
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, never), 507000);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, never, done), 507000);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, never, pending), 507000);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, untimed), 107006);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, pending), 107006);
    EXPECT_THAT(acl.Message(), HasSubstr("not complete"));
    EXPECT_EQ(acl.aclrtEventElapsedTime(nullptr, done, done), 107000);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, nullptr), 107000);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, done), 0);
    EXPECT_EQ(ms, 0);
    int status = -1;
    EXPECT_EQ(acl.aclrtQueryEventStatus(pending, &status), 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(acl.aclrtQueryEventStatus(done, &status), 0);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(acl.aclrtQueryEvent(done, &status), 0);
    EXPECT_EQ(status, 0) << "the old call counts the other way";
    EXPECT_EQ(acl.aclrtQueryEvent(pending, &status), 107000) << "not for extended events";
    EXPECT_EQ(acl.aclrtSynchronizeEvent(never), 0);
    EXPECT_EQ(acl.aclrtSynchronizeEvent(pending), 507014);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, done, pending), 0);
  }));
}

TEST_F(EmulatedEvent, TimeIsSimulatedAndAddsUp) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>(1000));
    std::vector<void*> events(5);
    for (void*& event : events) ASSERT_EQ(acl.aclrtCreateEventExWithFlag(&event, kTimeLine), 0);
    ASSERT_EQ(acl.aclrtRecordEvent(events[0], nullptr), 0);
    for (size_t i = 1; i < events.size(); ++i) {
      ASSERT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1000}), 0);
      ASSERT_EQ(acl.aclrtRecordEvent(events[i], nullptr), 0);
    }
    ASSERT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    float sum = 0;
    for (size_t i = 1; i < events.size(); ++i) {
      float ms = 0;
      EXPECT_EQ(acl.aclrtEventElapsedTime(&ms, events[i - 1], events[i]), 0);
      EXPECT_GT(ms, 0);
      EXPECT_NEAR(ms / 0.00002, static_cast<double>(static_cast<int64_t>(ms / 0.00002 + 0.5)), 0.01) << "20 ns";
      sum += ms;
    }
    float whole = 0;
    EXPECT_EQ(acl.aclrtEventElapsedTime(&whole, events.front(), events.back()), 0);
    EXPECT_NEAR(whole, sum, 1e-5);
    uint64_t us = 0;
    EXPECT_EQ(acl.aclrtEventGetTimestamp(events.back(), &us), 0);
    EXPECT_GE(static_cast<double>(us), whole * 1000 - 1);
  }));
}

TEST_F(EmulatedEvent, CopiesTakeTimeByTheirSize) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    constexpr size_t kBytes = size_t{32} << 20;
    void* memory = nullptr;
    ASSERT_EQ(acl.aclrtMalloc(&memory, kBytes, 0), 0);
    std::vector<void*> events(3);
    for (void*& event : events) ASSERT_EQ(acl.aclrtCreateEvent(&event), 0);
    ASSERT_EQ(acl.aclrtRecordEvent(events[0], nullptr), 0);
    ASSERT_EQ(acl.aclrtMemsetAsync(memory, kBytes, 0, kBytes / 32, nullptr), 0);
    ASSERT_EQ(acl.aclrtRecordEvent(events[1], nullptr), 0);
    ASSERT_EQ(acl.aclrtMemsetAsync(memory, kBytes, 0, kBytes, nullptr), 0);
    ASSERT_EQ(acl.aclrtRecordEvent(events[2], nullptr), 0);
    ASSERT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    float small = 0;
    float large = 0;
    EXPECT_EQ(acl.aclrtEventElapsedTime(&small, events[0], events[1]), 0);
    EXPECT_EQ(acl.aclrtEventElapsedTime(&large, events[1], events[2]), 0);
    EXPECT_GT(small, 0);
    EXPECT_GT(large, small);
  }));
}

TEST_F(EmulatedEvent, MayBeRecordedAgainAndDestroyedEarly) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* event = nullptr;
    ASSERT_EQ(acl.aclrtCreateEventExWithFlag(&event, kTimeLine), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, nullptr), 0);
    EXPECT_EQ(acl.aclrtRecordEvent(event, nullptr), 0);
    EXPECT_EQ(acl.aclrtDestroyEvent(event), 0);
    EXPECT_EQ(acl.aclrtDestroyEvent(event), 107000);
    EXPECT_EQ(acl.aclrtRecordEvent(event, nullptr), 107000);
    EXPECT_EQ(acl.aclrtCreateEventWithFlag(&event, 0x20), 207000) << "external";
    EXPECT_EQ(acl.aclrtCreateEvent(nullptr), 107000);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
