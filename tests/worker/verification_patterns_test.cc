// Patterns of wrong elements, and conversions of half types.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "worker/verification/half.h"
#include "worker/verification/patterns.h"

namespace kernelsmith::worker {
namespace {

struct PatternCase {
  const char* name;
  std::vector<int64_t> shape;
  bool (*wrong)(int64_t);
  const char* text;
};

TEST(PatternTest, NamesTheRegionThatIsWrong) {
  const PatternCase cases[] = {
      {"all", {10000}, [](int64_t) { return true; }, "all elements"},
      {"tail", {10000}, [](int64_t i) { return i >= 8192; }, "only the tail after 8192"},
      {"head", {10000}, [](int64_t i) { return i < 8; }, "only the first 8 elements"},
      {"middle", {10000}, [](int64_t i) { return i >= 50 && i < 60; }, "only elements 50 to 59"},
      {"one", {100, 100}, [](int64_t i) { return i == 1234; }, "only element 1234"},
      {"rows on", {100, 100}, [](int64_t i) { return i >= 1700; }, "every row from 17"},
      {"one row", {100, 100}, [](int64_t i) { return i / 100 == 3; }, "only row 3"},
      {"rows between", {100, 100}, [](int64_t i) { return i / 100 == 3 || i / 100 == 4; }, "rows 3 to 4"},
      {"odd rows", {100, 100}, [](int64_t i) { return i / 100 % 2 == 1; }, "50 of 100 rows, the first is 1"},
      {"column", {100, 100}, [](int64_t i) { return i % 100 == 0; }, "column 0 of every row"},
      {"row tails", {64, 100}, [](int64_t i) { return i % 100 >= 96; }, "the columns after 96 of every row"},
      {"columns", {64, 100}, [](int64_t i) { return i % 100 >= 8 && i % 100 < 16; }, "columns 8 to 15 of every row"},
      {"lanes", {64, 128}, [](int64_t i) { return i % 8 == 3; }, "every 8th column from 3 of every row"},
      {"column of some rows",
       {64, 100},
       [](int64_t i) { return i / 100 >= 60 && i % 100 == 5; },
       "column 5 of rows 60 to 63"},
      {"stride", {1000}, [](int64_t i) { return i % 4 == 1; }, "every 4th element from 1"},
      {"scattered",
       {1000},
       [](int64_t i) { return i == 3 || i == 500 || i == 777; },
       "scattered, 0.3 % of all elements between 3 and 777"},
  };
  for (const PatternCase& entry : cases) {
    WrongElements elements{entry.shape, {}, {}};
    int64_t total = 1;
    for (const int64_t extent : entry.shape) total *= extent;
    for (int64_t i = 0; i < total; ++i) elements.wrong.push_back(entry.wrong(i) ? 1 : 0);
    // Values without a pattern of their own.
    EXPECT_EQ(DescribePattern(
                  elements, [](int64_t i) { return std::sin(static_cast<double>(i * i)) + 3; },
                  [](int64_t i) { return std::cos(static_cast<double>(3 * i * i + 1)) - 4; }),
              entry.text)
        << entry.name;
  }
}

TEST(PatternTest, NamesWhatTheValuesHaveInCommon) {
  const auto want = [](int64_t i) { return std::sin(static_cast<double>(i)) + 2; };
  WrongElements elements{{100}, std::vector<uint8_t>(100, 1), {}};
  EXPECT_EQ(DescribePattern(
                elements, [](int64_t) { return 0.0; }, want),
            "all elements; the values are zero");
  EXPECT_EQ(DescribePattern(
                elements, [&](int64_t i) { return want(i) * 0.5; }, want),
            "all elements; the values are 0.5 times the expected ones");
  elements.wrong[0] = 0;
  EXPECT_EQ(DescribePattern(
                elements, [&](int64_t i) { return want(i - 1); }, want),
            "only the tail after 1; the values are those expected one element earlier");
}

TEST(PatternTest, NamesWhatWasNotWritten) {
  const auto value = [](int64_t i) { return static_cast<double>(i); };
  WrongElements elements{{10, 10}, std::vector<uint8_t>(100, 0), std::vector<uint8_t>(100, 0)};
  for (int i = 60; i < 100; ++i) elements.wrong[i] = elements.poison[i] = 1;
  EXPECT_EQ(DescribePattern(elements, value, value), "still poison from element 60: not written");
  std::fill(elements.wrong.begin(), elements.wrong.end(), 0);
  std::fill(elements.poison.begin(), elements.poison.end(), 0);
  for (int i = 9; i < 100; i += 10) elements.wrong[i] = elements.poison[i] = 1;
  EXPECT_EQ(DescribePattern(elements, value, value), "still poison in column 9 of every row: not written");
}

TEST(PatternTest, MultiIndexIsRowMajor) {
  EXPECT_EQ(MultiIndex(23, {2, 3, 4}), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(MultiIndex(0, {}).empty());
}

TEST(HalfTest, EveryFp16ValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = FloatFromFp16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(Fp16FromFloat(value), bits) << bits;
  }
  EXPECT_EQ(FloatFromFp16(0x3c00), 1.0f);
  EXPECT_EQ(FloatFromFp16(0x0001), std::ldexp(1.0f, -24));
  EXPECT_TRUE(std::isinf(FloatFromFp16(0x7c00)));
  EXPECT_TRUE(std::isnan(FloatFromFp16(0x7e00)));
  EXPECT_EQ(Fp16FromFloat(65520.0f), 0x7c00);  // rounds to infinity
}

TEST(HalfTest, EveryBf16ValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = FloatFromBf16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(Bf16FromFloat(value), bits) << bits;
  }
  EXPECT_EQ(FloatFromBf16(0x3f80), 1.0f);
}

}  // namespace
}  // namespace kernelsmith::worker
