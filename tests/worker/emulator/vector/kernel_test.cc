// Kernels through the whole path: headers, bisheng, executor, operations library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/worker/emulator/device/kernel_run.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kRows[] = "../../vector/kernels/rows.asc";

TEST(VectorKernelTest, EveryCallOfTheHeadersCompilesAndRuns) {
  KernelRun run("../../vector/kernels/every_call.asc");
  auto* result = run.Allocate<int32_t>(8);
  run.Pass(result).Launch("_Z9EveryCallPh");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  for (const SeenFinding& finding : run.findings()) {
    EXPECT_FALSE(finding.error) << finding.operation << " in line " << finding.line << ": " << finding.text;
  }
  EXPECT_EQ(result[0], 32003);
}

TEST(VectorKernelTest, ScalesWithoutAShapeAreThoseOfTheColumns) {
  KernelRun run(kRows);
  auto* x = run.Allocate<int8_t>(128);
  auto* offset = run.Allocate<uint16_t>(64);
  auto* scale = run.Allocate<uint16_t>(64);
  auto* y = run.Allocate<uint16_t>(128);
  const auto half = [](float value) { return vector::FloatToHalf(value, vector::Rounding::kRint); };
  for (int i = 0; i < 128; ++i) x[i] = static_cast<int8_t>(i - 64);
  for (int i = 0; i < 64; ++i) {
    offset[i] = half(static_cast<float>(i));
    scale[i] = half(i % 2 == 0 ? 0.5f : 2.0f);
  }
  run.Pass(x).Pass(offset).Pass(scale).Pass(y).Launch("AntiQuantColumns");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 128; ++i) {
    const int column = i % 64;
    EXPECT_EQ(y[i], half(static_cast<float>(i - 64 + column) * (column % 2 == 0 ? 0.5f : 2.0f))) << i;
  }
}

TEST(VectorKernelTest, ASoftmaxOfRowsIsRight) {
  constexpr uint32_t kRowCount = 37;
  constexpr uint32_t kColumns = 512;
  KernelRun run(kRows);
  auto* x = run.Allocate<float>(kRowCount * kColumns);
  auto* y = run.Allocate<float>(kRowCount * kColumns);
  for (uint32_t i = 0; i < kRowCount * kColumns; ++i) x[i] = static_cast<float>(std::sin(i * 0.37) * 5);
  run.Pass(x).Pass(y).Pass(kRowCount).Pass(kColumns).Launch("Softmax", 8);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (uint32_t row = 0; row < kRowCount; ++row) {
    double sum = 0;
    for (uint32_t i = 0; i < kColumns; ++i) sum += std::exp(double{x[row * kColumns + i]});
    for (uint32_t i = 0; i < kColumns; ++i) {
      ASSERT_NEAR(y[row * kColumns + i], std::exp(double{x[row * kColumns + i]}) / sum, 1e-6);
    }
  }
}

TEST(VectorKernelTest, MasksComparisonsAndSelectionsOfHalfAreExact) {
  using vector::FloatToHalf;
  using vector::HalfToFloat;
  using vector::Rounding;
  KernelRun run(kRows);
  auto* x = run.Allocate<uint16_t>(1024);
  auto* y = run.Allocate<uint16_t>(1024);
  for (int i = 0; i < 1024; ++i) x[i] = FloatToHalf(static_cast<float>(i - 512) * 0.013f, Rounding::kRint);
  run.Pass(x).Pass(y).Launch("Bend");
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 1024; ++i) {
    const float value = HalfToFloat(x[i]);
    EXPECT_EQ(y[i], FloatToHalf(value > 1 ? value * value : -0.5f * value, Rounding::kRint)) << value;
  }
}

TEST(VectorKernelTest, UndefinedBytesAreReportedWhereTheyReachGlobalMemory) {
  KernelRun run(kRows);
  auto* y = run.Allocate<float>(64);
  run.Pass(y).Launch("Undefined");
  EXPECT_THAT(run.Errors(), Contains(Check::kUninitialized));
  EXPECT_EQ(run.Find(Check::kUninitialized).operation, "DataCopy");
}

// Output of a compilation that has to fail.
std::string Refusal(const std::string& body) {
  std::string folder = testing::TempDir() + "ks-vector-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/k.asc") << "#include \"kernel_operator.h\"\n"
                                      "extern \"C\" __global__ __aicore__ __vector__ void K() {\n"
                                      "  AscendC::LocalTensor<uint8_t> b; AscendC::LocalTensor<half> h;\n  "
                                   << body << "\n}\n";
  const std::string command = std::string("'") + KERNELSMITH_CANN_ROOT + "/bin/bisheng' -c --npu-arch=dav-2201 '" +
                              folder + "/k.asc' -o '" + folder + "/k.o' > '" + folder + "/log' 2>&1";
  EXPECT_NE(std::system(command.c_str()), 0) << body;
  std::ifstream log(folder + "/log");
  std::string text((std::istreambuf_iterator<char>(log)), {});
  std::filesystem::remove_all(folder);
  return text;
}

TEST(VectorKernelTest, UnsupportedTypesAreNamedByApiAndType) {
  const std::string add = Refusal("AscendC::Add(b, b, b, 32);");
  EXPECT_THAT(add, HasSubstr("Add: this element type is not supported on dav-2201"));
  EXPECT_THAT(add, HasSubstr("unsigned char"));
  EXPECT_THAT(Refusal("AscendC::Cast(b, b, AscendC::RoundMode::CAST_NONE, 32);"),
              HasSubstr("Cast: this pair of element types is not supported on dav-2201"));
}

TEST(VectorKernelTest, MissingFunctionsFailByTheirName) {
  EXPECT_THAT(Refusal("AscendC::Neg(h, h, 32);"), HasSubstr("'Neg'"));
  EXPECT_THAT(Refusal("AscendC::SoftmaxFlashV2(h, h, 32);"), HasSubstr("'SoftmaxFlashV2'"));
}

TEST(VectorKernelTest, ScalarsHaveTheTypeOfTheTensor) {
  EXPECT_THAT(Refusal("AscendC::Adds(h, h, 1.0f, 32);"), HasSubstr("no matching function"));
}

}  // namespace
}  // namespace kernelsmith::emulator
