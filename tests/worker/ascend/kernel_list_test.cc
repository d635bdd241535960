// Which functions of a .asc file a plan can launch.
#include "worker/toolchains/ascend/kernel_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

std::string Names(absl::string_view source) {
  const auto kernels = KernelsOf(source);
  if (!kernels.ok()) return std::string(kernels.status().message());
  std::string names;
  for (const KernelSignature& kernel : *kernels) names += kernel.name + "/" + std::to_string(kernel.parameters) + " ";
  return names;
}

TEST(KernelListTest, FindsKernelsInEveryForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"extern \"C\" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z) { }", "add/3 "},
      {"extern \"C\" __global__ __vector__ void f(__gm__ uint8_t* x) {}", "f/1 "},
      {"extern \"C\" {\n__global__ __aicore__ void g(GM_ADDR) {}\n}", "g/1 "},
      {"__global__ __aicore__ void cpp(GM_ADDR x) {}\nextern \"C\" __global__ __mix__(1, 2) void m() {}", "m/0 "},
      {"extern \"C\" __global__ __aicore__ void d(GM_ADDR x);\nextern \"C\" __global__ __aicore__ void d(GM_ADDR x) {}",
       "d/1 "},
      {"extern \"C\" __global__ __aicore__ void a(GM_ADDR x) { if (x) { } }\n"
       "extern \"C\" __attribute__((unused)) __global__ void b(void) {}",
       "a/1 b/0 "},
      {"// extern \"C\" __global__ void no(GM_ADDR x) {}\n#define K extern \"C\" __global__ \\\n void no2() {}\n"
       "extern \"C\" __global__ __aicore__ void yes(GM_ADDR x /* , GM_ADDR y */) {}",
       "yes/1 "},
      {"template <int N> __global__ void t(GM_ADDR x) {}\nextern \"C\" __global__ void u(const float* p, int* q) {}",
       "u/2 "},
  };
  for (const auto& [source, names] : cases) EXPECT_EQ(Names(source), names) << source;
}

TEST(KernelListTest, SaysWhatAPlanCannotLaunch) {
  EXPECT_THAT(Names("void f() {}"), HasSubstr("defines no kernel"));
  EXPECT_THAT(Names("\n\nextern \"C\" __global__ void f(GM_ADDR x, int n) {}"),
              HasSubstr("kernel.asc:3: parameter 2 of kernel f is no pointer"));
  EXPECT_THAT(Names("extern \"C\" __global__ void f() {}\nextern \"C\" __global__ void f() {}"),
              HasSubstr("kernel.asc:2: kernel f is defined twice"));
  std::string many = "extern \"C\" __global__ void f(GM_ADDR a0";
  for (int i = 1; i < 33; ++i) many += ", GM_ADDR a" + std::to_string(i);
  EXPECT_THAT(Names(many + ") {}"), HasSubstr("has 33 parameters"));
  EXPECT_THAT(Names("extern \"C\" __global__ void " + std::string(200, 'k') + "() {}"), HasSubstr("too long"));
}

TEST(KernelListTest, HalfAFileIsNoTrap) {
  for (const char* source :
       {"extern \"C\" __global__", "extern \"C\" __global__ void f(", "}}}} __global__ (((", "\""}) {
    EXPECT_FALSE(KernelsOf(source).ok()) << source;
  }
}

}  // namespace
}  // namespace kernelsmith::worker
