// Arguments on their way from a launch to a kernel: sizes are all that travels beside the values, whatever the types.
// This process stands for the runtime: it receives the image and the launch from the library's own code, loads the
// image and calls the kernel as the executor does.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/driver/compiler.h"
#include "worker/emulator/device/call_kernel.h"
#include "worker/emulator/runtime/kse.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::string image;
std::map<const void*, std::string> kernels;
std::string image_file;
std::vector<double> recorded;
uint32_t blocks = 0;
void* stream = nullptr;
std::vector<uint32_t> sizes;

int CallOnDevice(const void* stub, const kse_argument* arguments, uint32_t n) {
  std::ofstream(image_file, std::ios::binary) << image;
  void* library = dlopen(image_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) ADD_FAILURE() << dlerror();
  void* kernel = library == nullptr ? nullptr : dlsym(library, kernels.at(stub).c_str());
  if (kernel == nullptr) {
    ADD_FAILURE() << "no kernel " << kernels.at(stub);
    return 1;
  }
  std::vector<KernelArgument> values;
  sizes.clear();
  for (uint32_t i = 0; i < n; ++i) {
    values.push_back({arguments[i].value, arguments[i].size});
    sizes.push_back(arguments[i].size);
  }
  recorded.clear();
  CallKernel(kernel, values);
  dlclose(library);
  return 0;
}

}  // namespace
}  // namespace kernelsmith::emulator

namespace emulator = kernelsmith::emulator;

extern "C" {

void* kseRegisterImage(const void* elf, size_t bytes) {
  emulator::image.assign(static_cast<const char*>(elf), bytes);
  return &emulator::image;
}
void kseRegisterKernel(void* image, const void* stub, const char* name) {
  EXPECT_EQ(image, &emulator::image);
  emulator::kernels[stub] = name;
}
int kseLaunch(const void* stub, uint32_t blocks, void* stream, const kse_argument* arguments, uint32_t n) {
  emulator::blocks = blocks;
  emulator::stream = stream;
  return emulator::CallOnDevice(stub, arguments, n);
}

// What a device image calls.
void kse_record(double value) { emulator::recorded.push_back(value); }
void __sanitizer_cov_trace_pc() {}
#define ACCESS(name) \
  void name(uintptr_t) {}
ACCESS(__asan_load1)
ACCESS(__asan_load2)
ACCESS(__asan_load4)
ACCESS(__asan_load8)
ACCESS(__asan_load16)
ACCESS(__asan_store1)
ACCESS(__asan_store2)
ACCESS(__asan_store4)
ACCESS(__asan_store8)
ACCESS(__asan_store16)
void __asan_loadN(uintptr_t, size_t) {}
void __asan_storeN(uintptr_t, size_t) {}
void __asan_handle_no_return() {}
}

namespace kernelsmith::emulator {
namespace {

constexpr char kPrelude[] = R"(
#include <cstdint>
#include <initializer_list>
extern "C" __aicore__ void kse_record(double value);
)";

class KernelArguments : public CompilerTest {
 protected:
  // Compiles `source` with a function `void run(void* stream)` that launches, and calls it.
  void RunSource(const std::string& source, const std::string& options = "") {
    Write("k.asc", kPrelude + source);
    // A new name each time: the loader would hand out again what it has loaded under an old one.
    const std::string number = std::to_string(++libraries_);
    const Outcome outcome = Bisheng("-shared -fPIC k.asc -o libk" + number + ".so " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    image_file = folder_ + "/image" + number + ".so";
    void* library = dlopen((folder_ + "/libk" + number + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto run = reinterpret_cast<void (*)(void*)>(dlsym(library, "run"));
    ASSERT_NE(run, nullptr);
    int on_stream = 0;
    run(&on_stream);
    EXPECT_EQ(stream, &on_stream);
    dlclose(library);
  }

 private:
  int libraries_ = 0;
};

TEST_F(KernelArguments, ScalarsOfEveryKind) {
  RunSource(R"(
extern "C" __global__ __aicore__ void k(int8_t a, uint16_t b, int32_t c, int64_t d, float e, double f, half g, bool h,
                                        int32_t* p) {
  for (double x : {double(a), double(b), double(c), double(d), double(e), f, double(float(g)), double(h), double(*p)}) kse_record(x);
}
extern "C" void run(void* s) {
  static int32_t pointed = 77;
  k<<<3, 0, s>>>(-1, 65535, -100000, -(1ll << 40), 0.5f, 1e300, half(-1.5), true, &pointed);
}
)");
  EXPECT_EQ(blocks, 3u);
  EXPECT_THAT(sizes, ElementsAre(1, 2, 4, 8, 4, 8, 2, 1, 8));
  EXPECT_THAT(recorded, ElementsAre(-1, 65535, -100000, -1099511627776.0, 0.5, 1e300, -1.5, 1, 77));
}

TEST_F(KernelArguments, FloatsInEveryPlace) {
  RunSource(R"(
extern "C" __global__ __aicore__ void k(float a, half b, double c, float d, half e, float f, double g, half h, float i, half j) {
  for (double x : {double(a), double(float(b)), c, double(d), double(float(e)), double(f), g, double(float(h)), double(i),
                   double(float(j))}) kse_record(x);
}
extern "C" void run(void* s) { k<<<1, 0, s>>>(1, half(2), 3, 4, half(5), 6, 7, half(8), 9, half(10)); }
)");
  EXPECT_THAT(recorded, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(KernelArguments, StructuresOfEverySize) {
  RunSource(R"(
struct S1 { uint8_t a; };
struct S3 { uint8_t a[3]; };
struct S4 { uint16_t a, b; };
struct S8 { float a; int32_t b; };
struct S12 { int32_t a, b, c; };
struct S16 { double a, b; };
struct S24 { int64_t a; float b; half c; S4 d; };
struct S400 { int32_t a[100]; };
extern "C" __global__ __aicore__ void k(S1 a, S3 b, S4 c, S8 d, S12 e, S16 f, S24 g, S400 h, S4 i) {
  for (double x : {double(a.a), double(b.a[2]), double(c.b), double(d.a), double(d.b), double(e.c), f.a, f.b, double(g.a),
                   double(g.b), double(float(g.c)), double(g.d.b), double(h.a[99]), double(i.a)}) kse_record(x);
}
extern "C" void run(void* s) {
  S400 big{};
  big.a[99] = 12;
  k<<<1, nullptr, s>>>({1}, {{0, 0, 2}}, {0, 3}, {4.5f, -5}, {0, 0, 6}, {7.25, 8.25}, {9, 10.5f, half(11), {0, 13}}, big, {14, 0});
}
)");
  EXPECT_THAT(sizes, ElementsAre(1, 3, 4, 8, 12, 16, 24, 400, 4));
  EXPECT_THAT(recorded, ElementsAre(1, 2, 3, 4.5, -5, 6, 7.25, 8.25, 9, 10.5, 11, 13, 12, 14));
}

TEST_F(KernelArguments, AnyNumberOfThem) {
  for (const int n : {0, 1, 4, 5, 8, 9, 20}) {
    std::string parameters, sum, values;
    std::vector<double> expected;
    for (int i = 0; i < n; ++i) {
      const std::string number = std::to_string(i);
      parameters += (i ? ", " : "") + std::string(i % 3 == 0 ? "int a" : i % 3 == 1 ? "float a" : "S a") + number;
      sum += "  kse_record(" + std::string(i % 3 == 2 ? "a" + number + ".v[2]" : "a" + number) + ");\n";
      values += (i ? ", " : "") + (i % 3 == 2 ? "{{0, 0, " + number + "}}" : number);
      expected.push_back(i);
    }
    RunSource("struct S { double v[3]; };\nextern \"C\" __global__ __aicore__ void k(" + parameters + ") {\n" + sum +
              "}\nextern \"C\" void run(void* s) { k<<<1, 0, s>>>(" + values + "); }\n");
    EXPECT_THAT(recorded, ElementsAreArray(expected)) << n;
  }
}

TEST_F(KernelArguments, WithoutOptimisationAndWithDebugInformation) {
  RunSource(R"(
struct S12 { int32_t a, b, c; };
extern "C" __global__ __aicore__ void k(half a, S12 b, float c, bool d, double e) {
  for (double x : {double(float(a)), double(b.c), double(c), double(d), e}) kse_record(x);
}
extern "C" void run(void* s) { k<<<1, 0, s>>>(half(1), {0, 0, 2}, 3, true, 5); }
)",
            "-O0 -g");
  EXPECT_THAT(recorded, ElementsAre(1, 2, 3, 1, 5));
}

TEST_F(KernelArguments, OfTemplatesLocalKernelsAndKernelsInNamespaces) {
  RunSource(R"(
namespace {
struct Local { float v; };
template <typename T, int kStep> __global__ __vector__ __aicore__ void k(T x, __gm__ const float* p) { kse_record(double(x.v) + kStep + *p); }
}
namespace ops { __global__ __aicore__ void k(int n) { kse_record(n); } }
static __mix__(0, 1) __global__ void s(int n) { kse_record(n); }
extern "C" void run(void* stream) {
  static const float one = 1;
  k<Local, 10><<<1, 0, stream>>>({0.5f}, &one);
  ops::k<<<1, 0, stream>>>(2);
  s<<<1, 0, stream>>>(3);
}
)");
  EXPECT_THAT(recorded, ElementsAre(3));
  EXPECT_THAT(sizes, ElementsAre(4));
}

TEST_F(KernelArguments, TablesOfConstantsAreThere) {
  RunSource(R"(
constexpr float kTable[4] = {1, 2, 3, 4};
const int32_t kOther[2] = {5, 6};
struct Names { static constexpr double kPi = 3.25; };
extern "C" __global__ __aicore__ void k(int i) {
  const double local[3] = {7, 8, 9};
  kse_record(kTable[i]); kse_record(kOther[i - 1]); kse_record(Names::kPi); kse_record(local[i]);
}
extern "C" void run(void* s) { k<<<1, 0, s>>>(2); }
)");
  EXPECT_THAT(recorded, ElementsAre(3, 6, 3.25, 9));
}

}  // namespace
}  // namespace kernelsmith::emulator
