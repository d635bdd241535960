// Element-wise instructions against a model that computes one lane at a time.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ElementwiseTest : public VectorFixture {
 protected:
  // Numbers with every kind of special among them.
  std::vector<float> Floats(size_t n, uint64_t seed, bool positive = false) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal(0, 10);
    std::vector<float> values(n);
    for (float& value : values) value = positive ? std::abs(normal(random)) + 0.01f : normal(random);
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const float specials[] = {0.0f, -0.0f, kInf, -kInf, NAN, 65504.0f, 6e-8f, 1.0f};
    for (size_t i = 0; i < std::size(specials) && 17 * i < n; ++i) values[17 * i] = specials[i];
    return values;
  }
  static std::vector<uint16_t> Halves(const std::vector<float>& values) {
    std::vector<uint16_t> halves;
    for (const float value : values) halves.push_back(FloatToHalf(value, Rounding::kRint));
    return halves;
  }
};

using Model = std::function<float(float a, float b, float d, float s)>;

struct FloatCase {
  kse_vector_operation operation;
  Model model;
};

float Largest(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
float Smallest(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

const FloatCase kFloatCases[] = {
    {KSE_ADD, [](float a, float b, float, float) { return a + b; }},
    {KSE_SUB, [](float a, float b, float, float) { return a - b; }},
    {KSE_MUL, [](float a, float b, float, float) { return a * b; }},
    {KSE_DIV, [](float a, float b, float, float) { return a / b; }},
    {KSE_MAX, [](float a, float b, float, float) { return Largest(a, b); }},
    {KSE_MIN, [](float a, float b, float, float) { return Smallest(a, b); }},
    {KSE_ADD_RELU, [](float a, float b, float, float) { return Largest(a + b, 0); }},
    {KSE_SUB_RELU, [](float a, float b, float, float) { return Largest(a - b, 0); }},
    {KSE_FUSED_MUL_ADD, [](float a, float b, float d, float) { return std::fma(a, d, b); }},
    {KSE_FUSED_MUL_ADD_RELU, [](float a, float b, float d, float) { return Largest(std::fma(a, d, b), 0); }},
    {KSE_MUL_ADD_DST, [](float a, float b, float d, float) { return std::fma(a, b, d); }},
    {KSE_POWER, [](float a, float b, float, float) { return std::pow(a, b); }},
    {KSE_FMOD, [](float a, float b, float, float) { return std::fmod(a, b); }},
    {KSE_ADDS, [](float a, float, float, float s) { return a + s; }},
    {KSE_MULS, [](float a, float, float, float s) { return a * s; }},
    {KSE_MAXS, [](float a, float, float, float s) { return Largest(a, s); }},
    {KSE_MINS, [](float a, float, float, float s) { return Smallest(a, s); }},
    {KSE_AXPY, [](float a, float, float d, float s) { return std::fma(a, s, d); }},
    {KSE_LEAKY_RELU, [](float a, float, float, float s) { return a >= 0 ? a : a * s; }},
    {KSE_POWER_SCALAR, [](float a, float, float, float s) { return std::pow(a, s); }},
    {KSE_SCALAR_POWER, [](float a, float, float, float s) { return std::pow(s, a); }},
    {KSE_SWISH, [](float a, float, float, float s) { return a / (1 + std::exp(-s * a)); }},
    {KSE_EXP, [](float a, float, float, float) { return std::exp(a); }},
    {KSE_LN, [](float a, float, float, float) { return std::log(a); }},
    {KSE_ABS, [](float a, float, float, float) { return std::abs(a); }},
    {KSE_RECIPROCAL, [](float a, float, float, float) { return 1 / a; }},
    {KSE_SQRT, [](float a, float, float, float) { return std::sqrt(a); }},
    {KSE_RSQRT, [](float a, float, float, float) { return 1 / std::sqrt(a); }},
    {KSE_RELU, [](float a, float, float, float) { return Largest(a, 0); }},
    {KSE_TANH, [](float a, float, float, float) { return std::tanh(a); }},
    {KSE_SIGMOID, [](float a, float, float, float) { return 1 / (1 + std::exp(-a)); }},
    {KSE_LOG2, [](float a, float, float, float) { return std::log2(a); }},
    {KSE_LOG10, [](float a, float, float, float) { return std::log10(a); }},
    {KSE_ERF, [](float a, float, float, float) { return std::erf(a); }},
    {KSE_SIN, [](float a, float, float, float) { return std::sin(a); }},
    {KSE_COS, [](float a, float, float, float) { return std::cos(a); }},
    {KSE_FLOOR, [](float a, float, float, float) { return std::floor(a); }},
    {KSE_CEIL, [](float a, float, float, float) { return std::ceil(a); }},
    {KSE_TRUNC, [](float a, float, float, float) { return std::trunc(a); }},
    {KSE_FRAC, [](float a, float, float, float) { return a - std::trunc(a); }},
    {KSE_SIGN, [](float a, float, float, float) { return std::isnan(a) ? a : static_cast<float>((a > 0) - (a < 0)); }},
};

bool SameFloat(float a, float b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST_F(ElementwiseTest, FloatOperationsMatchTheModelBitForBit) {
  const size_t n = 1000;
  const std::vector<float> a = Floats(n, 1), b = Floats(n, 2), d = Floats(n, 3);
  const float s = 1.75f;
  for (const FloatCase& c : kFloatCases) {
    const kse_tensor x = Put(0, KSE_FLOAT, a), y = Put(8192, KSE_FLOAT, b), z = Put(16384, KSE_FLOAT, d);
    Run(c.operation, Strided(z), Strided(x), Strided(y), Count(n), FloatBits(s));
    const std::vector<float> got = Get<float>(z, n);
    for (size_t i = 0; i < n; ++i) {
      const float want = c.model(a[i], b[i], d[i], s);
      ASSERT_TRUE(SameFloat(got[i], want))
          << c.operation << " of " << a[i] << ", " << b[i] << ": " << got[i] << " not " << want;
    }
  }
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ElementwiseTest, HalfOperationsRoundOncePerInstruction) {
  const size_t n = 1000;
  const std::vector<uint16_t> a = Halves(Floats(n, 4)), b = Halves(Floats(n, 5)), d = Halves(Floats(n, 6));
  const uint16_t s = FloatToHalf(1.75f, Rounding::kRint);
  for (const FloatCase& c : kFloatCases) {
    const kse_tensor x = Put(0, KSE_HALF, a), y = Put(8192, KSE_HALF, b), z = Put(16384, KSE_HALF, d);
    Run(c.operation, Strided(z), Strided(x), Strided(y), Count(n), s);
    const std::vector<uint16_t> got = Get<uint16_t>(z, n);
    for (size_t i = 0; i < n; ++i) {
      const float want = c.model(HalfToFloat(a[i]), HalfToFloat(b[i]), HalfToFloat(d[i]), 1.75f);
      const uint16_t half = FloatToHalf(want, Rounding::kRint);
      ASSERT_TRUE(SameFloat(HalfToFloat(got[i]), HalfToFloat(half)))
          << c.operation << " of " << HalfToFloat(a[i]) << ": " << HalfToFloat(got[i]) << " not " << HalfToFloat(half);
    }
  }
}

TEST_F(ElementwiseTest, GeluIsNearTheExactFunction) {
  const std::vector<float> a = {-3, -1, -0.1f, 0, 0.1f, 1, 3, 10};
  const kse_tensor x = Put(0, KSE_FLOAT, a), z = Put(512, KSE_FLOAT, a);
  Run(KSE_GELU, Strided(z), Strided(x), kNothing, Count(8));
  const std::vector<float> exact = Get<float>(z, 8);
  Run(KSE_FASTER_GELU, Strided(z), Strided(x), kNothing, Count(8));
  const std::vector<float> faster = Get<float>(z, 8);
  for (size_t i = 0; i < a.size(); ++i) {
    const double want = 0.5 * a[i] * (1 + std::erf(a[i] / std::sqrt(2.0)));
    EXPECT_NEAR(exact[i], want, 1e-3);
    EXPECT_NEAR(faster[i], want, 3e-2);
  }
}

TEST_F(ElementwiseTest, IntegersWrapAround) {
  struct Case {
    kse_vector_operation operation;
    int16_t a, b, want;
  };
  const Case cases[] = {
      {KSE_ADD, 32767, 1, -32768},
      {KSE_SUB, -32768, 1, 32767},
      {KSE_MUL, 300, 300, static_cast<int16_t>(90000)},
      {KSE_MAX, -3, 2, 2},
      {KSE_MIN, -3, 2, -3},
      {KSE_AND, 0x0ff0, 0x00ff, 0x00f0},
      {KSE_OR, 0x0ff0, 0x00ff, 0x0fff},
      {KSE_ADD_RELU, 5, -9, 0},
      {KSE_SUB_RELU, 9, 5, 4},
      {KSE_XOR, 3, 5, 6},
  };
  for (const Case& c : cases) {
    const kse_tensor x = Put(0, KSE_INT16, std::vector<int16_t>(16, c.a)),
                     y = Put(64, KSE_INT16, std::vector<int16_t>(16, c.b)),
                     z = Put(128, KSE_INT16, std::vector<int16_t>(16, 0));
    Run(c.operation, Strided(z), Strided(x), Strided(y), Count(16));
    EXPECT_EQ(Get<int16_t>(z, 16), std::vector<int16_t>(16, c.want)) << c.operation;
  }
}

TEST_F(ElementwiseTest, ShiftsAreArithmeticForSignedAndLogicalForUnsignedTypes) {
  const kse_tensor x = Put(0, KSE_INT16, std::vector<int16_t>(16, static_cast<int16_t>(0xaaaa)));
  const kse_tensor z = Put(64, KSE_INT16, std::vector<int16_t>(16, 0));
  Run(KSE_SHIFT_RIGHT, Strided(z), Strided(x), kNothing, Count(16), 3);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0xf555);
  kse_tensor ux = x, uz = z;
  ux.element = uz.element = KSE_UINT16;
  Run(KSE_SHIFT_RIGHT, Strided(uz), Strided(ux), kNothing, Count(16), 1);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0x5555);
  Run(KSE_SHIFT_LEFT, Strided(uz), Strided(ux), kNothing, Count(16), 16);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0);
  Run(KSE_SHIFT_RIGHT_ROUND, Strided(z), Strided(x), kNothing, Count(16), 1);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0xd555);
  Run(KSE_NOT, Strided(uz), Strided(ux), kNothing, Count(16));
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0x5555);
}

TEST_F(ElementwiseTest, HalfAccumulatesIntoFloat) {
  const kse_tensor x = Put(0, KSE_HALF, Halves(std::vector<float>(64, 0.1f)));
  const kse_tensor z = Put(512, KSE_FLOAT, std::vector<float>(64, 1));
  Run(KSE_AXPY, Strided(z), Strided(x, 1, 4), kNothing, Prefix(64, 1), FloatToHalf(2, Rounding::kRint));
  EXPECT_EQ(Get<float>(z, 1)[0], std::fma(HalfToFloat(FloatToHalf(0.1f, Rounding::kRint)), 2.0f, 1.0f));
}

TEST_F(ElementwiseTest, MasksAndStridesTouchTheLanesOfTheModelOnly) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const uint32_t repeats = 1 + static_cast<uint32_t>(random() % 4);
    const uint64_t low = round % 3 == 0 ? ~uint64_t{0} : random();
    const uint32_t blocks[3] = {1 + static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 3),
                                1 + static_cast<uint32_t>(random() % 3)};
    const uint32_t strides[3] = {24 + static_cast<uint32_t>(random() % 9), static_cast<uint32_t>(random() % 20),
                                 static_cast<uint32_t>(random() % 20)};
    const std::vector<float> a = Floats(4096, random()), b = Floats(4096, random()), d = Floats(4096, random());
    const kse_tensor x = Put(0, KSE_FLOAT, a), y = Put(32768, KSE_FLOAT, b), z = Put(65536, KSE_FLOAT, d);
    std::vector<float> want = d;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
      for (uint32_t lane = 0; lane < 64; ++lane) {
        if ((low >> lane & 1) == 0) continue;
        const auto at = [&](int operand) {
          return (repeat * strides[operand] + lane / 8 * blocks[operand]) * 8 + lane % 8;
        };
        want[at(0)] = a[at(1)] + b[at(2)];
      }
    }
    Run(KSE_ADD, Strided(z, blocks[0], strides[0]), Strided(x, blocks[1], strides[1]),
        Strided(y, blocks[2], strides[2]), Bits(low, 0, static_cast<int32_t>(repeats)));
    const std::vector<float> got = Get<float>(z, 4096);
    for (size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(SameFloat(got[i], want[i])) << round << " at " << i;
  }
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ElementwiseTest, SixteenBitElementsHaveTwoWordsOfMask) {
  const kse_tensor x = Put(0, KSE_INT16, std::vector<int16_t>(128, 1));
  const kse_tensor z = Put(512, KSE_INT16, std::vector<int16_t>(128, 0));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Bits(8, 2, 1), 4);
  std::vector<int16_t> want(128, 0);
  want[3] = want[65] = 5;
  EXPECT_EQ(Get<int16_t>(z, 128), want);
}

TEST_F(ElementwiseTest, ZeroCountsRepeatsAndMasksDoNothing) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1));
  const kse_tensor z = Put(512, KSE_FLOAT, std::vector<float>(64, 7));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Count(0), FloatBits(1));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Prefix(64, 0), FloatBits(1));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Prefix(0, 4), FloatBits(1));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Bits(0, 0, 4), FloatBits(1));
  EXPECT_EQ(Get<float>(z, 64), std::vector<float>(64, 7));
  EXPECT_THAT(issued(), IsEmpty());
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ElementwiseTest, CounterModeCountsElementsAndFollowsStrides) {
  const kse_tensor x = Put(0, KSE_HALF, std::vector<uint16_t>(1024, FloatToHalf(1, Rounding::kRint)));
  const kse_tensor z = Put(4096, KSE_HALF, std::vector<uint16_t>(1024, 0));
  kse_vector_set_count_mode(true);
  Run(KSE_ADDS, Strided(z, 2, 16), Strided(x, 2, 16), kNothing, Prefix(130, 1), FloatToHalf(1, Rounding::kRint));
  kse_vector_set_count_mode(false);
  const std::vector<uint16_t> got = Get<uint16_t>(z, 1024);
  uint32_t written = 0;
  for (uint32_t i = 0; i < got.size(); ++i) {
    const uint32_t block = i / 16;
    const bool active = block % 2 == 0 && (block < 16 || (block == 16 && i % 16 < 2));
    EXPECT_EQ(got[i] != 0, active) << i;
    written += got[i] != 0;
  }
  EXPECT_EQ(written, 130u);
}

TEST_F(ElementwiseTest, TheMaskRegisterDecidesWhereTheCallDoesNot) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(128, 1));
  const kse_tensor z = Put(1024, KSE_FLOAT, std::vector<float>(128, 0));
  kse_vector_set_mask_length(3, false);
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Register(2), FloatBits(1));
  std::vector<float> want(128, 0);
  for (const int i : {0, 1, 2, 64, 65, 66}) want[static_cast<size_t>(i)] = 2;
  EXPECT_EQ(Get<float>(z, 128), want);
  kse_vector_set_count_mode(true);
  kse_vector_set_mask_length(70, true);
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Register(1), FloatBits(2));
  EXPECT_EQ(Get<float>(z, 128)[69], 3);
  EXPECT_EQ(Get<float>(z, 128)[70], 0);
}

TEST_F(ElementwiseTest, TheCountFormResetsTheMaskRegisters) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1));
  kse_vector_set_count_mode(true);
  kse_vector_set_mask_length(5, true);
  Run(KSE_ABS, Strided(x), Strided(x), kNothing, Count(64));
  EXPECT_FALSE(core().vector().count_mode);
  EXPECT_EQ(core().vector().mask_low, ~uint64_t{0});
}

TEST_F(ElementwiseTest, InPlaceWorksInEveryForm) {
  const std::vector<float> a = Floats(512, 9);
  for (const kse_lanes& lanes : {Count(512), Prefix(64, 8), Bits(0x00ff00ff00ff00ff, 0, 8)}) {
    const kse_tensor x = Put(0, KSE_FLOAT, a);
    Run(KSE_ADD, Strided(x), Strided(x), Strided(x), lanes);
    const std::vector<float> got = Get<float>(x, 512);
    for (size_t i = 0; i < 512; ++i) {
      const bool active = lanes.form != KSE_LANES_BITS || (lanes.mask[0] >> i % 64 & 1) != 0;
      ASSERT_TRUE(SameFloat(got[i], active ? a[i] + a[i] : a[i])) << i;
    }
  }
}

TEST_F(ElementwiseTest, ARepeatSeesWhatTheRepeatBeforeItWrote) {
  // A destination that stays in place sums the repeats of the source.
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(256, 1));
  const kse_tensor sum = Put(2048, KSE_FLOAT, std::vector<float>(64, 0));
  Run(KSE_ADD, Strided(sum, 1, 0), Strided(x), Strided(sum, 1, 0), Prefix(64, 4));
  EXPECT_EQ(Get<float>(sum, 64), std::vector<float>(64, 4));
}

TEST_F(ElementwiseTest, NarrowingInPlaceIsExactAndWideningInPlaceIsNot) {
  std::vector<float> a(256);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  const kse_tensor wide = Put(0, KSE_FLOAT, a);
  const kse_tensor narrow = Tensor(0, KSE_HALF, 512);
  Run(KSE_CAST, Strided(narrow), Strided(wide), kNothing, Count(256), 0, 1);
  EXPECT_EQ(Get<uint16_t>(narrow, 256), Halves(a));
  Run(KSE_CAST, Strided(wide), Strided(narrow), kNothing, Count(256), 0, 0);
  EXPECT_NE(Get<float>(wide, 256), a);
}

TEST_F(ElementwiseTest, ALaneIsDefinedIfItsSourcesAre) {
  const kse_tensor x = Put(0, KSE_HALF, std::vector<uint16_t>(256, 0)),
                   y = Put(1024, KSE_HALF, std::vector<uint16_t>(256, 0));
  const kse_tensor z = Tensor(2048, KSE_HALF, 512);
  Undefine(x, 20, 2);
  Undefine(y, 101, 1);
  Run(KSE_ADD, Strided(z), Strided(x), Strided(y), Count(200));
  EXPECT_TRUE(Defined(z, 0, 20));
  EXPECT_THAT(Shadow(z, 20, 2), ElementsAre(0, 0));
  EXPECT_TRUE(Defined(z, 22, 78));
  EXPECT_THAT(Shadow(z, 100, 2), ElementsAre(0, 0));
  EXPECT_TRUE(Defined(z, 102, 298));
  EXPECT_THAT(Shadow(z, 400, 2), ElementsAre(0, 0)) << "beyond the count";
  Run(KSE_ADD, Strided(z), Strided(x), Strided(y), Bits(1 << 10 | 1 << 11, 0, 1));
  EXPECT_THAT(Shadow(z, 20, 4), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(findings(), IsEmpty()) << "undefined bytes are no fault until they matter";
}

TEST_F(ElementwiseTest, AccumulationNeedsADefinedDestination) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1));
  const kse_tensor z = Tensor(1024, KSE_FLOAT, 256);
  Run(KSE_AXPY, Strided(z), Strided(x), kNothing, Count(64), FloatBits(2));
  EXPECT_THAT(Shadow(z, 0, 4), ElementsAre(0, 0, 0, 0));
}

TEST_F(ElementwiseTest, ACallIsOneRecordWithAnAccessPerOperand) {
  const kse_tensor x = Put(0, KSE_HALF, std::vector<uint16_t>(1000, 0)),
                   y = Put(2048, KSE_HALF, std::vector<uint16_t>(1000, 0)),
                   z = Put(4096, KSE_HALF, std::vector<uint16_t>(1000, 0));
  Run(KSE_ADD, Strided(z), Strided(x), Strided(y), Count(1000));
  const std::vector<Issued> all = issued();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].record.pipe, Pipe::kVector);
  EXPECT_EQ(all[0].record.a, static_cast<uint32_t>(Compute::kAdd));
  EXPECT_EQ(all[0].record.b, static_cast<uint32_t>(Element::kHalf));
  EXPECT_EQ(all[0].record.work, 1000u);
  EXPECT_EQ(all[0].record.d, 8u);
  EXPECT_EQ(all[0].record.line, 7u);
  ASSERT_THAT(all[0].accesses, SizeIs(3));
  EXPECT_EQ(all[0].accesses[0].kind, AccessKind::kRead);
  EXPECT_EQ(all[0].accesses[2].kind, AccessKind::kWrite);
  EXPECT_EQ(all[0].accesses[2].offset, 4096u);
  EXPECT_EQ(all[0].accesses[2].run_bytes, 2000u);
}

TEST_F(ElementwiseTest, ForbiddenArgumentsAreFindings) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(1024, 1));
  const kse_tensor z = Put(8192, KSE_FLOAT, std::vector<float>(1024, 7));
  struct Case {
    std::function<void()> call;
    Check check;
    const char* text;
  };
  const kse_tensor off = [&] {
    kse_tensor t = x;
    t.address = 4;
    return t;
  }();
  const kse_tensor partly = [&] {
    kse_tensor t = x;
    t.address = 32;
    return t;
  }();
  const kse_tensor outside = [&] {
    kse_tensor t = z;
    t.address = 196608 - 64;
    return t;
  }();
  const kse_tensor global = [&] {
    kse_tensor t = x;
    t.space = KSE_SPACE_GLOBAL;
    return t;
  }();
  const Case cases[] = {
      {[&] { Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Count(-1)); }, Check::kArgument, "negative"},
      {[&] { Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Prefix(64, 256)); }, Check::kArgument, "0 to 255"},
      {[&] { Run(KSE_ADDS, Strided(z, 0, 8), Strided(x), kNothing, Prefix(64, 1)); }, Check::kArgument, "stride is 0"},
      {[&] { Run(KSE_ADDS, Strided(z), Strided(off), kNothing, Count(8)); }, Check::kMisaligned, "no multiple of 32"},
      {[&] { Run(KSE_ADDS, Strided(partly), Strided(x), kNothing, Count(64)); }, Check::kArgument, "overlap in part"},
      {[&] { Run(KSE_ADDS, Strided(outside), Strided(x), kNothing, Count(64)); }, Check::kOutOfBounds, "writes"},
      {[&] { Run(KSE_ADDS, Strided(z), Strided(global), kNothing, Count(64)); }, Check::kArgument, "unified buffer"},
      {[&] { Run(KSE_SHIFT_LEFT, Strided(z), Strided(x), kNothing, Count(64)); }, Check::kArgument, "not supported"},
      {[&] { Run(KSE_CAST, Strided(z), Strided(x), kNothing, Count(64), 0, 6); }, Check::kArgument, "CAST_ODD"},
  };
  for (const Case& c : cases) {
    const size_t before = findings().size();
    const size_t records = issued().size();
    c.call();
    const std::vector<Seen> seen = findings();
    ASSERT_EQ(seen.size(), before + 1) << c.text;
    EXPECT_EQ(seen.back().check, c.check) << seen.back().text;
    EXPECT_TRUE(seen.back().error);
    EXPECT_THAT(seen.back().text, HasSubstr(c.text));
    EXPECT_EQ(issued().size(), records) << "skipped";
  }
  EXPECT_EQ(Get<float>(z, 1024), std::vector<float>(1024, 7));
}

TEST_F(ElementwiseTest, AMaskBeyondTheLanesIsANoteAndComputesAllLanes) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1)), z = Put(512, KSE_FLOAT, std::vector<float>(64, 0));
  Run(KSE_ADDS, Strided(z), Strided(x), kNothing, Prefix(100, 1), FloatBits(1));
  const std::vector<Seen> seen = findings();
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_FALSE(seen[0].error);
  EXPECT_THAT(seen[0].text, HasSubstr("mask 100 exceeds the 64 lanes"));
  EXPECT_EQ(Get<float>(z, 64), std::vector<float>(64, 2));
}

TEST_F(ElementwiseTest, SaturationTurnsInfinityIntoTheLargestNumber) {
  const kse_tensor x = Put(0, KSE_HALF, Halves({60000, -60000, NAN, 1})), z = Put(64, KSE_HALF, Halves({0, 0, 0, 0}));
  Run(KSE_MULS, Strided(z), Strided(x), kNothing, Count(4), FloatToHalf(2, Rounding::kRint));
  EXPECT_EQ(Get<uint16_t>(z, 2)[0], 0x7c00);
  kse_vector_set_saturation(false, true);
  Run(KSE_MULS, Strided(z), Strided(x), kNothing, Count(4), FloatToHalf(2, Rounding::kRint));
  EXPECT_THAT(Get<uint16_t>(z, 4), ElementsAre(0x7bff, 0xfbff, 0, 0x4000));
}

TEST_F(ElementwiseTest, DuplicateFillsEveryForm) {
  const kse_tensor z = Put(0, KSE_UINT32, std::vector<uint32_t>(64, 0));
  Run(KSE_DUPLICATE, Strided(z), kNothing, kNothing, Count(5), 0xdeadbeef);
  EXPECT_EQ(Get<uint32_t>(z, 6)[4], 0xdeadbeef);
  EXPECT_EQ(Get<uint32_t>(z, 6)[5], 0u);
  Run(KSE_DUPLICATE, Strided(z), kNothing, kNothing, Bits(2, 0, 1), 9);
  EXPECT_EQ(Get<uint32_t>(z, 6)[1], 9u);
  const kse_tensor x = Put(1024, KSE_UINT32, std::vector<uint32_t>(8, 3));
  Run(KSE_DUPLICATE_FIRST, Strided(z), Strided(x), kNothing, Count(64));
  EXPECT_EQ(Get<uint32_t>(z, 64), std::vector<uint32_t>(64, 3));
  Undefine(x, 1, 1);
  Run(KSE_DUPLICATE_FIRST, Strided(z), Strided(x), kNothing, Count(10));
  EXPECT_FALSE(Defined(z, 36, 4));
  EXPECT_TRUE(Defined(z, 40, 4));
}

TEST_F(ElementwiseTest, ArangeCountsLanesOfAllRepeats) {
  const kse_tensor z = Put(0, KSE_INT32, std::vector<int32_t>(256, -1));
  Run(KSE_ARANGE, Strided(z, 1, 16), kNothing, kNothing, Prefix(3, 2), 10);
  EXPECT_EQ(Get<int32_t>(z, 4)[2], 12);
  EXPECT_EQ(Get<int32_t>(z, 4)[3], -1);
  EXPECT_EQ(Get<int32_t>(z, 256)[128], 74);
  kse_vector_arange(&z, 5, static_cast<uint64_t>(-2), 4, &where_);
  EXPECT_THAT(Get<int32_t>(z, 4), ElementsAre(5, 3, 1, -1));
}

TEST_F(ElementwiseTest, BothBuildsOfTheLoopsGiveTheSameNumbers) {
  if (!HasAvx2()) GTEST_SKIP() << "no AVX2";
  const std::vector<float> a = Floats(777, 20), b = Floats(777, 21), d = Floats(777, 22);
  const std::vector<uint16_t> ha = Halves(a), hb = Halves(b), hd = Halves(d);
  for (int operation = KSE_ADD; operation <= KSE_SIGN; ++operation) {
    const auto op = static_cast<kse_vector_operation>(operation);
    for (const Element type : {Element::kFloat, Element::kHalf, Element::kInt16, Element::kInt32, Element::kUint16}) {
      const LaneFunction base = FindLanesBase(op, type, type);
      const LaneFunction fast = FindLanesAvx2(op, type, type);
      ASSERT_EQ(base == nullptr, fast == nullptr);
      if (base == nullptr) continue;
      const bool wide = ElementBits(type) == 32;
      const void* pa = wide ? static_cast<const void*>(a.data()) : ha.data();
      const void* pb = wide ? static_cast<const void*>(b.data()) : hb.data();
      const void* pd = wide ? static_cast<const void*>(d.data()) : hd.data();
      const size_t bytes = 777 * ElementBits(type) / 8;
      std::vector<std::byte> one(bytes), two(bytes);
      std::memcpy(one.data(), pd, bytes);
      std::memcpy(two.data(), pd, bytes);
      LaneArguments arguments{.a = static_cast<const std::byte*>(pa),
                              .b = static_cast<const std::byte*>(pb),
                              .n = 777,
                              .scalar = 1.5f,
                              .integer = 3};
      arguments.d = one.data();
      base(arguments);
      arguments.d = two.data();
      fast(arguments);
      for (size_t i = 0; i < 777; ++i) {
        if (type == Element::kFloat) {
          float x, y;
          std::memcpy(&x, one.data() + 4 * i, 4);
          std::memcpy(&y, two.data() + 4 * i, 4);
          ASSERT_TRUE(SameFloat(x, y)) << operation << " at " << i << ": " << x << " and " << y;
        } else if (type == Element::kHalf) {
          uint16_t x, y;
          std::memcpy(&x, one.data() + 2 * i, 2);
          std::memcpy(&y, two.data() + 2 * i, 2);
          ASSERT_TRUE(SameFloat(HalfToFloat(x), HalfToFloat(y))) << operation << " at " << i;
        }
      }
      if (type != Element::kFloat && type != Element::kHalf) {
        EXPECT_EQ(one, two) << operation;
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
