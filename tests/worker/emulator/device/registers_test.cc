#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/worker/emulator/device/kernel_run.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kFile[] = "registers.asc";

TEST(RegistersTest, DequantisationFillsTheHalfOfABlockThatWasAskedFor) {
  KernelRun run(kFile);
  auto* in = run.Allocate<int16_t>(256);
  auto* one = run.Allocate<int8_t>(512);
  auto* sixteen = run.Allocate<int8_t>(512);
  auto* bytes = run.Allocate<uint8_t>(512);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<int16_t>(i * 3 - 390);
  run.Pass(in).Pass(one).Pass(sixteen).Pass(bytes).Launch("Dequantises");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  const auto narrow = [](double value, double low, double high) { return std::clamp(value, low, high); };
  for (int i = 0; i < 256; ++i) {
    const int lane = i % 16;
    const int at = i / 16 * 32 + lane;
    EXPECT_EQ(one[at], narrow(std::nearbyint(in[i] * 0.5) - 3, -128, 127)) << i;
    EXPECT_EQ(one[at + 16], one[at]) << i;
    EXPECT_EQ(sixteen[at], 0) << i;
    EXPECT_EQ(sixteen[at + 16], narrow(in[i] * (1 + lane) + lane, -128, 127)) << i;
    EXPECT_EQ(bytes[at + 16], narrow(in[i], 0, 255)) << i;
  }
}

TEST(RegistersTest, TheKindOfResultHasToBeTheOneThatWasSet) {
  KernelRun run(kFile);
  run.Launch("WrongSign");
  EXPECT_THAT(run.Find(Check::kArgument).text, HasSubstr("asked for signed results, and the destination is uint8_t"));
}

TEST(RegistersTest, SelectTakesScalarAndBitsFromTheCompareRegister) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(128);
  auto* out = run.Allocate<float>(256);
  for (int i = 0; i < 128; ++i) in[i] = static_cast<float>(i * 37 % 100);
  run.Pass(in).Pass(out).Launch("Selects");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(out[i], in[i] >= 50 ? in[i] : -1) << i;
    if (in[i] >= 50) {
      EXPECT_EQ(out[128 + i], in[i]) << i;
    }
  }
}

TEST(RegistersTest, SettingsAreReadAsTheyWereSet) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int32_t>(8);
  run.Pass(out).Launch("Configures");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<int32_t>(out, out + 8), ElementsAre(2, 0, 0, 1, 1, 0, 8 + 63 + 3, 1));
}

TEST(RegistersTest, AsyncRunsWhatIsForVectorCores) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int32_t>(1);
  run.Pass(out).Launch("Asyncs");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(*out, 1);
}

TEST(RegistersTest, DumpsTakeAddressesOfEveryMemory) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(8);
  for (int i = 0; i < 8; ++i) in[i] = static_cast<float>(i) + 0.5F;
  run.Pass(in).Launch("Dumps");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.console(), AllOf(HasSubstr("desc=11"), HasSubstr("0.5"), HasSubstr("3.5"), HasSubstr("position=GM")));
  EXPECT_THAT(run.console(), AllOf(HasSubstr("desc=12"), HasSubstr("[5, 5, 5]"), HasSubstr("position=UB")));
  EXPECT_THAT(run.console(), Not(HasSubstr("descId is 13"))) << "without -DASCENDC_TIME_STAMP_ON";
}

TEST(RegistersTest, DefaultConfigurationsMayBeSpelledOut) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(64);
  auto* out = run.Allocate<float>(64);
  for (int i = 0; i < 64; ++i) in[i] = 0.1F * static_cast<float>(i + 1);
  run.Pass(in).Pass(out).Launch("Configurations");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  for (int i = 0; i < 64; ++i) EXPECT_NEAR(out[i], std::sin(1.0), 1e-5) << i;
}

TEST(RegistersTest, InterpolationWeighsAndAddsBlocks) {
  KernelRun run(kFile);
  auto* x = run.Allocate<uint16_t>(512);
  auto* weights = run.Allocate<uint16_t>(32);
  auto* offsets = run.Allocate<uint32_t>(32);
  auto* out = run.Allocate<uint16_t>(512);
  const auto bits = [](double value) {
    return vector::FloatToHalf(static_cast<float>(value), vector::Rounding::kRint);
  };
  for (int i = 0; i < 512; ++i) x[i] = bits(i + 1);
  for (int i = 0; i < 32; ++i) weights[i] = bits(i + 2);
  for (uint32_t i = 0; i < 32; ++i) offsets[i] = 32 * i;
  run.Pass(x).Pass(weights).Pass(offsets).Pass(out).Launch("Interpolates");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  const auto product = [&](int element, int weight) {
    return vector::HalfToFloat(bits(static_cast<double>(element + 1) * (weight + 2)));
  };
  for (int v = 0; v < 2; ++v) {
    for (int i = 0; i < 128; ++i) {
      const int first = v * 256 + i;
      EXPECT_EQ(out[v * 128 + i], bits(product(first, 2 * v) + product(first + 128, 2 * v + 1))) << v << " " << i;
      EXPECT_EQ(out[256 + v * 128 + i], bits(product(first, first / 16) + product(first + 128, first / 16 + 8)))
          << v << " " << i;
    }
  }
}

TEST(RegistersTest, InstructionsWorkUnderTheNamesOfTheCompiler) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(256);
  auto* out = run.Allocate<float>(64);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i % 7);
  run.Pass(in).Pass(out).Launch("Intrinsics");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  const auto sum = [&](int from, int n) { return std::accumulate(in + from, in + from + n, 0.0F); };
  EXPECT_EQ(out[8], sum(0, 256));
  EXPECT_EQ(out[9], sum(64, 10));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i], sum(64 * i, 64)) << i;
    EXPECT_EQ(out[32 + i], out[i]) << "copied";
  }
  EXPECT_EQ(out[4], 7) << "what vector_dup left";
  EXPECT_EQ(out[48], 7) << "the second block lies one further";
}

}  // namespace
}  // namespace kernelsmith::emulator
