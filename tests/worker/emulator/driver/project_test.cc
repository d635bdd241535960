// Projects as their authors write them: CMake with the language ASC, and the older ascendc_library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/driver/compiler.h"

namespace kernelsmith::emulator {
namespace {

using testing::HasSubstr;

constexpr char kKernel[] = R"(
#include "kernel_operator.h"
struct Sizes { int32_t n; float step; };
extern "C" __global__ __aicore__ void adds(GM_ADDR x, Sizes sizes, uint32_t times) {  // comment, with (signs)
  __gm__ float* values = (__gm__ float*)x;
  for (uint32_t i = 0; i < times; ++i) values[0] += sizes.step;
}
)";

class ProjectTest : public CompilerTest {
 protected:
  // Configures and builds the project in the folder.
  Outcome Build() const {
    return Shell("export ASCEND_HOME_PATH=" KERNELSMITH_CANN_ROOT " CMAKE_PREFIX_PATH=" KERNELSMITH_CANN_ROOT
                 " && cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build");
  }
};

TEST_F(ProjectTest, HostCodeFindsTheRuntimeWithoutAsking) {
  Write("kernel.cpp", std::string(kKernel) + R"(
void Launch(void* stream, void* x) { adds<<<1, nullptr, stream>>>((GM_ADDR)x, Sizes{1, 2.0f}, 3); }
)");
  Write("main.cpp", R"(
#include "acl/acl.h"
void Launch(void* stream, void* x);
int main(int argc, char**) {
  if (argc > 9) Launch(nullptr, nullptr);
  return aclrtGetSocName() == nullptr;
}
)");
  Write("CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(sample LANGUAGES ASC CXX)
set_source_files_properties(kernel.cpp PROPERTIES LANGUAGE ASC)
add_library(kernels SHARED kernel.cpp)
add_executable(demo main.cpp)
target_link_libraries(demo PRIVATE kernels ascendcl tiling_api platform register)
)");
  const Outcome outcome = Build();
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(Exists("build/demo"));
}

TEST_F(ProjectTest, TheOlderProjectGetsLaunchersAndTheirHeaders) {
  Write("kernel.cpp", kKernel);
  Write("main.cpp", R"(
#include "acl/acl.h"
#include "aclrtlaunch_adds.h"
struct Sizes { int32_t n; float step; };
int main(int argc, char**) {
  Sizes sizes{1, 2.0f};
  return argc < 9 ? 0 : ACLRT_LAUNCH_KERNEL(adds)(1, nullptr, nullptr, &sizes, 3);
}
)");
  Write("CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.16)
project(sample)
set(SOC_VERSION "Ascend910B3" CACHE STRING "")
set(RUN_MODE "npu" CACHE STRING "")
include($ENV{ASCEND_HOME_PATH}/compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
ascendc_library(kernels SHARED kernel.cpp)
ascendc_compile_definitions(kernels PRIVATE -DHAVE_WORKSPACE)
ascendc_compile_options(kernels PRIVATE -g -forward-options-to-host-compiler -gdwarf-4)
ascendc_include_directories(kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_executable(demo main.cpp)
target_compile_options(demo PRIVATE -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -Wall -Werror)
target_link_libraries(demo PRIVATE $<BUILD_INTERFACE:host_intf_pub> kernels)
)");
  const Outcome outcome = Build();
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(Exists("build/demo"));
  EXPECT_THAT(Read("build/include/kernels/aclrtlaunch_adds.h"),
              HasSubstr("aclrtlaunch_adds(uint32_t blockDim, aclrtStream stream, void* p0, void* p1, uint32_t p2);"));
}

TEST_F(ProjectTest, ACardThatIsNotEmulatedIsRefusedByName) {
  Write("CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.16)
project(sample)
set(SOC_VERSION "Ascend310P3")
include($ENV{ASCEND_HOME_PATH}/tools/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
)");
  const Outcome outcome = Build();
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("SOC_VERSION is 'Ascend310P3'"));
}

}  // namespace
}  // namespace kernelsmith::emulator
