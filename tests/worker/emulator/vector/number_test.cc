// Conversions between number formats against rules worked out in double precision.
#include "worker/emulator/device/vector/number.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace kernelsmith::emulator::vector {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(NumberTest, EveryHalfSurvivesTheWayToFloatAndBackInEveryMode) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if ((half & 0x7fff) > 0x7c00) continue;  // NaN
    for (int mode = 0; mode <= static_cast<int>(Rounding::kOdd); ++mode) {
      EXPECT_EQ(FloatToHalf(HalfToFloat(half), static_cast<Rounding>(mode)), half);
    }
  }
}

TEST(NumberTest, FloatToHalfFollowsTheRoundingMode) {
  struct Case {
    float value;
    uint16_t rint, floor, ceil, round, trunc, odd;
  };
  // 0x3800 = 0.5, next 0.5 + 2^-11. Halves of that unit, of the subnormal unit 2^-24, and the end of the range.
  const Case cases[] = {
      {0.5f + 0x1p-12f, 0x3800, 0x3800, 0x3801, 0x3801, 0x3800, 0x3801},
      {-(0.5f + 0x1p-12f), 0xb800, 0xb801, 0xb800, 0xb801, 0xb800, 0xb801},
      {0.5f + 3 * 0x1p-12f, 0x3802, 0x3801, 0x3802, 0x3802, 0x3801, 0x3801},
      {0.5f + 0x1p-13f, 0x3800, 0x3800, 0x3801, 0x3800, 0x3800, 0x3801},
      {0x1p-25f, 0x0000, 0x0000, 0x0001, 0x0001, 0x0000, 0x0001},
      {3 * 0x1p-25f, 0x0002, 0x0001, 0x0002, 0x0002, 0x0001, 0x0001},
      {0x1p-40f, 0x0000, 0x0000, 0x0001, 0x0000, 0x0000, 0x0001},
      {-0x1p-40f, 0x8000, 0x8001, 0x8000, 0x8000, 0x8000, 0x8001},
      {65519.0f, 0x7bff, 0x7bff, 0x7c00, 0x7bff, 0x7bff, 0x7bff},
      {65520.0f, 0x7c00, 0x7bff, 0x7c00, 0x7c00, 0x7bff, 0x7bff},
      {1e6f, 0x7c00, 0x7c00, 0x7c00, 0x7c00, 0x7c00, 0x7c00},
      {kInf, 0x7c00, 0x7c00, 0x7c00, 0x7c00, 0x7c00, 0x7c00},
      {-0.0f, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kRint), c.rint) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kNone), c.rint) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kFloor), c.floor) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kCeil), c.ceil) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kRound), c.round) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kTrunc), c.trunc) << c.value;
    EXPECT_EQ(FloatToHalf(c.value, Rounding::kOdd), c.odd) << c.value;
  }
  EXPECT_EQ(FloatToHalf(NAN, Rounding::kRint) & 0x7e00, 0x7e00);
}

TEST(NumberTest, FloatToBfloat16FollowsTheExampleOfTheDocumentation) {
  const float value = 0.5f + 0x1p-9f + 0x1p-11f;
  EXPECT_EQ(FloatToBfloat16(value, Rounding::kRint), 0x3f01);
  EXPECT_EQ(FloatToBfloat16(value, Rounding::kFloor), 0x3f00);
  EXPECT_EQ(FloatToBfloat16(value, Rounding::kCeil), 0x3f01);
  EXPECT_EQ(FloatToBfloat16(value, Rounding::kRound), 0x3f01);
  EXPECT_EQ(FloatToBfloat16(value, Rounding::kTrunc), 0x3f00);
}

TEST(NumberTest, RoundToIntegralFollowsTheMode) {
  struct Case {
    float value, rint, floor, ceil, round, trunc;
  };
  const Case cases[] = {{0.5f, 0, 0, 1, 1, 0},
                        {1.5f, 2, 1, 2, 2, 1},
                        {2.5f, 2, 2, 3, 3, 2},
                        {-0.5f, -0.0f, -1, -0.0f, -1, -0.0f},
                        {-1.5f, -2, -2, -1, -2, -1},
                        {0.49999997f, 0, 0, 1, 0, 0},
                        {4194304.5f, 4194304, 4194304, 4194305, 4194305, 4194304}};
  for (const Case& c : cases) {
    EXPECT_EQ(RoundToIntegral(c.value, Rounding::kRint), c.rint) << c.value;
    EXPECT_EQ(RoundToIntegral(c.value, Rounding::kFloor), c.floor) << c.value;
    EXPECT_EQ(RoundToIntegral(c.value, Rounding::kCeil), c.ceil) << c.value;
    EXPECT_EQ(RoundToIntegral(c.value, Rounding::kRound), c.round) << c.value;
    EXPECT_EQ(RoundToIntegral(c.value, Rounding::kTrunc), c.trunc) << c.value;
  }
  EXPECT_EQ(RoundToIntegral(2.25f, Rounding::kOdd), 3);
  EXPECT_EQ(RoundToIntegral(3.25f, Rounding::kOdd), 3);
}

TEST(NumberTest, FloatToIntegerSaturatesOrKeepsTheLowBits) {
  EXPECT_EQ(FloatToInteger<int16_t>(40000.0f, true), 32767);
  EXPECT_EQ(FloatToInteger<int16_t>(-40000.0f, true), -32768);
  EXPECT_EQ(FloatToInteger<int16_t>(40000.0f, false), static_cast<int16_t>(40000));
  EXPECT_EQ(FloatToInteger<uint8_t>(-3.0f, true), 0);
  EXPECT_EQ(FloatToInteger<int32_t>(3e9f, true), INT32_MAX);
  EXPECT_EQ(FloatToInteger<int32_t>(-0x1p31f, true), INT32_MIN);
  EXPECT_EQ(FloatToInteger<int64_t>(1e30f, true), INT64_MAX);
  EXPECT_EQ(FloatToInteger<int32_t>(NAN, true), 0);
  EXPECT_EQ(FloatToInteger<int32_t>(-kInf, true), INT32_MIN);
}

TEST(NumberTest, IntegerToFloatFollowsTheExamplesOfTheDocumentation) {
  const int32_t value = (1 << 25) + 3;
  EXPECT_EQ(IntegerToFloat(value, Rounding::kRint), 0x1p25f + 4);
  EXPECT_EQ(IntegerToFloat(value, Rounding::kFloor), 0x1p25f);
  EXPECT_EQ(IntegerToFloat(value, Rounding::kCeil), 0x1p25f + 4);
  EXPECT_EQ(IntegerToFloat(value, Rounding::kTrunc), 0x1p25f);
  const int64_t wide = (int64_t{1} << 35) + (1 << 12) + (1 << 11);
  EXPECT_EQ(IntegerToFloat(wide, Rounding::kRint), 0x1p35f + 0x1p13f);
  EXPECT_EQ(IntegerToFloat(wide, Rounding::kFloor), 0x1p35f + 0x1p12f);
  EXPECT_EQ(IntegerToFloat(-wide, Rounding::kFloor), -(0x1p35f + 0x1p13f));
  EXPECT_EQ(IntegerToFloat(INT64_MIN, Rounding::kRint), -0x1p63f);
  EXPECT_EQ(IntegerToFloat(INT32_MAX, Rounding::kRint), 0x1p31f);
}

TEST(NumberTest, NarrowIntegerSaturatesOrKeepsTheLowBits) {
  EXPECT_EQ((NarrowInteger<int16_t>(INT32_MAX, true)), 32767);
  EXPECT_EQ((NarrowInteger<int16_t>(-40000, true)), -32768);
  EXPECT_EQ((NarrowInteger<int16_t>(65537, false)), 1);
  EXPECT_EQ((NarrowInteger<int32_t>(int64_t{1} << 31, true)), INT32_MAX);
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
