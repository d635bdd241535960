// Kernels compiled by the driver, from launch to report, as a worker runs them: a shared library with launchers.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/worker/emulator/runtime/acl.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kSource[] = R"code(
#include "kernel_operator.h"
using namespace AscendC;
constexpr int kTile = 256;
__global__ __aicore__ void doubles(GM_ADDR x, GM_ADDR z, uint32_t n) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  GlobalTensor<float> gx, gz;
  gx.SetGlobalBuffer((__gm__ float*)x, n);
  gz.SetGlobalBuffer((__gm__ float*)z, n);
  pipe.InitBuffer(in, 1, kTile * sizeof(float));
  pipe.InitBuffer(out, 1, kTile * sizeof(float));
  const uint32_t per = n / GetBlockNum();
  for (uint32_t at = per * GetBlockIdx(); at < per * (GetBlockIdx() + 1); at += kTile) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, gx[at], kTile);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Add(b, a, a, kTile);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopy(gz[at], b, kTile);
    out.FreeTensor(b);
  }
  if (GetBlockIdx() == 0) printf("doubled %d", (int)n);
}
__global__ __aicore__ void endless(GM_ADDR x) {
  volatile int i = 0;
  while (true) i = i + 1;
}
extern "C" int launch_doubles(uint32_t blocks, void* stream, void** a, uint32_t n) {
  doubles<<<blocks, nullptr, stream>>>((GM_ADDR)a[0], (GM_ADDR)a[1], n);
  return 0;
}
extern "C" int launch_endless(uint32_t blocks, void* stream, void** a, uint32_t n) {
  endless<<<blocks, nullptr, stream>>>((GM_ADDR)a[0]);
  return 0;
}
)code";

using Launcher = int (*)(uint32_t blocks, void* stream, void** arguments, uint32_t n);

class CompiledKernel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/ks-compiled-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    std::ofstream(folder_ + "/k.asc") << kSource;
    const std::string command = "cd " + folder_ + " && " + KERNELSMITH_CANN_ROOT +
                                "/bin/bisheng -shared -fPIC --npu-arch=dav-2201 k.asc -o libk.so";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  // After the library of the device is loaded.
  static Launcher Load(const char* name) {
    void* const library = ::dlopen((folder_ + "/libk.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << ::dlerror();
    return reinterpret_cast<Launcher>(::dlsym(library, name));
  }

  static std::string folder_;
};

std::string CompiledKernel::folder_;

TEST_F(CompiledKernel, ComputesPrintsAndIsTimed) {
  std::string output;
  EXPECT_TRUE(InProcess(
      {},
      [](const Acl& acl) {
        ASSERT_EQ(acl.aclrtSetDevice(0), 0);
        const Launcher doubles = Load("launch_doubles");
        float* const x = acl.Upload(std::vector<float>(2048, 1.5F));
        float* const z = acl.Upload(std::vector<float>(2048));
        void* arguments[] = {x, z};
        doubles(4, nullptr, arguments, 2048);
        ASSERT_EQ(acl.aclrtGetLastError(0), 0) << acl.Message();
        ASSERT_EQ(acl.aclrtSynchronizeStream(nullptr), 0) << acl.Message();
        EXPECT_THAT(acl.Download(z, 2048), Each(3.0F));
        const auto report = nlohmann::json::parse(acl.Report(0));
        ASSERT_THAT(report["launches"], SizeIs(1));
        const auto& launch = report["launches"][0];
        EXPECT_EQ(launch["kernel"], "doubles");
        EXPECT_EQ(launch["blocks"], 4);
        EXPECT_EQ(launch["end"], "done");
        EXPECT_THAT(launch["cores"], SizeIs(4));
        EXPECT_GT(launch["cores"][0]["pipes"]["mte2"].get<double>(), 0);
        EXPECT_EQ(launch["cores"][0]["bytes_read"], 2048);
        for (const auto& finding : launch["findings"]) EXPECT_EQ(finding["severity"], "note") << finding.dump();
      },
      &output));
  EXPECT_THAT(output, HasSubstr("doubled 2048"));
}

TEST_F(CompiledKernel, AccessOutsideItsMemoryIsTracedToTheLine) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const Launcher doubles = Load("launch_doubles");
    void* arguments[] = {acl.Upload(std::vector<float>(1000)), acl.Upload(std::vector<float>(2048))};
    doubles(4, nullptr, arguments, 2048);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507035);
    EXPECT_THAT(acl.Message(), AllOf(HasSubstr("The DDR address of the MTE instruction is out of range"),
                                     HasSubstr("fault kernel_name=doubles"), HasSubstr("out_of_bounds in DataCopy"),
                                     HasSubstr("k.asc:17")));
  }));
}

TEST_F(CompiledKernel, FreedMemoryIsOutside) {
  EXPECT_TRUE(InProcess({}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const Launcher doubles = Load("launch_doubles");
    float* const x = acl.Upload(std::vector<float>(2048));
    void* arguments[] = {x, acl.Upload(std::vector<float>(2048))};
    EXPECT_EQ(acl.aclrtFree(x), 0);
    doubles(1, nullptr, arguments, 2048);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507035);
  }));
}

TEST_F(CompiledKernel, EndlessLoopMeetsTheTimeOutOfTheProgram) {
  EXPECT_TRUE(InProcess({{"KERNELSMITH_EMULATED_WALL_LIMIT_MS", "20000"}}, [](const Acl& acl) {
    ASSERT_EQ(acl.aclrtSetOpExecuteTimeOutWithMs(1), 0);
    ASSERT_EQ(acl.aclrtSetDevice(0), 0);
    const Launcher endless = Load("launch_endless");
    void* arguments[] = {acl.Upload(std::vector<float>(8))};
    endless(1, nullptr, arguments, 0);
    EXPECT_EQ(acl.aclrtSynchronizeStream(nullptr), 507014);
    EXPECT_THAT(acl.Message(), HasSubstr("timeout or trap error."));
  }));
}

}  // namespace
}  // namespace kernelsmith::emulator
