// What bisheng makes of good sources.
#include <cstdint>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/driver/compiler.h"

namespace kernelsmith::emulator {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr char kKernel[] = R"(
extern "C" __aicore__ void kse_test(const void* x, int n);
extern "C" __global__ __aicore__ void add(GM_ADDR x, int n) { kse_test(x, n); }
extern "C" int launch_add(unsigned blocks, void* stream, void** a) {
  add<<<blocks, 0, stream>>>((GM_ADDR)a[0], 3);
  return 0;
}
)";

using BishengTest = CompilerTest;

TEST_F(BishengTest, MakesASharedObjectQuietly) {
  Write("k.asc", kKernel);
  const Outcome outcome = Bisheng("-shared -fPIC -O2 -std=c++17 k.asc -o libk.so");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_THAT(Read("libk.so"), StartsWith("\177ELF"));
  EXPECT_THAT(Read("libk.so"), HasSubstr("launch_add"));
  EXPECT_FALSE(LeftTemporaryFiles());
}

TEST_F(BishengTest, TakesTheLineOfAnOlderTool) {
  Write("k.cpp", kKernel);
  const Outcome outcome = Bisheng(
      "-O2 -std=c++17 -xasc -I/nowhere/include -Wno-macro-redefined -Wno-ignored-attributes "
      "-lruntime -lascendcl -lm -ltiling_api -lplatform -lc_sec -ldl -fPIC --shared k.cpp -o k.so");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, IsEmpty());
}

TEST_F(BishengTest, LinksObjectsOfSeveralSources) {
  Write("a.asc", kKernel);
  Write("b.asc", "#include \"kernels.h\"\nvoid b(void* s) { scale<float><<<1, nullptr, s>>>(nullptr, 2.0f); }\n");
  Write("kernels.h",
        "template <typename T> __global__ __vector__ __aicore__ void scale(__gm__ T* x, T by) { *x *= by; }\n");
  Write("main.cpp",
        "#include <acl/acl.h>\nextern \"C\" int launch_add(unsigned, void*, void**);\n"
        "int both() { return launch_add(1, nullptr, nullptr) + ACL_SUCCESS; }\n");
  EXPECT_EQ(Bisheng("-c -fPIC a.asc b.asc").output, "");
  EXPECT_TRUE(Exists("a.o") && Exists("b.o"));
  EXPECT_EQ(Bisheng("-c -fPIC main.cpp -o m.o").output, "");
  EXPECT_EQ(Bisheng("-shared a.o b.o m.o -o libone.so").output, "");
  EXPECT_EQ(Bisheng("-shared -fPIC a.asc b.asc main.cpp -o libtwo.so").output, "");
  EXPECT_TRUE(Exists("libone.so") && Exists("libtwo.so"));
}

TEST_F(BishengTest, MakesAStaticLibrary) {
  Write("a.asc", kKernel);
  EXPECT_EQ(Bisheng("-lib -fPIC a.asc -o liba.a").output, "");
  EXPECT_THAT(Read("liba.a"), StartsWith("!<arch>"));
  Write("b.cpp", "extern \"C\" int launch_add(unsigned, void*, void**); int b() { return launch_add(1, 0, 0); }");
  EXPECT_EQ(Bisheng("-shared -fPIC b.cpp -L. -la -o libb.so").output, "");
}

TEST_F(BishengTest, LinksDeviceCodeOfSeveralSources) {
  Write("compute.asc", "__aicore__ float Twice(float x) { return 2 * x; }\n");
  Write("kernel.asc",
        "__aicore__ float Twice(float x);\n"
        "__global__ __vector__ void k(__gm__ float* x) { *x = Twice(*x); }\n"
        "extern \"C\" void launch(void* s, float* x) { k<<<1, 0, s>>>(x); }\n");
  Write("main.cpp",
        "extern \"C\" void launch(void*, float*);\nint main(int n, char**) { if (n > 9) launch(nullptr, nullptr); }\n");
  EXPECT_EQ(Bisheng("-dc -fPIC compute.asc -o compute.o").output, "");
  EXPECT_EQ(Bisheng("-dc -fPIC kernel.asc -o kernel.o").output, "");
  EXPECT_EQ(Bisheng("-c main.cpp -o main.o").output, "");
  EXPECT_EQ(Bisheng("compute.o kernel.o main.o -o demo && ./demo").output, "");
  EXPECT_EQ(Bisheng("-shared compute.o kernel.o -o libboth.so").output, "");
  EXPECT_FALSE(LeftTemporaryFiles());
  const Outcome alone = Bisheng("kernel.o main.o -o alone");
  EXPECT_NE(alone.code, 0);
  EXPECT_THAT(alone.output, HasSubstr("undefined device function or variable 'Twice(float)'"));
  EXPECT_FALSE(Exists("alone"));
}

TEST_F(BishengTest, MakesAProgramOfHostCode) {
  Write("main.cpp", "#include <cstdio>\nint main() { std::puts(\"hello\"); }\n");
  EXPECT_EQ(Bisheng("main.cpp -o demo && ./demo").output, "hello\n");
}

TEST_F(BishengTest, FindsKernelsInHeadersOfTheAuthor) {
  Write("include/ops/kernel.h", "#pragma once\n__global__\n__aicore__ void k(GM_ADDR x) { *x = STEP; }\n");
  Write("src/local.h", "#define KERNEL extern \"C\" __global__ __aicore__\n");
  Write("src/k.asc",
        "#include \"local.h\"\n#include <ops/kernel.h>\nKERNEL void own(GM_ADDR x) { *x = 1; }\n"
        "void f() { k<<<1, 0, nullptr>>>(nullptr); own<<<1, 0, nullptr>>>(nullptr); }\n");
  EXPECT_EQ(Bisheng("-c -DSTEP=2 -I include src/k.asc -o k.o").output, "");
}

TEST_F(BishengTest, CompilesWhereverItIsStarted) {
  Write("real/k.asc", kKernel);
  EXPECT_EQ(Shell("ln -s real link && cd link && " KERNELSMITH_CANN_ROOT
                  "/x86_64-linux/ccec_compiler/bin/bisheng --npu-arch=dav-2201 -c ../link/./k.asc")
                .output,
            "");
  EXPECT_TRUE(Exists("real/k.o"));
}

TEST_F(BishengTest, KernelsMayBeLocalToTheirFile) {
  Write("k.asc", R"(
namespace { struct Tiling { int n; }; template <typename T> __global__ __aicore__ void k(GM_ADDR x, T t) { *x = t.n; } }
static __mix__(0, 1) __global__ __aicore__ void s(GM_ADDR x) { *x = 1; }
constexpr float kTable[3] = {1, 2, 3};
const int kOther[3] = {1, 2, 3};
extern "C" __global__ __aicore__ void t(GM_ADDR x, int i) { *x = kTable[i] + kOther[i]; }
void f() { k<<<1, 0>>>(nullptr, Tiling{1}); s<<<1>>>(nullptr); t<<<1, 0, nullptr>>>(nullptr, 1); }
)");
  EXPECT_EQ(Bisheng("-c k.asc").output, "");
}

// Names that published kernels use beside what the API's pages show.
TEST_F(BishengTest, NamesOfPublishedKernelsAreThere) {
  Write("k.asc", R"(
#include <algorithm>
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
using namespace std;
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x, uint32_t n) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 256);
  LocalTensor<int32_t> t = buffer.AllocTensor<int32_t>();
  ASCENDC_ASSERT(n > 0, { KERNEL_LOG(KERNEL_ERROR, "n is %u", n); });
  AscendCUtils::SetOverflow(1);
  Duplicate(t, static_cast<int32_t>(min(n, 3) + max(1, n) + std::min(1, 2)), 64);
  const uint32_t to[2] = {8, 8}, from[2] = {8, 1};
  Broadcast<int32_t, 2, 1>(t, t[32], to, from);
  using T = Conditional<true, int32_t, half>::type;
  static_assert(Std::is_same_v<T, Std::remove_volatile_t<volatile int32_t>>);
  buffer.FreeTensor(t);
}
uint32_t f(void* stream, void* x) {
  tiling::RmsNormTiling norm;
  uint32_t most = 0, least = 0, copy = 0;
  GetRmsNormTilingInfo(ge::Shape({2, 3, 16}), ge::Shape({2, 3, 16}), 1024, 4, norm);
  GetSortMaxMinTmpSize(ge::Shape({64}), ge::DT_FLOAT, ge::DT_UINT32, false, SortConfig{}, most, least);
  uint64_t bytes = 0;
  platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreMemBw(platform_ascendc::CoreMemType::HBM, bytes);
  k<<<1, 0>>>((GM_ADDR)x, 1);
  k<<<1>>>((GM_ADDR)x, max(1u, most));
  return memcpy_s(&copy, sizeof(copy), &least, sizeof(least)) + memset_s(&copy, 4, 0, 8) + norm.mainBshLength + norm.loopRound;
}
)");
  const Outcome outcome = Bisheng("-c k.asc");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
}

TEST_F(BishengTest, TheImageSaysHowItWasMade) {
  Write("k.asc", kKernel);
  struct Note {
    char name[12];
    uint32_t format, arch, flags;
    char version[16];
  };
  const auto note_of = [&](const std::string& options) {
    EXPECT_EQ(Bisheng("-c k.asc " + options).code, 0);
    const std::string object = Read("k.o");
    const size_t at = object.find(std::string("Kernelsmith\0", 12));
    Note note{};
    if (at != std::string::npos) std::memcpy(&note, object.data() + at, sizeof(note));
    return note;
  };
  const Note plain = note_of("");
  EXPECT_EQ(plain.format, 1u);
  EXPECT_EQ(plain.arch, 2201u);
  EXPECT_EQ(plain.flags, 1u);
  EXPECT_STREQ(plain.version, KERNELSMITH_VERSION);
  EXPECT_EQ(note_of("--cce-auto-sync=off").flags, 0u);
  EXPECT_EQ(note_of("--sanitizer -g").flags, 3u);
}

TEST_F(BishengTest, DeviceCodeSeesTheMacrosOfTheCardAndHostCodeDoesNot) {
  Write("k.asc", R"(
__global__ __aicore__ void k(GM_ADDR x) {
#if !defined(__NPU_ARCH__)
#elif __NPU_ARCH__ != 2201 || __CCE_AICORE__ != 220 || !defined(__DAV_C220_VEC__) || defined(ASCENDC_CPU_DEBUG)
  wrong
#endif
}
#if defined(__CUDA__) || defined(KSE_DEVICE_PASS) || __cplusplus != 201703L
#error foreign macros
#endif
int f() {
#ifndef __NPU_ARCH__
  return ASCENDC_DUMP + FROM_HEADER;
#else
  return 0;
#endif
}
)");
  Write("forced.h", "#define FROM_HEADER 1\nusing Address = GM_ADDR;\n");
  EXPECT_EQ(Bisheng("-c k.asc -DASCENDC_DUMP=0 -include forced.h").output, "");
}

TEST_F(BishengTest, WritesDependenciesOfTheAuthorsFiles) {
  Write("kernel.h", "__global__ __aicore__ void k() {}\n");
  Write("k.asc", "#include \"kernel.h\"\n");
  EXPECT_EQ(Bisheng("-c k.asc -MMD -MF k.d").output, "");
  EXPECT_THAT(Read("k.d"), HasSubstr("kernel.h"));
  EXPECT_THAT(Read("k.d"), Not(HasSubstr("bisheng")));
}

TEST_F(BishengTest, ChecksAndPreprocessesWithoutOutput) {
  Write("k.asc", kKernel);
  EXPECT_EQ(Bisheng("-fsyntax-only k.asc").output, "");
  EXPECT_THAT(Bisheng("-E k.asc").output, HasSubstr("launch_add"));
  EXPECT_FALSE(Exists("a.out") || Exists("k.o"));
}

TEST_F(BishengTest, WritesIntoADevice) {
  Write("k.asc", kKernel);
  EXPECT_EQ(Bisheng("-c k.asc -o /dev/null").output, "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(BishengTest, AnswersAboutItself) {
  EXPECT_THAT(Bisheng("--version").output, testing::AllOf(HasSubstr("emulated CANN"), HasSubstr("clang version 16")));
  EXPECT_THAT(Bisheng("-v").output, HasSubstr("clang version 16"));
  EXPECT_THAT(Bisheng("-print-targets").output, HasSubstr("hiipu64"));
  EXPECT_THAT(Bisheng("--help").output, HasSubstr("--npu-arch=dav-2201"));
  Write("k.asc", kKernel);
  EXPECT_THAT(Bisheng("-v -c k.asc").output, HasSubstr("-fcuda-is-device"));
}

}  // namespace
}  // namespace kernelsmith::emulator
