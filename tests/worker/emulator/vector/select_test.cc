// Comparison and selection against plain loops.
#include <random>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SelectTest : public VectorFixture {
 protected:
  void Compare(const kse_tensor* dst, const kse_operand& a, const kse_operand* b, uint64_t scalar, kse_compare mode,
               const kse_lanes& lanes) {
    kse_vector_compare(dst, &a, b, scalar, mode, &lanes, &where_);
  }
  void Select(const kse_operand& dst, const kse_tensor* bits, const kse_operand& a, const kse_operand* b,
              uint64_t scalar, bool per_repeat, const kse_lanes& lanes) {
    kse_vector_select(&dst, bits, &a, b, scalar, per_repeat, &lanes, &where_);
  }
  std::vector<float> Small(size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(random() % 5) - 2;
    return values;
  }
};

TEST_F(SelectTest, EveryModeComparesTensorsAndScalars) {
  const std::vector<float> a = Small(256, 1), b = Small(256, 2);
  const kse_tensor x = Put(0, KSE_FLOAT, a), y = Put(1024, KSE_FLOAT, b);
  const kse_operand right = Strided(y);
  for (int mode = KSE_LT; mode <= KSE_NE; ++mode) {
    const auto holds = [mode](float p, float q) {
      const bool results[] = {p<q, p> q, p == q, p <= q, p >= q, p != q};
      return results[mode];
    };
    for (const bool scalar : {false, true}) {
      const kse_tensor z = Put(2048, KSE_UINT8, std::vector<uint8_t>(40, 0xee));
      Compare(&z, Strided(x), scalar ? nullptr : &right, FloatBits(1), static_cast<kse_compare>(mode), Count(256));
      const std::vector<uint8_t> got = Get<uint8_t>(z, 40);
      for (size_t i = 0; i < 256; ++i) {
        EXPECT_EQ(got[i / 8] >> i % 8 & 1, holds(a[i], scalar ? 1 : b[i])) << mode << " at " << i;
      }
      EXPECT_EQ(got[32], 0xee);
    }
  }
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SelectTest, ACountThatIsNoMultipleOf256BytesIsAFindingAndItsRestIsNotCompared) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(128, 1)),
                   z = Put(1024, KSE_UINT8, std::vector<uint8_t>(32, 0));
  Compare(&z, Strided(x), nullptr, FloatBits(1), KSE_EQ, Count(100));
  EXPECT_EQ(Get<uint8_t>(z, 9)[7], 0xff);
  EXPECT_EQ(Get<uint8_t>(z, 9)[8], 0);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].text, HasSubstr("count 100 is no multiple of the 64"));
}

TEST_F(SelectTest, IntegersCompareForEqualityOnly) {
  const kse_tensor x = Put(0, KSE_INT32, std::vector<int32_t>(64, 5)),
                   z = Put(1024, KSE_UINT8, std::vector<uint8_t>(8, 0));
  Compare(&z, Strided(x), nullptr, 5, KSE_EQ, Count(64));
  EXPECT_EQ(Get<uint8_t>(z, 8), std::vector<uint8_t>(8, 0xff));
  Compare(&z, Strided(x), nullptr, 5, KSE_LT, Count(64));
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].text, HasSubstr("int32_t is not supported"));
}

TEST_F(SelectTest, SelectionTakesItsBitsPerRepeatOrOnce) {
  std::mt19937 random(3);
  const std::vector<float> a = Small(192, 4), b = Small(192, 5);
  std::vector<uint8_t> bits(32);
  for (uint8_t& byte : bits) byte = static_cast<uint8_t>(random());
  const kse_tensor x = Put(0, KSE_FLOAT, a), y = Put(1024, KSE_FLOAT, b), s = Put(2048, KSE_UINT8, bits);
  const kse_operand right = Strided(y);
  for (const bool per_repeat : {false, true}) {
    for (const bool scalar : {false, true}) {
      const kse_tensor z = Put(4096, KSE_FLOAT, std::vector<float>(192, 99));
      Select(Strided(z), &s, Strided(x), scalar ? nullptr : &right, FloatBits(42), per_repeat, Count(170));
      const std::vector<float> got = Get<float>(z, 192);
      for (size_t i = 0; i < 192; ++i) {
        const size_t bit = per_repeat ? i : i % 64;
        const float other = scalar ? 42 : b[i];
        const float want = i >= 170 ? 99 : ((bits[bit / 8] >> bit % 8 & 1) != 0 ? a[i] : other);
        EXPECT_EQ(got[i], want) << i;
      }
    }
  }
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SelectTest, MasksKeepTheDestination) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1)), z = Put(512, KSE_FLOAT, std::vector<float>(64, 9)),
                   s = Put(1024, KSE_UINT8, std::vector<uint8_t>(8, 0x0f));
  Select(Strided(z), &s, Strided(x), nullptr, FloatBits(2), true, Bits(0x30, 0, 1));
  std::vector<float> want(64, 9);
  want[4] = want[5] = 2;
  EXPECT_EQ(Get<float>(z, 64), want);
}

TEST_F(SelectTest, TheCompareRegisterServesSelection) {
  const std::vector<float> a = Small(64, 6), b = Small(64, 7);
  const kse_tensor x = Put(0, KSE_FLOAT, a), y = Put(512, KSE_FLOAT, b),
                   z = Put(1024, KSE_FLOAT, std::vector<float>(64, 0));
  const kse_operand right = Strided(y);
  Compare(nullptr, Strided(x), &right, 0, KSE_GE, Prefix(64, 1));
  Select(Strided(z), nullptr, Strided(x), &right, 0, false, Prefix(64, 1));
  const kse_tensor bits = Tensor(2048, KSE_UINT8, 128);
  kse_vector_get_compare_mask(&bits, &where_);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(Get<float>(z, 64)[i], std::max(a[i], b[i]));
    EXPECT_EQ(Get<uint8_t>(bits, 8)[i / 8] >> i % 8 & 1, a[i] >= b[i]);
  }
  const kse_tensor ones = Put(4096, KSE_UINT8, std::vector<uint8_t>(16, 0xff));
  kse_vector_set_compare_mask(&ones, &where_);
  Select(Strided(z), nullptr, Strided(x), &right, 0, false, Prefix(64, 1));
  EXPECT_EQ(Get<float>(z, 64), a);
}

TEST_F(SelectTest, DefinednessFollowsTheBitAndTheChosenSource) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1)), y = Put(512, KSE_FLOAT, std::vector<float>(64, 2)),
                   z = Tensor(1024, KSE_FLOAT, 256), s = Put(2048, KSE_UINT8, std::vector<uint8_t>(8, 0x01));
  const kse_operand right = Strided(y);
  Undefine(x, 4, 4);
  Undefine(y, 8, 4);
  Undefine(s, 7, 1);
  Select(Strided(z), &s, Strided(x), &right, 0, true, Count(64));
  EXPECT_TRUE(Defined(z, 0, 8)) << "the undefined element of x was not chosen";
  EXPECT_FALSE(Defined(z, 8, 4));
  EXPECT_TRUE(Defined(z, 12, 44 * 4));
  EXPECT_FALSE(Defined(z, 56 * 4, 4));
  const kse_tensor bits = Tensor(3072, KSE_UINT8, 8);
  Compare(&bits, Strided(x), nullptr, 0, KSE_EQ, Count(64));
  EXPECT_FALSE(Defined(bits, 0, 1));
  EXPECT_TRUE(Defined(bits, 1, 7));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
