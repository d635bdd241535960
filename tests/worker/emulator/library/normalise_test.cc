#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/library/library_fixture.h"

namespace kernelsmith::emulator::library {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kRows = 4;
constexpr uint32_t kColumns = 8;
constexpr float kEpsilon = 1e-3f;

class NormaliseTest : public LibraryFixture {
 protected:
  static std::vector<float> Ramp(size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }
  void ExpectNear(const kse_tensor& tensor, const std::vector<float>& wanted, float tolerance = 1e-4f) {
    const std::vector<float> got = Numbers(tensor, wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << "element " << i;
  }
  // Mean and variance of n elements, `step` apart.
  static std::pair<double, double> Moments(const float* x, size_t n, size_t step = 1) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; ++i) sum += x[i * step];
    for (size_t i = 0; i < n; ++i) squares += std::pow(x[i * step] - sum / n, 2);
    return {sum / n, squares / n};
  }

  std::vector<float> x_ = Wave(kRows * kColumns);
  std::vector<float> gamma_ = Wave(kColumns, 2);
  std::vector<float> beta_ = Wave(kColumns, 0.5f);
  kse_tensor x = Floats(0, x_);
  kse_tensor gamma = Floats(1024, gamma_);
  kse_tensor beta = Floats(2048, beta_);
  kse_tensor y = Room(4096, 512);
  kse_tensor mean = Room(8192, 64);
  kse_tensor second = Room(12288, 64);
};

TEST_F(NormaliseTest, LayerNormOfEachRow) {
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&x, &gamma, &beta}, {kRows, kColumns, 6}, 0, {kEpsilon});
  for (uint32_t r = 0; r < kRows; ++r) {
    const auto [m, v] = Moments(&x_[r * kColumns], 6);
    EXPECT_NEAR(Numbers(mean, kRows)[r], m, 1e-5);
    EXPECT_NEAR(Numbers(second, kRows)[r], v, 1e-4);
    for (uint32_t c = 0; c < 6; ++c) {
      EXPECT_NEAR(Numbers(y, x_.size())[r * kColumns + c],
                  (x_[r * kColumns + c] - m) / std::sqrt(v + kEpsilon) * gamma_[c] + beta_[c], 1e-4);
    }
  }
}

TEST_F(NormaliseTest, NormalizeOfKnownMomentsIsTheSameLayerNorm) {
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&x, &gamma, &beta}, {kRows, kColumns}, 0, {kEpsilon});
  const std::vector<float> whole = Numbers(y, x_.size());
  const kse_tensor again = Room(16384, x_.size());
  const kse_tensor rstd = Room(20480, kRows);
  Call(KSE_LIB_NORMALIZE, {&again, &rstd}, {&x, &mean, &second, &gamma, &beta}, {kRows, kColumns}, 0, {kEpsilon});
  ExpectNear(again, whole);
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&x, &gamma, &beta}, {kRows, kColumns}, KSE_NORM_RSTD, {kEpsilon});
  ExpectNear(rstd, Numbers(second, kRows));
}

TEST_F(NormaliseTest, WithoutGammaAndBetaOnlyTheRowIsScaled) {
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&x, nullptr, nullptr}, {kRows, kColumns},
       KSE_NORM_NO_GAMMA | KSE_NORM_NO_BETA, {0.0f});
  for (uint32_t r = 0; r < kRows; ++r) {
    const std::vector<float> row = Numbers(y, x_.size());
    const auto [m, v] = Moments(&row[r * kColumns], kColumns);
    EXPECT_NEAR(m, 0, 1e-5);
    EXPECT_NEAR(v, 1, 1e-4);
  }
}

TEST_F(NormaliseTest, RmsNormDividesByTheRootOfTheMeanSquare) {
  Call(KSE_LIB_RMS_NORM, {&y}, {&x, &gamma}, {kRows, kColumns}, 0, {kEpsilon});
  std::vector<float> wanted;
  for (size_t i = 0; i < x_.size(); ++i) {
    double squares = 0;
    for (uint32_t c = 0; c < kColumns; ++c) squares += std::pow(x_[i / kColumns * kColumns + c], 2);
    wanted.push_back(static_cast<float>(x_[i] / std::sqrt(squares / kColumns + kEpsilon) * gamma_[i % kColumns]));
  }
  ExpectNear(y, wanted);
}

TEST_F(NormaliseTest, DeepNormIsTheLayerNormOfAWeightedSum) {
  const std::vector<float> gx_ = Wave(x_.size(), 1.1f);
  const kse_tensor gx = Floats(16384, gx_);
  Call(KSE_LIB_DEEP_NORM, {&y, &mean, &second}, {&x, &gx, &gamma, &beta}, {kRows, kColumns}, 0, {kEpsilon, 0.3f});
  const std::vector<float> deep = Numbers(y, x_.size());
  std::vector<float> sum;
  for (size_t i = 0; i < x_.size(); ++i) sum.push_back(0.3f * x_[i] + gx_[i]);
  const kse_tensor of_sum = Floats(0, sum);
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&of_sum, &gamma, &beta}, {kRows, kColumns}, 0, {kEpsilon});
  ExpectNear(y, deep);
}

// The documentation's example, whose third result is the variance although it is called rstdLocal.
TEST_F(NormaliseTest, DeepNormGivesTheVarianceAsItsExampleDoes) {
  const kse_tensor ramp = Floats(0, Ramp(64));
  const kse_tensor eight = Floats(16384, Ramp(8));
  Call(KSE_LIB_DEEP_NORM, {&y, &mean, &second}, {&ramp, &ramp, &eight, &eight}, {8, 8}, 0, {1e-5f, -5.5f});
  ExpectNear(mean, {-15.75, -51.75, -87.75, -123.75, -159.75, -195.75, -231.75, -267.75});
  ExpectNear(second, std::vector<float>(8, 106.3125));
}

// The documentation's example: eight of a batch, each with eight features that rise by one.
TEST_F(NormaliseTest, BatchNormGoesOverTheBatch) {
  const kse_tensor from = Floats(0, Ramp(64));
  const kse_tensor eight = Floats(16384, Ramp(8));
  Call(KSE_LIB_BATCH_NORM, {&y, &mean, &second}, {&from, &eight, &eight}, {8, 8}, 0, {1e-5f});
  ExpectNear(mean, {28, 29, 30, 31, 32, 33, 34, 35});
  ExpectNear(second, std::vector<float>(8, 336));
  const std::vector<float> got = Numbers(y, 64);
  EXPECT_NEAR(got[8], 1 - 20 / std::sqrt(336 + 1e-5), 1e-6);
  EXPECT_NEAR(got[63], 7 * 28 / std::sqrt(336 + 1e-5) + 7, 2e-6);
  // The documentation's figures come from a card, whose root is a few units in the fifth digit off.
  EXPECT_NEAR(got[8], -0.0910732, 2e-5);
  EXPECT_NEAR(got[63], 17.692516, 2e-4);
}

// The documentation's example: two of a batch, eight channels in four groups.
TEST_F(NormaliseTest, GroupNormGoesOverTheChannelsOfAGroup) {
  const kse_tensor from = Floats(0, Ramp(128));
  const kse_tensor eight = Floats(16384, Ramp(8));
  Call(KSE_LIB_GROUP_NORM, {&y, &mean, &second}, {&from, &eight, &eight}, {2, 8, 8, 4, 8}, 0, {1e-5f});
  ExpectNear(mean, {7.5, 23.5, 39.5, 55.5, 71.5, 87.5, 103.5, 119.5});
  ExpectNear(second, std::vector<float>(8, 21.25f));
  EXPECT_NEAR(Numbers(y, 128)[8], 1.1084652, 1e-4);
  EXPECT_NEAR(Numbers(y, 128)[127], 18.388847, 1e-3);
}

TEST_F(NormaliseTest, GradientsOfALayerNormAreItsDerivative) {
  const std::vector<float> dy_ = Wave(x_.size(), 0.9f);
  const kse_tensor dy = Floats(16384, dy_);
  Call(KSE_LIB_LAYER_NORM, {&y, &mean, &second}, {&x, &gamma, &beta}, {kRows, kColumns}, 0, {kEpsilon});
  const kse_tensor dx = Room(20480, x_.size());
  const kse_tensor normalised = Room(24576, x_.size());
  Call(KSE_LIB_LAYER_NORM_GRAD, {&dx, &normalised}, {&dy, &x, &second, &mean, &gamma}, {kRows, kColumns}, 0,
       {kEpsilon});
  // The loss sum(dy * y) by small steps of each x.
  const auto loss = [&](const std::vector<float>& at, size_t row) {
    const auto [m, v] = Moments(&at[row * kColumns], kColumns);
    double total = 0;
    for (uint32_t c = 0; c < kColumns; ++c) {
      const size_t i = row * kColumns + c;
      total += dy_[i] * ((at[i] - m) / std::sqrt(v + kEpsilon) * gamma_[c] + beta_[c]);
    }
    return total;
  };
  const std::vector<float> got = Numbers(dx, x_.size());
  for (size_t i = 0; i < x_.size(); ++i) {
    std::vector<float> up = x_, down = x_;
    up[i] += 0.01f;
    down[i] -= 0.01f;
    EXPECT_NEAR(got[i], (loss(up, i / kColumns) - loss(down, i / kColumns)) / 0.02, 5e-3) << "element " << i;
  }
  const kse_tensor d_gamma = Room(28672, kColumns);
  const kse_tensor d_beta = Room(32768, kColumns);
  Call(KSE_LIB_LAYER_NORM_GRAD_BETA, {&d_gamma, &d_beta}, {&normalised, &dy}, {kRows, kColumns});
  for (uint32_t c = 0; c < kColumns; ++c) {
    double of_gamma = 0, of_beta = 0;
    for (uint32_t r = 0; r < kRows; ++r) {
      const auto [m, v] = Moments(&x_[r * kColumns], kColumns);
      of_gamma += dy_[r * kColumns + c] * (x_[r * kColumns + c] - m) / std::sqrt(v + kEpsilon);
      of_beta += dy_[r * kColumns + c];
    }
    EXPECT_NEAR(Numbers(d_gamma, kColumns)[c], of_gamma, 1e-4);
    EXPECT_NEAR(Numbers(d_beta, kColumns)[c], of_beta, 1e-5);
  }
}

TEST_F(NormaliseTest, WelfordInPartsIsTheMeanAndVarianceOfAll) {
  constexpr uint32_t kParts = 5;
  const std::vector<float> all = Wave(kParts * 8);
  kse_tensor running_mean = Floats(16384, std::vector<float>(8, 0));
  kse_tensor running = Floats(20480, std::vector<float>(8, 0));
  for (uint32_t part = 0; part < kParts; ++part) {
    const kse_tensor piece = Floats(0, {all.begin() + part * 8, all.begin() + (part + 1) * 8});
    Call(KSE_LIB_WELFORD_UPDATE, {&running_mean, &running}, {&running_mean, &running, &piece}, {8, 8}, 0,
         {1.0f / (part + 1)});
  }
  const auto [m, v] = Moments(all.data(), all.size());
  const kse_tensor counts = Put<int32_t>(24576, KSE_INT32, std::vector<int32_t>(8, kParts));
  for (const kse_tensor* with : {static_cast<const kse_tensor*>(nullptr), &counts}) {
    Call(KSE_LIB_WELFORD_FINALIZE, {&mean, &second}, {&running_mean, &running, with}, {kParts, 8, kParts, 8, 0, 0}, 0,
         {1.0f / 8, 1.0f / all.size(), 0});
    EXPECT_NEAR(Numbers(mean, 1)[0], m, 1e-5);
    EXPECT_NEAR(Numbers(second, 1)[0], v, 1e-4);
  }
}

TEST_F(NormaliseTest, TilingThatWasNeverFilledIsAFinding) {
  Call(KSE_LIB_RMS_NORM, {&y}, {&x, &gamma}, {0, 0}, 0, {kEpsilon});
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].check, Check::kArgument);
  EXPECT_THAT(issued(), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::emulator::library
