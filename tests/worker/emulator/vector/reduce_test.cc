// Reductions against plain loops.
#include <cmath>
#include <random>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

uint16_t Half(float value) { return FloatToHalf(value, Rounding::kRint); }

class ReduceTest : public VectorFixture {
 protected:
  void Reduce(const kse_operand& dst, const kse_operand& src, const kse_lanes& lanes, kse_reduction reduction,
              kse_reduce_group group, kse_reduce_order order = KSE_VALUE_INDEX) {
    kse_vector_reduce(&dst, &src, &lanes, reduction, group, order, &where_);
  }
  void All(const kse_tensor& dst, const kse_operand& src, const kse_tensor& workspace, const kse_lanes& lanes,
           kse_reduction reduction, bool index = false) {
    kse_vector_reduce_all(&dst, &src, &workspace, &lanes, reduction, index, &where_);
  }
  std::vector<float> Ramp(size_t n) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 37 % 101);
    return values;
  }
};

TEST_F(ReduceTest, SumsOfRepeatsAreTreesOfNeighbours) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> a(256);
  for (float& value : a) value = uniform(random);
  const kse_tensor x = Put(0, KSE_FLOAT, a), z = Put(2048, KSE_FLOAT, std::vector<float>(8, -1));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 4), KSE_REDUCE_SUM, KSE_GROUP_REPEAT);
  for (size_t repeat = 0; repeat < 4; ++repeat) {
    std::vector<float> tree(a.begin() + static_cast<std::ptrdiff_t>(repeat * 64),
                            a.begin() + static_cast<std::ptrdiff_t>(repeat * 64 + 64));
    while (tree.size() > 1) {
      for (size_t i = 0; i < tree.size() / 2; ++i) tree[i] = tree[2 * i] + tree[2 * i + 1];
      tree.resize(tree.size() / 2);
    }
    EXPECT_EQ(Get<float>(z, 4)[repeat], tree[0]);
  }
  EXPECT_EQ(Get<float>(z, 5)[4], -1);
}

TEST_F(ReduceTest, HalfSumsRoundAtEveryNode) {
  // 2048 + 1 is no half; the pair of ones is.
  std::vector<uint16_t> a(128, 0);
  a[0] = Half(2048);
  a[1] = Half(1);
  a[2] = a[3] = Half(1);
  const kse_tensor x = Put(0, KSE_HALF, a), z = Put(512, KSE_HALF, std::vector<uint16_t>(2, 0));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(128, 1), KSE_REDUCE_SUM, KSE_GROUP_REPEAT);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], Half(2050));
}

TEST_F(ReduceTest, ExtremesComeWithTheLowestIndexInEveryOrder) {
  std::vector<float> a = Ramp(128);
  a[10] = a[20] = 500;
  a[64 + 5] = -3;
  const kse_tensor x = Put(0, KSE_FLOAT, a);
  const kse_tensor z = Put(1024, KSE_FLOAT, std::vector<float>(8, 0));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_MAX, KSE_GROUP_REPEAT);
  EXPECT_EQ(Get<float>(z, 4)[0], 500);
  EXPECT_EQ(Get<uint32_t>(z, 4)[1], 10u);
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_MIN, KSE_GROUP_REPEAT, KSE_INDEX_VALUE);
  EXPECT_EQ(Get<uint32_t>(z, 4)[2], 5u);
  EXPECT_EQ(Get<float>(z, 4)[3], -3);
  uint64_t value = 0, index = 0;
  kse_vector_extreme(&value, &index);
  EXPECT_EQ(BitsFloat(static_cast<uint32_t>(value)), -3);
  EXPECT_EQ(index, 69u);
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_MIN, KSE_GROUP_REPEAT, KSE_ONLY_VALUE);
  EXPECT_EQ(Get<float>(z, 2)[1], -3);
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_MAX, KSE_GROUP_REPEAT, KSE_ONLY_INDEX);
  EXPECT_EQ(Get<uint32_t>(z, 2)[0], 10u);
}

TEST_F(ReduceTest, HalfIndicesAreBitsOfAHalf) {
  std::vector<uint16_t> a(128, 0);
  a[114] = Half(1);
  const kse_tensor x = Put(0, KSE_HALF, a), z = Put(512, KSE_HALF, std::vector<uint16_t>(2, 0));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(128, 1), KSE_REDUCE_MAX, KSE_GROUP_REPEAT);
  EXPECT_THAT(Get<uint16_t>(z, 2), ElementsAre(Half(1), 114));
}

TEST_F(ReduceTest, ANanWins) {
  std::vector<float> a(64, 1);
  a[7] = NAN;
  a[9] = INFINITY;
  const kse_tensor x = Put(0, KSE_FLOAT, a), z = Put(512, KSE_FLOAT, std::vector<float>(2, 0));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 1), KSE_REDUCE_MAX, KSE_GROUP_REPEAT);
  EXPECT_TRUE(std::isnan(Get<float>(z, 1)[0]));
  EXPECT_EQ(Get<uint32_t>(z, 2)[1], 7u);
}

TEST_F(ReduceTest, BlocksWithoutActiveLanesLeaveTheDestination) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(64, 1)), z = Put(512, KSE_FLOAT, std::vector<float>(8, -7));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(20, 1), KSE_REDUCE_SUM, KSE_GROUP_BLOCK);
  EXPECT_THAT(Get<float>(z, 8), ElementsAre(8, 8, 4, -7, -7, -7, -7, -7));
  Reduce(Strided(z, 1, 1), Strided(x), Bits(1ull << 63, 0, 1), KSE_REDUCE_MAX, KSE_GROUP_BLOCK);
  EXPECT_THAT(Get<float>(z, 8), ElementsAre(8, 8, 4, -7, -7, -7, -7, 1));
}

TEST_F(ReduceTest, PairsSumNeighbours) {
  const kse_tensor x = Put(0, KSE_FLOAT, Ramp(128)), z = Put(1024, KSE_FLOAT, std::vector<float>(64, -1));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_SUM, KSE_GROUP_PAIR);
  const std::vector<float> a = Ramp(128), got = Get<float>(z, 64);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], a[2 * i] + a[2 * i + 1]);
}

TEST_F(ReduceTest, EverySumIsRememberedForGetAccVal) {
  const kse_tensor x = Put(0, KSE_FLOAT, Ramp(1000)), z = Put(8192, KSE_FLOAT, std::vector<float>(1, 0)),
                   w = Put(4096, KSE_FLOAT, std::vector<float>(64, 0));
  All(z, Strided(x), w, Count(1000), KSE_REDUCE_SUM);
  float want = 0;
  for (const float value : Ramp(1000)) want += value;  // integers: exact in any order
  EXPECT_EQ(Get<float>(z, 1)[0], want);
  EXPECT_EQ(BitsFloat(static_cast<uint32_t>(kse_vector_accumulated())), want);
  EXPECT_TRUE(Defined(z, 0, 4));
  All(z, Strided(x), w, Prefix(64, 15), KSE_REDUCE_SUM);
  want = 0;
  for (const float value : Ramp(960)) want += value;
  EXPECT_EQ(Get<float>(z, 1)[0], want);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ReduceTest, ExtremesOfEverythingHaveIndicesOverAllRepeats) {
  std::vector<float> a = Ramp(1000);
  a[777] = 1e6f;
  const kse_tensor x = Put(0, KSE_FLOAT, a), z = Put(8192, KSE_FLOAT, std::vector<float>(2, 0)),
                   w = Put(4096, KSE_FLOAT, std::vector<float>(512, 0));
  All(z, Strided(x), w, Count(1000), KSE_REDUCE_MAX, true);
  EXPECT_EQ(Get<float>(z, 1)[0], 1e6f);
  EXPECT_EQ(Get<uint32_t>(z, 2)[1], 777u);
  EXPECT_FALSE(Defined(w, 0, 4)) << "what is left in the workspace is nobody's business";
  All(z, Strided(x), w, Count(1000), KSE_REDUCE_MIN, false);
  EXPECT_EQ(Get<float>(z, 1)[0], 0);
}

TEST_F(ReduceTest, AResultIsDefinedIfAllActiveLanesAre) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>(128, 1)), z = Tensor(1024, KSE_FLOAT, 64);
  Undefine(x, 70 * 4, 1);
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(64, 2), KSE_REDUCE_SUM, KSE_GROUP_REPEAT);
  EXPECT_TRUE(Defined(z, 0, 4));
  EXPECT_FALSE(Defined(z, 4, 4));
  Reduce(Strided(z, 1, 1), Strided(x), Prefix(6, 2), KSE_REDUCE_SUM, KSE_GROUP_REPEAT);
  EXPECT_TRUE(Defined(z, 0, 8)) << "lanes that the mask leaves out do not count";
}

TEST_F(ReduceTest, RowsSumWithoutTheirPadding) {
  const kse_tensor x = Put(0, KSE_FLOAT, Ramp(32)), z = Put(512, KSE_FLOAT, std::vector<float>(3, -1));
  Undefine(x, 5 * 4, 3 * 4);
  const std::vector<float> a = Ramp(32);
  kse_vector_sum_rows(&z, &x, 2, 8, 5, false, KSE_FLOAT, &where_);
  EXPECT_THAT(Get<float>(z, 3), ElementsAre(a[0] + a[1] + a[2] + a[3] + a[4], a[8] + a[9] + a[10] + a[11] + a[12], -1));
  EXPECT_TRUE(Defined(z, 0, 8)) << "padding does not count";
  kse_vector_sum_rows(&z, &x, 1, 8, 4, true, KSE_FLOAT, &where_);
  EXPECT_EQ(Get<float>(z, 1)[0], (a[0] + a[1] + a[2] + a[3]) / 4);
  kse_vector_sum_rows(&z, &x, 1, 8, 9, true, KSE_FLOAT, &where_);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].text, HasSubstr("n = 9 and inner = 8"));
}

TEST_F(ReduceTest, HalfMeansMayBeComputedInFloat) {
  const kse_tensor x = Put(0, KSE_HALF, std::vector<uint16_t>(16, Half(60000))),
                   z = Put(512, KSE_HALF, std::vector<uint16_t>(1, 0));
  kse_vector_sum_rows(&z, &x, 1, 16, 16, true, KSE_FLOAT, &where_);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], Half(60000));
  kse_vector_sum_rows(&z, &x, 1, 16, 16, true, KSE_HALF, &where_);
  EXPECT_EQ(Get<uint16_t>(z, 1)[0], 0x7c00);
}

TEST_F(ReduceTest, FaultsAreFindings) {
  const kse_tensor x = Put(0, KSE_INT32, std::vector<int32_t>(64, 1)),
                   f = Put(512, KSE_FLOAT, std::vector<float>(64, 1));
  Reduce(Strided(x, 1, 1), Strided(x), Prefix(64, 1), KSE_REDUCE_SUM, KSE_GROUP_REPEAT);
  kse_tensor odd = f;
  odd.address += 4;
  Reduce(Strided(odd, 1, 1), Strided(f), Prefix(64, 1), KSE_REDUCE_MAX, KSE_GROUP_REPEAT);
  const std::vector<Seen> seen = findings();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_THAT(seen[0].text, HasSubstr("int32_t is not supported"));
  EXPECT_EQ(seen[1].check, Check::kMisaligned);
  EXPECT_THAT(issued(), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
