// Reductions along axes, running sums, the largest of rows, changes of shape.
#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/library/library_fixture.h"

namespace kernelsmith::emulator::library {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;

class OrderTest : public LibraryFixture {
 protected:
  static std::vector<float> Ramp(size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }
  kse_tensor Words(uint64_t address, size_t n) {
    std::vector<uint16_t> values(n);
    std::iota(values.begin(), values.end(), uint16_t{0});
    return Put<uint16_t>(address, KSE_UINT16, values);
  }
};

TEST_F(OrderTest, EveryReductionAlongEitherAxis) {
  const kse_tensor x = Floats(0, {1, -2, 3, 4, 0, 0, 0, 0, 5, 6, -7, 0, 0, 0, 0, 0});  // two rows of four
  const kse_tensor y = Room(256, 8);
  const struct {
    kse_library_operation operation;
    std::vector<float> rows, columns;
  } kTable[] = {{KSE_LIB_REDUCE_SUM, {6, 4}, {6, 4, -4, 4}},       {KSE_LIB_REDUCE_MEAN, {1.5f, 1}, {3, 2, -2, 2}},
                {KSE_LIB_REDUCE_MAX, {4, 6}, {5, 6, 3, 4}},        {KSE_LIB_REDUCE_MIN, {-2, -7}, {1, -2, -7, 0}},
                {KSE_LIB_REDUCE_PROD, {-24, 0}, {5, -12, -21, 0}}, {KSE_LIB_REDUCE_ANY, {1, 1}, {1, 1, 1, 1}},
                {KSE_LIB_REDUCE_ALL, {1, 0}, {1, 1, 1, 0}}};
  for (const auto& row : kTable) {
    Call(row.operation, {&y}, {&x}, {2, 4});
    EXPECT_THAT(Numbers(y, 2), ElementsAreArray(row.rows)) << row.operation;
    Call(row.operation, {&y}, {&x}, {2, 4}, KSE_ALONG_ROWS);
    EXPECT_THAT(Numbers(y, 4), ElementsAreArray(row.columns)) << row.operation;
  }
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(OrderTest, XorSumsSaturate) {
  const kse_tensor a = Put<int16_t>(0, KSE_INT16, {3, 5, 30000, 30000});
  const kse_tensor b = Put<int16_t>(32, KSE_INT16, {5, 5, 0, 0});
  const kse_tensor y = Tensor(64, KSE_INT16, 2);
  Call(KSE_LIB_XOR_SUM, {&y}, {&a, &b}, {2});
  EXPECT_EQ(Get<int16_t>(y, 1)[0], 6);
  Call(KSE_LIB_XOR_SUM, {&y}, {&a, &b}, {4});
  EXPECT_EQ(Get<int16_t>(y, 1)[0], 32767);
}

TEST_F(OrderTest, RunningSumsAlongEitherAxis) {
  const kse_tensor x = Floats(0, Ramp(16));  // two rows of eight
  const kse_tensor y = Room(64, 16);
  const kse_tensor last = Room(128, 8);
  Call(KSE_LIB_CUMSUM, {&y, &last}, {&x}, {2, 8});
  EXPECT_THAT(Numbers(y, 10), ElementsAre(0, 1, 3, 6, 10, 15, 21, 28, 8, 17));
  EXPECT_THAT(Numbers(last, 2), ElementsAre(28, 92));
  Call(KSE_LIB_CUMSUM, {&y, &last}, {&x}, {2, 8}, KSE_ALONG_ROWS);
  EXPECT_THAT(Numbers(y, 10), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 10));
  EXPECT_THAT(Numbers(last, 8), ElementsAre(8, 10, 12, 14, 16, 18, 20, 22));
}

class TopKTest : public OrderTest {
 protected:
  TopKTest() {
    std::vector<float> values(64, -100);
    const std::vector<float> first = {3, 9, 1, 9, NAN, 2, 7, -4};
    std::copy(first.begin(), first.end(), values.begin());
    for (int i = 0; i < 8; ++i) values[32 + i] = static_cast<float>(10 - i);
    x = Floats(0, values);
  }

  kse_tensor x;
  kse_tensor y = Room(512, 16);
  kse_tensor at = Tensor(1024, KSE_INT32, 64);
};

TEST_F(TopKTest, LargestComeFirstAndEqualOnesKeepTheirOrder) {
  Call(KSE_LIB_TOP_K, {&y, &at}, {&x}, {2, 32, 8, 3, 8, 8});
  EXPECT_TRUE(std::isnan(Numbers(y, 1)[0]));
  EXPECT_EQ(Numbers(y, 3)[1], 9);
  EXPECT_THAT(Get<int32_t>(at, 3), ElementsAre(4, 1, 3));
  const std::vector<float> got = Numbers(y, 11);
  EXPECT_THAT(std::vector<float>(got.begin() + 8, got.end()), ElementsAre(10, 9, 8));
}

TEST_F(TopKTest, SmallestAndGivenIndices) {
  std::vector<int32_t> numbers(32);
  std::iota(numbers.begin(), numbers.end(), 100);
  const kse_tensor indices = Put<int32_t>(2048, KSE_INT32, numbers);
  const kse_tensor finished = Put<uint8_t>(4096, KSE_UINT8, {0, 1});
  Call(KSE_LIB_TOP_K, {&y, &at}, {&x, &indices, &finished}, {2, 32, 8, 3, 8, 8}, KSE_SMALLEST);
  EXPECT_THAT(Get<int32_t>(at, 3), ElementsAre(104, 107, 102));
  const std::vector<int32_t> got = Get<int32_t>(at, 11);
  EXPECT_EQ(got[8], 8);  // a finished row: the index that is none
}

TEST_F(TopKTest, MoreThanThereAreIsAFinding) {
  Call(KSE_LIB_TOP_K, {&y, &at}, {&x}, {2, 32, 8, 9, 16, 16});
  EXPECT_THAT(findings(), SizeIs(1));
}

TEST_F(OrderTest, PaddingAddsColumnsAndUnpaddingTakesThemAway) {
  const kse_tensor x = Words(0, 30);  // two rows of fifteen
  const kse_tensor y = Tensor(128, KSE_UINT16, 64);
  Call(KSE_LIB_PAD, {&y}, {&x}, {2, 15, 15, 0, 1}, 0, {321.0f});
  EXPECT_EQ(Get<uint16_t>(y, 16)[15], 321);
  EXPECT_EQ(Get<uint16_t>(y, 17)[16], 15);
  const kse_tensor z = Tensor(256, KSE_UINT16, 60);
  Call(KSE_LIB_UNPAD, {&z}, {&y}, {2, 16, 1});
  EXPECT_EQ(Get<uint16_t>(z, 30), Get<uint16_t>(x, 30));
}

TEST_F(OrderTest, ChannelFormatsComeBackAsTheyWere) {
  constexpr uint32_t kN = 3, kC = 18, kD = 2, kH = 2, kW = 5;
  constexpr size_t kStored = kN * kC * kD * 16;
  const kse_tensor x = Words(0, kStored);
  const kse_tensor five = Tensor(16384, KSE_UINT16, kN * kD * 2 * kH * kW * 16 * 2);
  const kse_tensor z = Tensor(32768, KSE_UINT16, kD * 2 * kH * kW * 256 * 2);
  const kse_tensor back = Tensor(98304, KSE_UINT16, kStored * 2);
  Call(KSE_LIB_TRANS_DATA, {&five}, {&x}, {kN, kC, kD, kH, kW, KSE_NCDHW_TO_NDC1HWC0});
  // n = 1, c = 17, d = 1, h w = 3: group 1, place 1.
  EXPECT_EQ(Get<uint16_t>(five, 2000)[(((1 * kD + 1) * 2 + 1) * kH * kW + 3) * 16 + 1],
            ((1 * kC + 17) * kD + 1) * 16 + 3);
  Call(KSE_LIB_TRANS_DATA, {&z}, {&x}, {kN, kC, kD, kH, kW, KSE_NCDHW_TO_FRACTAL_Z_3D});
  EXPECT_EQ(Get<uint16_t>(z, 20000)[((1 * 2 + 1) * kH * kW + 3) * 256 + 1 * 16 + 1], ((1 * kC + 17) * kD + 1) * 16 + 3);
  for (const auto& [from, kind] : {std::pair{&five, KSE_NDC1HWC0_TO_NCDHW}, {&z, KSE_FRACTAL_Z_3D_TO_NCDHW}}) {
    Call(KSE_LIB_TRANS_DATA, {&back}, {from}, {kN, kC, kD, kH, kW, kind});
    const std::vector<uint16_t> got = Get<uint16_t>(back, kStored);
    for (size_t i = 0; i < kStored; ++i) {
      if (i % 16 < kH * kW) {
        EXPECT_EQ(got[i], i);
      }
    }
  }
}

TEST_F(OrderTest, TransposesOfTwoAndThreeDimensions) {
  const kse_tensor x = Floats(0, Ramp(24));
  const kse_tensor y = Room(256, 24);
  const auto at = [&](size_t i) { return Numbers(y, 24)[i]; };
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {7, 1, 1, 4, 6});  // [4, 6] to [6, 4]
  EXPECT_EQ(at(1), 6);
  EXPECT_EQ(at(4), 1);
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {14, 1, 2, 3, 4});  // [2, 3, 4] to [3, 2, 4]
  EXPECT_EQ(at(4), 12);
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {15, 1, 2, 3, 4});  // to [4, 3, 2]
  EXPECT_EQ(at(1), 12);
  EXPECT_EQ(at(2), 4);
}

TEST_F(OrderTest, ScenesWithMatrixBlocksUndoEachOther) {
  constexpr uint32_t kB = 1, kN = 2, kS = 32, kH = 16;
  const kse_tensor x = Words(0, kB * kN * kS * kH);
  const kse_tensor y = Tensor(8192, KSE_UINT16, kB * kN * kS * kH * 2);
  const kse_tensor z = Tensor(16384, KSE_UINT16, kB * kN * kS * kH * 2);
  // Splitting the last axis (3) and merging it again (6).
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {3, kB, kN, kS, kH});
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&z}, {&y}, {6, kB, kN, kS, kH});
  EXPECT_EQ(Get<uint16_t>(z, kB * kN * kS * kH), Get<uint16_t>(x, kB * kN * kS * kH));
  // [N, S, H/N] in blocks to [S, N, H/N]: n = 1, s = 3, h = 5.
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {1, kB, kN, kS, kH});
  EXPECT_EQ(Get<uint16_t>(y, 1024)[(3 * kN + 1) * kH + 5], 1 * kS * kH + 3 * 16 + 5);
  Call(KSE_LIB_CONFUSION_TRANSPOSE, {&y}, {&x}, {1, kB, kN, 30, kH});
  EXPECT_THAT(findings(), SizeIs(1));
}

}  // namespace
}  // namespace kernelsmith::emulator::library
