#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "tests/worker/emulator/runtime/acl.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr size_t kMiB = size_t{1} << 20;

TEST(EmulatedMemory, BlocksAreAlignedAndPadded) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* first = nullptr;
    void* second = nullptr;
    ASSERT_EQ(acl.aclrtMalloc(&first, 480, 0), 0);
    ASSERT_EQ(acl.aclrtMalloc(&second, 481, 0), 0);
    EXPECT_EQ(reinterpret_cast<uint64_t>(first), 0x12c000000000);
    EXPECT_EQ(static_cast<char*>(second) - static_cast<char*>(first), 512);
    size_t free = 0;
    size_t total = 0;
    EXPECT_EQ(acl.aclrtGetMemInfo(1, &free, &total), 0);
    EXPECT_EQ(total, 256 * kMiB);
    EXPECT_EQ(free, total - 512 - 1024);
  }));
}

TEST(EmulatedMemory, IsFullAtItsLimitAndFreeAgainAfterwards) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_MEMORY", "4194304"}}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* large = nullptr;
    ASSERT_EQ(acl.aclrtMalloc(&large, 3 * kMiB, 0), 0);
    void* more = nullptr;
    EXPECT_EQ(acl.aclrtMalloc(&more, 2 * kMiB, 0), 207001);
    EXPECT_THAT(acl.Message(), HasSubstr("KERNELSMITH_EMULATED_MEMORY"));
    EXPECT_EQ(acl.aclrtMalloc(&more, ~size_t{0}, 0), 207001);
    EXPECT_EQ(acl.aclrtFree(large), 0);
    EXPECT_EQ(acl.aclrtMalloc(&more, 3 * kMiB, 0), 0);
  }));
}

TEST(EmulatedMemory, MisuseIsNamed) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    void* memory = nullptr;
    EXPECT_EQ(acl.aclrtMalloc(&memory, 32, 0), 107002);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    EXPECT_EQ(acl.aclrtMalloc(nullptr, 32, 0), 107000);
    EXPECT_EQ(acl.aclrtMalloc(&memory, 0, 0), 107000);
    ASSERT_EQ(acl.aclrtMalloc(&memory, 64, 0), 0);
    char host[256] = {};
    EXPECT_EQ(acl.aclrtMemcpy(memory, 32, host, 64, kHostToDevice), 107000) << "destination too small";
    EXPECT_EQ(acl.aclrtMemcpy(memory, 256, host, 256, kHostToDevice), 107000) << "beyond the block";
    EXPECT_EQ(acl.aclrtMemcpy(host, 64, host, 64, kHostToDevice), 107000) << "not device memory";
    EXPECT_EQ(acl.aclrtMemcpy(memory, 64, memory, 64, kDeviceToHost), 107000) << "not host memory";
    EXPECT_EQ(acl.aclrtMemcpy(memory, 64, host, 64, 9), 107000);
    EXPECT_EQ(acl.aclrtMemset(host, 64, 0, 64), 107000);
    EXPECT_EQ(acl.aclrtFree(static_cast<char*>(memory) + 32), 107000);
    EXPECT_EQ(acl.aclrtFree(host), 107000);
    EXPECT_EQ(acl.aclrtFree(memory), 0);
    EXPECT_EQ(acl.aclrtFree(memory), 107000);
    EXPECT_EQ(acl.aclrtMemcpy(memory, 64, host, 64, kHostToDevice), 107000) << "freed";
    EXPECT_THAT(acl.Message(), HasSubstr("was it freed"));
  }));
}

TEST(EmulatedMemory, CopiesAndFillsMoveBytesInEveryDirection) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const std::vector<int> values = {1, 2, 3, 4};
    int* const a = acl.Upload(values);
    int* const b = acl.Upload(std::vector<int>(4));
    EXPECT_EQ(acl.aclrtMemcpy(b, 16, a, 16, kDeviceToDevice), 0);
    EXPECT_EQ(acl.Download(b, 4), values);
    EXPECT_EQ(acl.aclrtMemset(a, 16, 0xff, 8), 0);
    EXPECT_EQ(acl.Download(a, 4), (std::vector<int>{-1, -1, 3, 4}));
    std::vector<int> host(4);
    EXPECT_EQ(acl.aclrtMemcpy(host.data(), 16, values.data(), 16, kHostToHost), 0);
    EXPECT_EQ(host, values);
    EXPECT_EQ(acl.aclrtMemcpy(host.data(), 16, a, 16, 4), 0) << "direction by address";
    EXPECT_EQ(host[2], 3);
    void* pinned = nullptr;
    EXPECT_EQ(acl.aclrtMallocHost(&pinned, 100), 0);
    EXPECT_EQ(reinterpret_cast<uint64_t>(pinned) % 64, 0);
    EXPECT_EQ(acl.aclrtFreeHost(pinned), 0);
  }));
}

TEST(EmulatedMemory, AsynchronousCopiesKeepTheirOrder) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* stream = nullptr;
    ASSERT_EQ(acl.aclrtCreateStream(&stream), 0);
    std::vector<int> source = {1, 2, 3, 4};
    int* const a = acl.Upload(std::vector<int>(4));
    int* const b = acl.Upload(std::vector<int>(4));
    std::vector<int> first(4);
    std::vector<int> second(4);
    EXPECT_EQ(acl.aclrtMemcpyAsync(a, 16, source.data(), 16, kHostToDevice, stream), 0);
    std::fill(source.begin(), source.end(), 9);
    EXPECT_EQ(acl.aclrtMemcpyAsync(b, 16, a, 16, kDeviceToDevice, stream), 0);
    EXPECT_EQ(acl.aclrtMemcpyAsync(first.data(), 16, b, 16, kDeviceToHost, stream), 0);
    EXPECT_EQ(acl.aclrtMemsetAsync(b, 16, 0, 16, stream), 0);
    EXPECT_EQ(acl.aclrtMemcpyAsync(second.data(), 16, b, 16, kDeviceToHost, stream), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(first, (std::vector<int>{1, 2, 3, 4})) << "the source is taken when the copy is enqueued";
    EXPECT_THAT(second, Each(0));
  }));
}

TEST(EmulatedMemory, ManyAsynchronousCopiesNeedNoDescriptors) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    const rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int* const a = acl.Upload(std::vector<int>(4));
    std::vector<int> host(4, 7);
    std::vector<int> back(4);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(acl.aclrtMemcpyAsync(a, 16, host.data(), 16, kHostToDevice, nullptr), 0) << i << acl.Message();
      ASSERT_EQ(acl.aclrtMemcpyAsync(back.data(), 16, a, 16, kDeviceToHost, nullptr), 0) << i << acl.Message();
    }
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(back, host);
  }));
}

TEST(EmulatedMemory, FreedPagesGoBackToTheMachine) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    for (int i = 0; i < 4; ++i) {
      void* memory = nullptr;
      ASSERT_EQ(acl.aclrtMalloc(&memory, 64 * kMiB, 0), 0);
      ASSERT_EQ(acl.aclrtMemset(memory, 64 * kMiB, 1, 64 * kMiB), 0);
      ASSERT_EQ(acl.aclrtFree(memory), 0);
      ASSERT_EQ(acl.aclrtMalloc(&memory, 64 * kMiB, 0), 0);
      EXPECT_EQ(acl.Download(static_cast<char*>(memory) + kMiB, 1)[0], 0);
      ASSERT_EQ(acl.aclrtFree(memory), 0);
    }
  }));
}

TEST(EmulatedMemory, RespectsTheLimitsOfTheProcess) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    const rlimit small{64 * kMiB, 64 * kMiB};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0) << acl.Message();
    size_t free = 0;
    size_t total = 0;
    EXPECT_EQ(acl.aclrtGetMemInfo(1, &free, &total), 0);
    EXPECT_EQ(total, 64 * kMiB);
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
