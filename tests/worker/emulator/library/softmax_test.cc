#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/library/library_fixture.h"

namespace kernelsmith::emulator::library {
namespace {

using testing::Each;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kRows = 3;
constexpr uint32_t kColumns = 16;

// The plain definition, row by row.
struct Reference {
  std::vector<float> y, sum, max;

  Reference(const std::vector<float>& x, uint32_t real) : y(x.size()) {
    for (uint32_t r = 0; r < x.size() / kColumns; ++r) {
      const auto row = x.begin() + r * kColumns;
      max.push_back(*std::max_element(row, row + real));
      sum.push_back(0);
      for (uint32_t c = 0; c < real; ++c) sum[r] += std::exp(row[c] - max[r]);
      for (uint32_t c = 0; c < kColumns; ++c) y[r * kColumns + c] = std::exp(row[c] - max[r]) / sum[r];
    }
  }
};

class SoftMaxTest : public LibraryFixture {
 protected:
  void ExpectRows(const kse_tensor& got, const std::vector<float>& wanted, uint32_t columns = kColumns) {
    const std::vector<float> values = Numbers(got, wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i % kColumns < columns) {
        EXPECT_NEAR(values[i], wanted[i], 1e-6) << "element " << i;
      }
    }
  }
  // Eight times each value.
  void ExpectBlocks(const kse_tensor& got, const std::vector<float>& wanted) {
    const std::vector<float> values = Numbers(got, wanted.size() * 8);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], wanted[i / 8], 1e-5) << "element " << i;
  }

  std::vector<float> x_ = Wave(kRows * kColumns);
  kse_tensor x = Floats(0, x_);
  kse_tensor y = Room(4096, kRows* kColumns);
  kse_tensor sum = Room(8192, kRows * 8);
  kse_tensor max = Room(12288, kRows * 8);
  kse_tensor factor = Room(16384, kRows * 8);
};

TEST_F(SoftMaxTest, RowsAddUpToOneAndSumsFillTheirBlocks) {
  Call(KSE_LIB_SOFTMAX, {&y, &sum, &max}, {&x}, {kRows, kColumns});
  const Reference reference(x_, kColumns);
  ExpectRows(y, reference.y);
  ExpectBlocks(sum, reference.sum);
  ExpectBlocks(max, reference.max);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SoftMaxTest, PaddedColumnsDoNotCount) {
  Call(KSE_LIB_SOFTMAX, {&y}, {&x}, {kRows, kColumns, 11});
  ExpectRows(y, Reference(x_, 11).y, 11);
}

TEST_F(SoftMaxTest, BlocksOfMatricesAreReducedAcrossBlocks) {
  // 16 rows of 32 columns in NZ: two blocks of 16 by 16.
  std::vector<float> plain = Wave(16 * 32);
  std::vector<float> blocks(plain.size());
  for (uint32_t r = 0; r < 16; ++r) {
    for (uint32_t c = 0; c < 32; ++c) blocks[c / 16 * 256 + r * 16 + c % 16] = plain[r * 32 + c];
  }
  const kse_tensor from = Floats(0, blocks);
  const kse_tensor to = Room(32768, blocks.size());
  Call(KSE_LIB_SOFTMAX, {&to}, {&from}, {16, 32}, KSE_SOFTMAX_FRACTAL);
  const std::vector<float> got = Numbers(to, blocks.size());
  for (uint32_t r = 0; r < 16; ++r) {
    double total = 0;
    for (uint32_t c = 0; c < 32; ++c) total += std::exp(double{plain[r * 32 + c]});
    for (uint32_t c = 0; c < 32; ++c) {
      EXPECT_NEAR(got[c / 16 * 256 + r * 16 + c % 16], std::exp(double{plain[r * 32 + c]}) / total, 1e-6);
    }
  }
}

TEST_F(SoftMaxTest, KnownSumsGiveTheSameResult) {
  Call(KSE_LIB_SOFTMAX, {&y, &sum, &max}, {&x}, {kRows, kColumns});
  const kse_tensor again = Room(20480, kRows * kColumns);
  Call(KSE_LIB_SIMPLE_SOFTMAX, {&again}, {&x, &sum, &max}, {kRows, kColumns});
  ExpectRows(again, Reference(x_, kColumns).y);
}

TEST_F(SoftMaxTest, LogarithmsAreToBaseTen) {
  Call(KSE_LIB_LOG_SOFTMAX, {&y, &sum, &max}, {&x}, {kRows, kColumns});
  const Reference reference(x_, kColumns);
  const std::vector<float> got = Numbers(y, x_.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], std::log10(reference.y[i]), 1e-5);
}

TEST_F(SoftMaxTest, PartsOfARowAddUpToTheWholeInBothFlashForms) {
  for (const bool divide : {true, false}) {
    const auto operation = divide ? KSE_LIB_SOFTMAX_FLASH : KSE_LIB_SOFTMAX_FLASH2;
    // Left and right halves of the rows, as tensors of their own.
    std::vector<float> left, right;
    for (uint32_t r = 0; r < kRows; ++r) {
      left.insert(left.end(), x_.begin() + r * kColumns, x_.begin() + r * kColumns + 8);
      right.insert(right.end(), x_.begin() + r * kColumns + 8, x_.begin() + (r + 1) * kColumns);
    }
    const kse_tensor a = Floats(24576, left);
    const kse_tensor b = Floats(28672, right);
    const kse_tensor ya = Room(32768, left.size());
    const kse_tensor yb = Room(36864, left.size());
    Call(operation, {&ya, &sum, &max, &factor}, {&a, &sum, &max}, {kRows, 8});
    Call(operation, {&yb, &sum, &max, &factor}, {&b, &sum, &max}, {kRows, 8}, KSE_SOFTMAX_UPDATE);
    const Reference whole(x_, kColumns);
    ExpectBlocks(sum, whole.sum);
    ExpectBlocks(max, whole.max);
    const std::vector<float> first = Numbers(ya, left.size());
    const std::vector<float> second = Numbers(yb, left.size());
    const std::vector<float> shrink = Numbers(factor, kRows * 8);
    for (uint32_t r = 0; r < kRows; ++r) {
      const float scale = divide ? 1 : 1 / whole.sum[r];
      for (uint32_t c = 0; c < 8; ++c) {
        EXPECT_NEAR(first[r * 8 + c] * shrink[r * 8] * scale, whole.y[r * kColumns + c], 1e-5);
        EXPECT_NEAR(second[r * 8 + c] * scale, whole.y[r * kColumns + 8 + c], 1e-5);
      }
    }
  }
}

TEST_F(SoftMaxTest, TheShiftedFormCentresPartsOfARowOnTheMeansOfGroups) {
  constexpr int kLong = 1024;
  const std::vector<float> values = Wave(kLong);
  const kse_tensor from = Floats(32768, values);
  const kse_tensor to = Room(40960, kLong);
  const kse_tensor mean = Room(49152, 8);
  Call(KSE_LIB_SOFTMAX_FLASH3, {&to, &sum, &max, &factor, &mean}, {&from}, {1, kLong, kLong, 1, 1, 8}, 0, {0.5f});
  const std::vector<float> got = Numbers(to, kLong);
  EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), Numbers(sum, 1)[0], 1e-3);
  EXPECT_NEAR(Numbers(mean, 1)[0], std::accumulate(values.begin(), values.end(), 0.0) / kLong, 1e-5);
  // Group 1 holds elements 64 to 127 and, from 512 on, 8 to 15 of every 64. With alpha 0.5 shifts count once.
  std::vector<double> means(8);
  for (int c = 0; c < kLong; ++c) means[c < 512 ? c / 64 : c % 64 / 8] += values[c] / 128.0;
  for (int part = 0; part < 8; ++part) {
    const int c = part * 128 + 5;
    const double expected = std::exp(values[c] - values[0] + means[part] - means[0]);
    EXPECT_NEAR(got[c] / got[0], expected, 1e-3 * expected) << part;
  }
}

TEST_F(SoftMaxTest, TheShiftedFormHasEightPartsAndLongRows) {
  const kse_tensor from = Floats(0, Wave(64));
  const kse_tensor mean = Room(49152, 8);
  EXPECT_EQ(Call(KSE_LIB_SOFTMAX_FLASH3, {&y, &sum, &max, &factor, &mean}, {&from}, {1, 64, 64, 1, 1, 8}, 0, {0.5f}),
            0u);
}

TEST_F(SoftMaxTest, GradientsAreTheDerivative) {
  const Reference reference(x_, kColumns);
  const kse_tensor p = Floats(24576, reference.y);
  const std::vector<float> g = Wave(x_.size(), 1.5f);
  const kse_tensor dy = Floats(28672, g);
  Call(KSE_LIB_SOFTMAX_GRAD, {&y}, {&dy, &p}, {kRows, kColumns});
  Call(KSE_LIB_SOFTMAX_GRAD, {&sum}, {&dy, &p}, {kRows, kColumns}, KSE_SOFTMAX_FRONT);
  const std::vector<float> dx = Numbers(y, x_.size());
  std::vector<float> fronts;
  for (uint32_t r = 0; r < kRows; ++r) {
    double front = 0;
    for (uint32_t c = 0; c < kColumns; ++c) front += g[r * kColumns + c] * reference.y[r * kColumns + c];
    fronts.push_back(static_cast<float>(front));
    for (uint32_t c = 0; c < kColumns; ++c) {
      const size_t i = r * kColumns + c;
      EXPECT_NEAR(dx[i], (g[i] - front) * reference.y[i], 1e-6);
    }
  }
  ExpectBlocks(sum, fronts);
}

TEST_F(SoftMaxTest, RowsOfAGivenMaximumAreReplaced) {
  Call(KSE_LIB_SOFTMAX, {&y, &sum, &max}, {&x}, {kRows, kColumns});
  uint32_t bits;
  const float second = Numbers(max, 16)[8];
  std::memcpy(&bits, &second, 4);
  EXPECT_EQ(Call(KSE_LIB_ADJUST_SOFTMAX, {&y}, {&y, &max}, {kRows, kColumns, 0, 0, bits}, 0, {7.0f}), 1u);
  const std::vector<float> got = Numbers(y, x_.size());
  EXPECT_THAT(std::vector<float>(got.begin() + kColumns, got.begin() + 2 * kColumns), Each(FloatNear(7, 0)));
  EXPECT_NE(got[0], 7.0f);
  EXPECT_EQ(Call(KSE_LIB_ADJUST_SOFTMAX, {&y}, {&y, &max}, {kRows, kColumns, 0, 0, 1}, 0, {7.0f}), 0u);
}

TEST_F(SoftMaxTest, AnUndefinedElementMakesItsRowUndefined) {
  Undefine(x, 4 * kColumns + 8, 4);
  Call(KSE_LIB_SOFTMAX, {&y}, {&x}, {kRows, kColumns});
  EXPECT_TRUE(Defined(y, 0, 4 * kColumns));
  EXPECT_FALSE(Defined(y, 4 * kColumns, 4));
  EXPECT_TRUE(Defined(y, 8 * kColumns, 4 * kColumns));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SoftMaxTest, BuffersThatAreTooSmallAreFindings) {
  const kse_tensor small = Room(4096, 8);
  Call(KSE_LIB_SOFTMAX, {&small}, {&x}, {kRows, kColumns});
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].check, Check::kOutOfBounds);
}

TEST_F(SoftMaxTest, MisalignedOperandsStopTheCall) {
  const kse_tensor off = Room(4100, kRows * kColumns);
  Call(KSE_LIB_SOFTMAX, {&off}, {&x}, {kRows, kColumns});
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].check, Check::kMisaligned);
  EXPECT_THAT(issued(), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::emulator::library
