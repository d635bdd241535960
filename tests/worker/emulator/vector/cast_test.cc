// Cast over every documented pair and rounding mode against the rules of number.h, one value at a time.
#include <cmath>
#include <random>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/rounding_rules.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CastTest : public VectorFixture {
 protected:
  // Casts `values` with every mode the pair allows and compares with the model.
  template <class From, class To, class Model>
  void Check(kse_element from, kse_element to, const std::vector<From>& values, const Model& model) {
    const size_t n = values.size();
    int modes = 0;
    for (uint8_t mode = 0; mode <= 6; ++mode) {
      if (!RoundingAllowed(static_cast<Element>(to), static_cast<Element>(from), static_cast<Rounding>(mode))) continue;
      ++modes;
      const kse_tensor x = Put(0, from, values);
      const kse_tensor z = Put(98304, to, std::vector<To>(n, To{}));
      Run(KSE_CAST, Strided(z), Strided(x), kNothing, Count(static_cast<int64_t>(n)), 0, mode);
      const std::vector<To> got = Get<To>(z, n);
      for (size_t i = 0; i < n; ++i) {
        const To want = model(values[i], static_cast<Rounding>(mode));
        ASSERT_EQ(std::memcmp(&got[i], &want, sizeof(To)), 0)
            << "value " << i << ", mode " << static_cast<int>(mode) << ", " << +got[i] << " not " << +want;
      }
    }
    EXPECT_GT(modes, 0);
    EXPECT_THAT(findings(), IsEmpty());
  }
  static std::vector<uint16_t> AllNumbers(uint16_t infinity) {
    std::vector<uint16_t> values;
    for (uint32_t bits = 0; bits < 65536; bits += 3) {
      if ((bits & 0x7fff) <= infinity) values.push_back(static_cast<uint16_t>(bits));
    }
    return values;
  }
  static std::vector<float> Floats() {
    std::mt19937_64 random(3);
    std::vector<float> values = {0.0f,      -0.0f,         0.5f,           1.5f,  -2.5f,  65519.0f,
                                 65520.0f,  2147483648.0f, -2147483648.0f, 1e20f, -1e20f, INFINITY,
                                 -INFINITY, 32767.5f,      -32768.5f,      6e-8f, 3e-8f,  0x1p-26f};
    for (int i = 0; i < 5000; ++i) {
      const float value = BitsFloat(static_cast<uint32_t>(random()));
      if (!std::isnan(value)) values.push_back(value);
    }
    std::normal_distribution<float> normal(0, 1000);
    for (int i = 0; i < 5000; ++i) values.push_back(normal(random));
    return values;
  }
};

template <class To>
To ToInteger(float value, Rounding mode) {
  return FloatToInteger<To>(RoundToIntegral(value, mode), true);
}

TEST_F(CastTest, HalfToOthers) {
  const std::vector<uint16_t> halves = AllNumbers(0x7c00);
  Check<uint16_t, float>(KSE_HALF, KSE_FLOAT, halves, [](uint16_t v, Rounding) { return HalfToFloat(v); });
  Check<uint16_t, int32_t>(KSE_HALF, KSE_INT32, halves,
                           [](uint16_t v, Rounding m) { return ToInteger<int32_t>(HalfToFloat(v), m); });
  Check<uint16_t, int16_t>(KSE_HALF, KSE_INT16, halves,
                           [](uint16_t v, Rounding m) { return ToInteger<int16_t>(HalfToFloat(v), m); });
  Check<uint16_t, int8_t>(KSE_HALF, KSE_INT8, halves,
                          [](uint16_t v, Rounding m) { return ToInteger<int8_t>(HalfToFloat(v), m); });
  Check<uint16_t, uint8_t>(KSE_HALF, KSE_UINT8, halves,
                           [](uint16_t v, Rounding m) { return ToInteger<uint8_t>(HalfToFloat(v), m); });
}

TEST_F(CastTest, Bfloat16ToOthers) {
  const std::vector<uint16_t> values = AllNumbers(0x7f80);
  Check<uint16_t, float>(KSE_BFLOAT16, KSE_FLOAT, values, [](uint16_t v, Rounding) { return Bfloat16ToFloat(v); });
  Check<uint16_t, int32_t>(KSE_BFLOAT16, KSE_INT32, values,
                           [](uint16_t v, Rounding m) { return ToInteger<int32_t>(Bfloat16ToFloat(v), m); });
}

TEST_F(CastTest, FloatToOthers) {
  const std::vector<float> floats = Floats();
  Check<float, uint16_t>(KSE_FLOAT, KSE_HALF, floats, FloatToHalf);
  Check<float, uint16_t>(KSE_FLOAT, KSE_BFLOAT16, floats, FloatToBfloat16);
  Check<float, int32_t>(KSE_FLOAT, KSE_INT32, floats, ToInteger<int32_t>);
  Check<float, int16_t>(KSE_FLOAT, KSE_INT16, floats, ToInteger<int16_t>);
  Check<float, int64_t>(KSE_FLOAT, KSE_INT64, floats, ToInteger<int64_t>);
  Check<float, float>(KSE_FLOAT, KSE_FLOAT, floats, RoundToIntegral);
}

TEST_F(CastTest, IntegersToOthers) {
  std::mt19937_64 random(5);
  std::vector<int32_t> words = {INT32_MIN, INT32_MAX, 0, 33554435, -33554435, 32767, 32768, -32769};
  std::vector<int64_t> longs = {INT64_MIN, INT64_MAX, 0, (int64_t{1} << 35) + 6144, int64_t{1} << 31};
  std::vector<int16_t> shorts = {-32768, 32767, 4098, 4099, 2049, 0, -1};
  for (int i = 0; i < 2000; ++i) {
    words.push_back(static_cast<int32_t>(random()));
    longs.push_back(static_cast<int64_t>(random()) >> random() % 40);
    shorts.push_back(static_cast<int16_t>(random()));
  }
  Check<int32_t, float>(KSE_INT32, KSE_FLOAT, words, IntegerToFloat<int32_t>);
  Check<int32_t, int16_t>(KSE_INT32, KSE_INT16, words,
                          [](int32_t v, Rounding) { return NarrowInteger<int16_t>(v, true); });
  Check<int32_t, int64_t>(KSE_INT32, KSE_INT64, words, [](int32_t v, Rounding) { return int64_t{v}; });
  Check<int64_t, int32_t>(KSE_INT64, KSE_INT32, longs,
                          [](int64_t v, Rounding) { return NarrowInteger<int32_t>(v, true); });
  Check<int64_t, float>(KSE_INT64, KSE_FLOAT, longs, IntegerToFloat<int64_t>);
  Check<int16_t, uint16_t>(KSE_INT16, KSE_HALF, shorts,
                           [](int16_t v, Rounding m) { return FloatToHalf(static_cast<float>(v), m); });
  Check<int16_t, float>(KSE_INT16, KSE_FLOAT, shorts, [](int16_t v, Rounding) { return static_cast<float>(v); });
  std::vector<int8_t> bytes;
  for (int i = -128; i < 128; ++i) bytes.push_back(static_cast<int8_t>(i));
  Check<int8_t, uint16_t>(KSE_INT8, KSE_HALF, bytes,
                          [](int8_t v, Rounding m) { return FloatToHalf(static_cast<float>(v), m); });
}

TEST_F(CastTest, FourBitIntegersLieTwoAByte) {
  const kse_tensor x = Put(0, KSE_INT4, std::vector<uint8_t>{0x21, 0xf8});
  const kse_tensor z = Put(512, KSE_HALF, std::vector<uint16_t>(4, 0));
  Run(KSE_CAST, Strided(z), Strided(x), kNothing, Count(4), 0, 0);
  EXPECT_THAT(Get<uint16_t>(z, 4), ElementsAre(FloatToHalf(1, Rounding::kRint), FloatToHalf(2, Rounding::kRint),
                                               FloatToHalf(-8, Rounding::kRint), FloatToHalf(-1, Rounding::kRint)));
  const kse_tensor back = Tensor(1024, KSE_INT4, 2);
  Run(KSE_CAST, Strided(back), Strided(z), kNothing, Count(4), 0, 0);
  EXPECT_THAT(Get<uint8_t>(back, 2), ElementsAre(0x21, 0xf8));
  EXPECT_TRUE(Defined(back, 0, 2));
}

TEST_F(CastTest, TheWiderTypeDecidesTheLanesOfARepeat) {
  std::vector<uint16_t> halves(256);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = FloatToHalf(static_cast<float>(i), Rounding::kRint);
  const kse_tensor x = Put(0, KSE_HALF, halves);
  const kse_tensor z = Put(1024, KSE_FLOAT, std::vector<float>(256, -1));
  Run(KSE_CAST, Strided(z, 1, 8), Strided(x, 1, 4), kNothing, Prefix(64, 4), 0, 0);
  for (size_t i = 0; i < 256; ++i) EXPECT_EQ(Get<float>(z, 256)[i], static_cast<float>(i));
}

TEST_F(CastTest, DequantizationMultipliesByTheScaleRegister) {
  const kse_tensor x = Put(0, KSE_INT32, std::vector<int32_t>{1, -7, 1 << 20, INT32_MAX});
  const kse_tensor z = Put(64, KSE_HALF, std::vector<uint16_t>(4, 0));
  kse_vector_set_deq_scale(FloatToHalf(0.5f, Rounding::kRint));
  Run(KSE_DEQUANT, Strided(z), Strided(x), kNothing, Count(4));
  EXPECT_THAT(Get<uint16_t>(z, 4),
              ElementsAre(FloatToHalf(0.5f, Rounding::kRint), FloatToHalf(-3.5f, Rounding::kRint), 0x7c00, 0x7c00));
  Run(KSE_ADD_DEQUANT_RELU, Strided(z), Strided(x), Strided(x), Count(2));
  EXPECT_THAT(Get<uint16_t>(z, 2), ElementsAre(FloatToHalf(1, Rounding::kRint), 0));
}

TEST_F(CastTest, ComputingCastsRoundInTheSourceTypeFirst) {
  const auto half = [](float v) { return FloatToHalf(v, Rounding::kRint); };
  const kse_tensor x = Put(0, KSE_HALF, std::vector<uint16_t>{half(100), half(-5), half(2.5f)});
  const kse_tensor y = Put(64, KSE_HALF, std::vector<uint16_t>{half(100), half(1), half(3)});
  const kse_tensor z = Put(128, KSE_INT8, std::vector<int8_t>(3, 0));
  Run(KSE_ADD_RELU_CAST, Strided(z), Strided(x), Strided(y), Count(3));
  EXPECT_THAT(Get<int8_t>(z, 3), ElementsAre(127, 0, 6));
  Run(KSE_MUL_CAST, Strided(z), Strided(x), Strided(y), Count(3));
  EXPECT_THAT(Get<int8_t>(z, 3), ElementsAre(127, -5, 8));
}

TEST_F(CastTest, ScalarsConvertByTheSameRules) {
  EXPECT_EQ(static_cast<int32_t>(kse_scalar_cast(2.5f, KSE_INT32, 4)), 3);
  EXPECT_EQ(static_cast<int32_t>(kse_scalar_cast(-2.5f, KSE_INT32, 2)), -3);
  EXPECT_EQ(kse_scalar_cast(0.5f + 0x1p-13f, KSE_HALF, 6), 0x3801u);
}

TEST(RoundingRulesTest, MessagesNameTheModesThatWork) {
  EXPECT_EQ(RoundingsAllowed(Element::kFloat, Element::kHalf), "CAST_NONE");
  EXPECT_EQ(RoundingName(6), "CAST_ODD");
  EXPECT_FALSE(RoundingAllowed(Element::kInt8, Element::kFloat, Rounding::kRint));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
