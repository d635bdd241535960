#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/library/library_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::library {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ElementsTest : public LibraryFixture {
 protected:
  float One(kse_library_operation operation, float a, float b = 0, float real = 0) {
    const kse_tensor first = Floats(0, {a});
    const kse_tensor second = Floats(32, {b});
    const kse_tensor y = Room(64, 1);
    Call(operation, {&y}, {&first, &second}, {1}, 0, {real});
    return Numbers(y, 1)[0];
  }
};

TEST_F(ElementsTest, GatedActivationsHaveTheirDocumentedValues) {
  for (const float a : {-4.0f, -0.5f, 0.0f, 1.5f, 3.0f}) {
    for (const float b : {-2.0f, -0.1f, 0.0f, 0.5f, 2.5f}) {
      const double gelu = b * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (b + 0.044715 * b * b * b)));
      EXPECT_NEAR(One(KSE_LIB_GEGLU, a, b), a * gelu, 1e-5);
      EXPECT_NEAR(One(KSE_LIB_SWIGLU, a, b, 1.7f), a * b / (1 + std::exp(-1.7 * b)), 1e-5);
      EXPECT_NEAR(One(KSE_LIB_REGLU, a, b), a * std::fmax(b, 0), 1e-6);
    }
  }
}

TEST_F(ElementsTest, FasterGeluV2AgreesWithTheDocumentationsExample) {
  const struct {
    float x, y;
  } kExamples[] = {{-1.251f, -0.1411f}, {1.074f, 0.916f}, {0.0841f, 0.0486f}, {5.633f, 5.633f}, {-9.67f, 0}};
  for (const auto& [x, y] : kExamples) EXPECT_NEAR(One(KSE_LIB_FASTER_GELU_V2, x), y, 5e-4) << x;
}

TEST_F(ElementsTest, GammaFunctions) {
  EXPECT_NEAR(One(KSE_LIB_LGAMMA, 5), std::log(24.0), 1e-5);
  EXPECT_NEAR(One(KSE_LIB_LGAMMA, -0.5f), std::log(2 * std::sqrt(M_PI)), 1e-5);
  EXPECT_NEAR(One(KSE_LIB_DIGAMMA, 1), -0.5772156649, 1e-6);
  EXPECT_NEAR(One(KSE_LIB_DIGAMMA, 0.5f), -1.9635100260, 1e-6);
  // psi(x + 1) = psi(x) + 1 / x.
  for (const float x : {0.3f, 2.5f, 17.0f, -0.7f}) {
    EXPECT_NEAR(One(KSE_LIB_DIGAMMA, x + 1), One(KSE_LIB_DIGAMMA, x) + 1 / x, 1e-4) << x;
  }
}

TEST_F(ElementsTest, QuantisationRoundsToEvenAndSaturates) {
  const kse_tensor x = Floats(0, {0, 1, 2, 3, 25, -25, 1000, -1000});
  const kse_tensor y = Tensor(64, KSE_INT8, 8);
  Call(KSE_LIB_QUANT, {&y}, {&x}, {8, 1, 8, 0}, 0, {0.5f, 1.0f});
  EXPECT_THAT(Get<int8_t>(y, 8), ElementsAre(1, 2, 2, 2, 14, -12, 127, -128));
}

TEST_F(ElementsTest, ScalesByChannelRepeat) {
  const kse_tensor x = Floats(0, {1, 2, 3, 4, 5, 6, 7, 8});
  const kse_tensor scale = Floats(64, {1, 10});
  const kse_tensor offset = Floats(96, {0, 1});
  const kse_tensor y = Tensor(128, KSE_INT8, 8);
  Call(KSE_LIB_QUANT, {&y}, {&x, &scale, &offset}, {8, 1, 8, 2});
  EXPECT_THAT(Get<int8_t>(y, 8), ElementsAre(1, 21, 3, 41, 5, 61, 7, 81));
  Call(KSE_LIB_QUANT, {&y}, {&x, &scale, &offset}, {8, 1, 8, 3});
  EXPECT_THAT(findings(), SizeIs(1));
}

TEST_F(ElementsTest, DequantisationKeepsRowsApartAndReadsScalesOfSixtyFourBits) {
  const kse_tensor x = Put<int32_t>(0, KSE_INT32, {1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80});
  const kse_tensor y = Tensor(256, KSE_HALF, 64);
  std::vector<uint64_t> scales;
  for (const float s : {0.5f, 2.0f, 1.0f}) scales.push_back(vector::FloatBits(s) | uint64_t{0x7f} << 48);
  const kse_tensor scale = Put<uint64_t>(128, KSE_UINT64, scales);
  Call(KSE_LIB_DEQUANT, {&y}, {&x, &scale}, {2, 8, 3});
  const std::vector<uint16_t> got = Get<uint16_t>(y, 32);
  const auto number = [&](size_t i) { return vector::HalfToFloat(got[i]); };
  EXPECT_EQ(number(0), 0.5f);
  EXPECT_EQ(number(1), 4.0f);
  EXPECT_EQ(number(16), 5.0f);  // rows of half are padded to whole blocks
  EXPECT_EQ(number(18), 30.0f);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ElementsTest, FourBitNumbersBecomeHalf) {
  // -1, 7, -8, 3: two a byte, the first in the low bits.
  const kse_tensor x = Put<uint8_t>(0, KSE_INT4, {0x7f, 0x38});
  kse_tensor y = Tensor(64, KSE_HALF, 8);
  Call(KSE_LIB_ANTIQUANT, {&y}, {&x}, {1, 4, 1, 1}, 0, {2.0f, 1.0f});
  std::vector<float> got;
  for (const uint16_t h : Get<uint16_t>(y, 4)) got.push_back(vector::HalfToFloat(h));
  EXPECT_THAT(got, ElementsAre(0, 16, -14, 8));
}

TEST_F(ElementsTest, ScalesOfGroupsBelongToNeighbouringRows) {
  const kse_tensor x = Put<int8_t>(0, KSE_INT8, {1, 2, 3, 4, 5, 6, 7, 8});                 // four rows of two
  const kse_tensor scale = Put<uint16_t>(32, KSE_HALF, {0x3c00, 0x4000, 0x4200, 0x4400});  // 1 2 / 3 4
  const kse_tensor y = Tensor(64, KSE_HALF, 16);
  Call(KSE_LIB_ANTIQUANT, {&y}, {&x, nullptr, &scale}, {4, 2, 2, 2});
  std::vector<float> got;
  for (const uint16_t h : Get<uint16_t>(y, 8)) got.push_back(vector::HalfToFloat(h));
  EXPECT_THAT(got, ElementsAre(1, 4, 3, 8, 15, 24, 21, 32));
}

TEST_F(ElementsTest, BytesOfAMaskChoose) {
  const kse_tensor x = Floats(0, {1, 2, 3, 4, 5, 6, 7, 8});
  const kse_tensor mask = Put<uint8_t>(64, KSE_UINT8, {0, 1, 0, 5, 9, 9, 1, 0, 1, 0, 9, 9});
  const kse_tensor y = Room(128, 8);
  Call(KSE_LIB_SELECT_BYTES, {&y}, {&x, &mask}, {2, 4, 6}, 0, {-1.0f});
  EXPECT_THAT(Numbers(y, 8), ElementsAre(1, -1, 3, -1, -1, 6, -1, 8));
  Call(KSE_LIB_SELECT_BYTES, {&y}, {&x, &mask}, {2, 4, 6}, KSE_SCALAR_FIRST, {-1.0f});
  EXPECT_THAT(Numbers(y, 8), ElementsAre(-1, 2, -1, 4, 5, -1, 7, -1));
}

TEST_F(ElementsTest, DropOutKeepsByBytesAndByBits) {
  const kse_tensor x = Floats(0, {1, 2, 3, 4, 5, 6, 7, 8});
  const kse_tensor bytes = Put<uint8_t>(64, KSE_UINT8, {1, 0, 1, 0, 1, 0, 0, 1});
  const kse_tensor bits = Put<uint8_t>(96, KSE_UINT8, {0x95});
  const kse_tensor y = Room(128, 8);
  Call(KSE_LIB_DROP_OUT, {&y}, {&x, &bytes}, {1, 8, 8}, 0, {0.5f});
  EXPECT_THAT(Numbers(y, 8), ElementsAre(2, 0, 6, 0, 10, 0, 0, 16));
  Call(KSE_LIB_DROP_OUT, {&y}, {&x, &bits}, {1, 8, 1}, KSE_BITS, {0.5f});
  EXPECT_THAT(Numbers(y, 8), ElementsAre(2, 0, 6, 0, 10, 0, 0, 16));
}

}  // namespace
}  // namespace kernelsmith::emulator::library
