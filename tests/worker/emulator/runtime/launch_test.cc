#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/worker/emulator/runtime/acl.h"
#include "tests/worker/emulator/runtime/test_image.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class EmulatedLaunch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { TestImage(); }
};

void* LoadFunction(const Acl& acl, const char* name) {
  void* binary = nullptr;
  void* function = nullptr;
  EXPECT_EQ(acl.aclrtBinaryLoadFromFile(TestImagePath().c_str(), nullptr, &binary), 0) << acl.Message();
  EXPECT_EQ(acl.aclrtBinaryGetFunction(binary, name, &function), 0) << acl.Message();
  return function;
}

TEST_F(EmulatedLaunch, ComputesOnDeviceMemory) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1, 2, 3});
    EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 2}), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.Download(values, 3), (std::vector<int>{2, 3, 3}));
  }));
}

TEST_F(EmulatedLaunch, MisuseIsKnownAtOnce) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    const TestKernels kernels(acl);
    EXPECT_EQ(kernels.Launch("adds", nullptr, {0, 0}), 107002);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int* const values = acl.Upload(std::vector<int>{1});
    EXPECT_EQ(kernels.Launch("adds", nullptr, {0, 0}, 0), 107000);
    EXPECT_EQ(kernels.Launch("adds", nullptr, {0, 0}, 65536), 107000);
    EXPECT_EQ(kernels.Launch("absent", nullptr, {}), 507027);
    EXPECT_THAT(acl.Message(), HasSubstr("the device image has no kernel absent"));
    EXPECT_EQ(acl.kseLaunch(&acl, 1, nullptr, nullptr, 0), 507027);
    EXPECT_EQ(kernels.Launch("adds", values, {0, 0}), 107000) << "no stream";
    EXPECT_EQ(acl.aclrtPeekAtLastError(0), 107000);
    const std::string huge(70000, 'x');
    const KseArgument argument{huge.data(), static_cast<uint32_t>(huge.size())};
    EXPECT_EQ(acl.kseLaunch(kernels.stub("adds"), 1, nullptr, &argument, 1), 107000);
    void* const nothing = acl.kseRegisterImage("no image", 8);
    const char stub = 0;
    acl.kseRegisterKernel(nothing, &stub, "adds");
    EXPECT_EQ(acl.kseLaunch(&stub, 1, nullptr, nullptr, 0), 507027) << "reported at the first launch";
  }));
}

TEST_F(EmulatedLaunch, WhateverForeignCodeDoesEndsTheLaunchAlone) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_WALL_LIMIT_MS", "1000"}}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{0, 0});
    const std::pair<const char*, int> cases[] = {
        {"crashes", 507035}, {"aborts", 507035}, {"leaves", 507035}, {"scribbles", 507035}, {"endless", 507014}};
    for (const auto& [kernel, code] : cases) {
      EXPECT_EQ(kernels.Launch(kernel, nullptr, {Value(values), 0}), 0) << kernel;
      EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), code) << kernel << acl.Message();
      EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0);
      EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    }
    EXPECT_EQ(acl.Download(values, 1)[0], static_cast<int>(std::size(cases)));
    EXPECT_THAT(DeviceProcesses(getpid()), SizeIs(1));
  }));
}

TEST_F(EmulatedLaunch, GarbageFromTheExecutorIsAFaultAndItsConsoleTheClients) {
  std::string output;
  EXPECT_TRUE(InProcess(
      {},
      [](const Acl& acl) {
        ASSERT_EQ(acl.aclrtSetDevice(0), 0);
        const TestKernels kernels(acl);
        EXPECT_EQ(kernels.Launch("shouts", nullptr, {}), 0);
        EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507035);
      },
      &output));
  EXPECT_EQ(output, "hello");
}

TEST_F(EmulatedLaunch, KernelsCannotReachTheMachine) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int64_t* const results = acl.Upload(std::vector<int64_t>(7));
    EXPECT_EQ(kernels.Launch("tries", nullptr, {Value(results)}), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    EXPECT_THAT(acl.Download(results, 7), Each(-EPERM));
  }));
  EXPECT_FALSE(std::ifstream(LeftoverPath()));
}

TEST_F(EmulatedLaunch, ReportTellsWhatHappenedAndForgetsIt) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    EXPECT_EQ(acl.Report(0), R"({"launches": []})");
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const TestKernels kernels(acl);
    int* const values = acl.Upload(std::vector<int>{1});
    for (int i = 0; i < 70; ++i) EXPECT_EQ(kernels.Launch("adds", nullptr, {Value(values), 1}), 0);
    EXPECT_EQ(kernels.Launch("crashes", nullptr, {}), 0);
    const size_t bytes = acl.kseReport(0, nullptr, 0);
    EXPECT_EQ(acl.kseReport(0, nullptr, 0), bytes) << "a null buffer forgets nothing";
    std::array<char, 8> small{};
    EXPECT_EQ(acl.kseReport(0, small.data(), small.size()), bytes);
    const auto report = nlohmann::json::parse(acl.Report(0));
    ASSERT_THAT(report["launches"], SizeIs(64));
    const auto& first = report["launches"].front();
    EXPECT_EQ(first["kernel"], "adds");
    EXPECT_EQ(first["blocks"], 1);
    EXPECT_EQ(first["end"], "done");
    EXPECT_GT(first["us"].get<double>(), 0);
    EXPECT_EQ(first["truncated"], false);
    EXPECT_EQ(first["cores"][0]["core"], "aiv 0");
    const auto& last = report["launches"].back();
    EXPECT_EQ(last["kernel"], "crashes");
    EXPECT_EQ(last["end"], "fault");
    EXPECT_NE(last["message"], "");
    EXPECT_EQ(acl.Report(0), R"({"launches": []})");
  }));
}

TEST_F(EmulatedLaunch, LoadedKernelsTakeArgumentLists) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int64_t* const out = acl.Upload(std::vector<int64_t>{0});
    void* const function = LoadFunction(acl, "sums");
    void* arguments = nullptr;
    void* first = nullptr;
    void* rest = nullptr;
    int64_t a = 40;
    int64_t b = 2;
    ASSERT_EQ(acl.aclrtKernelArgsInit(function, &arguments), 0);
    EXPECT_EQ(acl.aclrtKernelArgsAppend(arguments, &a, sizeof(a), &first), 0);
    EXPECT_EQ(acl.aclrtKernelArgsAppend(arguments, &b, sizeof(b), &rest), 0);
    EXPECT_EQ(acl.aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, arguments, nullptr), 107000)
        << "not final";
    void* pointer = out;
    EXPECT_EQ(acl.aclrtKernelArgsAppend(arguments, &pointer, sizeof(pointer), &rest), 0);
    EXPECT_EQ(acl.aclrtKernelArgsFinalize(arguments), 0);
    EXPECT_EQ(acl.aclrtKernelArgsAppend(arguments, &a, sizeof(a), &rest), 107000);
    EXPECT_EQ(acl.aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, arguments, nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.Download(out, 1)[0], 42);
    a = 50;
    EXPECT_EQ(acl.aclrtKernelArgsParaUpdate(arguments, first, &a, sizeof(a)), 0);
    EXPECT_EQ(acl.aclrtKernelArgsParaUpdate(arguments, first, &a, 4), 107000);
    EXPECT_EQ(acl.aclrtKernelArgsParaUpdate(arguments, &a, &a, 8), 107017);
    EXPECT_EQ(acl.aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, arguments, nullptr), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(acl.Download(out, 1)[0], 52);
  }));
}

TEST_F(EmulatedLaunch, PlaceholdersBecomeDeviceMemory) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    size_t free_before = 0;
    size_t free_after = 0;
    size_t total = 0;
    void* const function = LoadFunction(acl, "adds");
    std::vector<std::byte> memory(64);
    void* arguments = memory.data();
    void* placeholder = nullptr;
    void* count = nullptr;
    void* buffer = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(acl.aclrtKernelArgsGetMemSize(function, 12, &bytes), 0);
    EXPECT_EQ(bytes, 16);
    EXPECT_EQ(acl.aclrtKernelArgsGetHandleMemSize(function, &bytes), 0);
    ASSERT_EQ(acl.aclrtKernelArgsInitByUserMem(function, arguments, memory.data(), memory.size()), 0);
    EXPECT_EQ(acl.aclrtKernelArgsAppendPlaceHolder(arguments, &placeholder), 0);
    int64_t n = 3;
    EXPECT_EQ(acl.aclrtKernelArgsAppend(arguments, &n, sizeof(n), &count), 0);
    EXPECT_EQ(acl.aclrtKernelArgsGetPlaceHolderBuffer(arguments, count, 12, &buffer), 107017);
    ASSERT_EQ(acl.aclrtKernelArgsGetPlaceHolderBuffer(arguments, placeholder, 12, &buffer), 0);
    std::memset(buffer, 0, 12);
    EXPECT_EQ(acl.aclrtKernelArgsFinalize(arguments), 0);
    EXPECT_EQ(acl.aclrtGetMemInfo(1, &free_before, &total), 0);
    EXPECT_EQ(acl.aclrtLaunchKernelWithConfig(function, 1, nullptr, nullptr, arguments, nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.aclrtGetMemInfo(1, &free_after, &total), 0);
    EXPECT_EQ(free_before, free_after) << "the copy is gone with the launch";

    struct {
      uint64_t pointer = 0;
      int64_t n = 2;
      int data[2] = {7, 8};
    } block;
    const uint32_t where[2] = {0, 16};
    EXPECT_EQ(acl.aclrtLaunchKernelWithHostArgs(function, 1, nullptr, nullptr, &block, sizeof(block),
                                                const_cast<uint32_t*>(where), 1),
              0)
        << acl.Message();
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    const uint32_t outside[2] = {16, 16};
    EXPECT_EQ(acl.aclrtLaunchKernelWithHostArgs(function, 1, nullptr, nullptr, &block, sizeof(block),
                                                const_cast<uint32_t*>(outside), 1),
              107000);
    EXPECT_EQ(acl.aclrtLaunchKernelWithArgsArray(function, 1, nullptr, nullptr, nullptr), 207000);
  }));
}

TEST_F(EmulatedLaunch, ArgumentsMayLieInDeviceMemory) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    int64_t* const out = acl.Upload(std::vector<int64_t>{0});
    uint64_t* const arguments = acl.Upload(std::vector<uint64_t>{5, 6, Value(out)});
    void* const function = LoadFunction(acl, "sums");
    EXPECT_EQ(acl.aclrtLaunchKernel(function, 1, arguments, 24, nullptr), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
    EXPECT_EQ(acl.Download(out, 1)[0], 11);
    EXPECT_EQ(acl.aclrtLaunchKernel(function, 1, &acl, 24, nullptr), 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507027) << "host memory";
    EXPECT_THAT(acl.Message(), HasSubstr("do not lie in device memory"));
  }));
}

TEST_F(EmulatedLaunch, BinariesAreCheckedAndUnloaded) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    void* handle = nullptr;
    void* function = nullptr;
    EXPECT_EQ(acl.aclrtBinaryLoadFromFile("/nonexistent.o", nullptr, &handle), 100003);
    EXPECT_EQ(acl.aclrtBinaryLoadFromData("no image", 8, nullptr, &handle), 107000);
    EXPECT_EQ(acl.aclrtCreateBinary(nullptr, 0), nullptr);
    std::string cut = TestImage().substr(0, TestImage().size() / 2);
    EXPECT_EQ(acl.aclrtBinaryLoadFromData(cut.data(), cut.size(), nullptr, &handle), 107000);
    void* const binary = acl.aclrtCreateBinary(TestImage().data(), TestImage().size());
    ASSERT_EQ(acl.aclrtBinaryLoad(binary, &handle), 0);
    EXPECT_EQ(acl.aclrtDestroyBinary(binary), 0);
    EXPECT_EQ(acl.aclrtBinaryLoad(binary, &handle), 107017);
    EXPECT_EQ(acl.aclrtBinaryGetFunction(handle, "absent", &function), 507027);
    ASSERT_EQ(acl.aclrtBinaryGetFunction(handle, "adds", &function), 0);
    EXPECT_EQ(acl.aclrtBinaryUnLoad(handle), 0);
    EXPECT_EQ(acl.aclrtBinaryUnLoad(handle), 107017);
    EXPECT_EQ(acl.aclrtBinaryGetFunction(handle, "adds", &function), 107017);
    EXPECT_EQ(acl.aclrtLaunchKernel(function, 1, nullptr, 0, nullptr), 107017);
    EXPECT_EQ(acl.aclrtKernelArgsFinalize(binary), 107017);
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
