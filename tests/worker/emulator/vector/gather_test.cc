// Gathering, filling of blocks, transposes and broadcasts against plain loops.
#include <numeric>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GatherTest : public VectorFixture {
 protected:
  template <class T>
  std::vector<T> Iota(size_t n, T first = 0) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
};

TEST_F(GatherTest, FixedPatternsKeepTheirLanes) {
  const kse_tensor x = Put(0, KSE_UINT32, Iota<uint32_t>(128));
  const kse_operand from = Strided(x);
  const auto keeps = [](int pattern, uint32_t i) {
    return pattern == 7 || (pattern <= 2 ? i % 2 == pattern - 1u : i % 4 == pattern - 3u);
  };
  for (int pattern = 1; pattern <= 7; ++pattern) {
    const kse_tensor z = Put(4096, KSE_UINT32, std::vector<uint32_t>(128, 999));
    std::vector<uint32_t> want;
    for (uint32_t i = 0; i < 128; ++i) {
      if (keeps(pattern, i)) want.push_back(i);
    }
    EXPECT_EQ(kse_vector_gather_mask(&z, &from, nullptr, static_cast<uint8_t>(pattern), false, 0, 2, &where_),
              want.size());
    EXPECT_EQ(Get<uint32_t>(z, want.size()), want) << pattern;
  }
}

TEST_F(GatherTest, CounterModeTakesARepeatOfMaskElementsAndItsOwnPattern) {
  const kse_tensor x = Put(0, KSE_UINT32, Iota<uint32_t>(256)),
                   p = Put(2048, KSE_UINT32, std::vector<uint32_t>(16, 0x99999999)),
                   z = Put(4096, KSE_UINT32, std::vector<uint32_t>(128, 0));
  const kse_operand from = Strided(x, 1, 16), bits = Strided(p, 1, 0);
  EXPECT_EQ(kse_vector_gather_mask(&z, &from, &bits, 0, true, 70, 2, &where_), 2 * 35u);
  std::vector<uint32_t> want;
  for (uint32_t repeat = 0; repeat < 2; ++repeat) {
    for (uint32_t i = 0; i < 70; ++i) {
      if (i % 4 == 0 || i % 4 == 3) want.push_back(repeat * 128 + i);
    }
  }
  EXPECT_EQ(Get<uint32_t>(z, want.size()), want);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GatherTest, APatternThatIsUndefinedDecidesACount) {
  const kse_tensor x = Put(0, KSE_UINT32, Iota<uint32_t>(64)), p = Tensor(2048, KSE_UINT32, 32),
                   z = Tensor(4096, KSE_UINT32, 512);
  const kse_operand from = Strided(x), bits = Strided(p);
  kse_vector_gather_mask(&z, &from, &bits, 0, false, 0, 1, &where_);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].check, Check::kUninitialized);
}

TEST_F(GatherTest, OffsetsCountBytesFromTheBase) {
  const kse_tensor x = Put(0, KSE_UINT16, Iota<uint16_t>(512)),
                   o = Put(2048, KSE_UINT32, std::vector<uint32_t>{0, 200, 2, 64}),
                   z = Put(4096, KSE_UINT16, std::vector<uint16_t>(8, 7));
  const kse_operand to = Strided(z);
  const kse_lanes four = Count(4);
  kse_vector_gather(&to, &x, &o, 16, &four, &where_);
  EXPECT_EQ(Get<uint16_t>(z, 5), (std::vector<uint16_t>{8, 108, 9, 40, 7}));
  const kse_tensor odd = Put(2048, KSE_UINT32, std::vector<uint32_t>{1, 0, 0, 0});
  kse_vector_gather(&to, &x, &odd, 0, &four, &where_);
  const kse_tensor far = Put(2048, KSE_UINT32, std::vector<uint32_t>{0, 400000, 0, 0});
  kse_vector_gather(&to, &x, &far, 0, &four, &where_);
  const std::vector<Seen> seen = findings();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_THAT(seen[0].text, HasSubstr("offset 1 is no multiple"));
  EXPECT_EQ(seen[1].check, Check::kOutOfBounds);
}

TEST_F(GatherTest, BlocksGoWhereTheStridesSay) {
  const kse_tensor x = Put(0, KSE_UINT32, Iota<uint32_t>(64)),
                   o = Put(1024, KSE_UINT32, std::vector<uint32_t>{224, 192, 160, 128, 96, 64, 32, 0}),
                   z = Put(2048, KSE_UINT32, std::vector<uint32_t>(128, 0));
  const kse_operand to = Strided(z, 2, 16);
  kse_vector_gather_blocks(&to, &x, &o, 1, &where_);
  EXPECT_EQ(Get<uint32_t>(z, 1)[0], 56u);
  EXPECT_EQ(Get<uint32_t>(z, 128)[14 * 8], 0u);
  EXPECT_EQ(Get<uint32_t>(z, 128)[14 * 8 + 1], 1u);
}

TEST_F(GatherTest, BrcbFillsABlockWithEachElement) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
                   z = Tensor(1024, KSE_FLOAT, 512);
  Undefine(x, 4, 4);
  const kse_operand to = Strided(z, 1, 8);
  kse_vector_brcb(&to, &x, 2, &where_);
  const std::vector<float> got = Get<float>(z, 128);
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(got[i], static_cast<float>(i / 8 + 1));
  EXPECT_TRUE(Defined(z, 0, 32));
  EXPECT_FALSE(Defined(z, 32, 32));
  EXPECT_TRUE(Defined(z, 64, 448));
}

TEST_F(GatherTest, TransposesSwapRowsAndColumns) {
  const kse_tensor x = Put(0, KSE_UINT16, Iota<uint16_t>(256));
  kse_vector_transpose16(&x, &x, &where_);
  for (uint16_t i = 0; i < 256; ++i) EXPECT_EQ(Get<uint16_t>(x, 256)[i], i % 16 * 16 + i / 16);
}

TEST_F(GatherTest, ChannelsGoLastAndBack) {
  const kse_tensor x = Put(0, KSE_FLOAT, [&] {
    std::vector<float> values(2 * 3 * 8);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }());
  const kse_tensor z = Put(1024, KSE_FLOAT, std::vector<float>(48, 0)),
                   y = Put(2048, KSE_FLOAT, std::vector<float>(48, 0)), w = Tensor(8192, KSE_UINT8, 8192);
  kse_vector_transpose(&z, &x, &w, 2, 3, 8, 11, &where_);
  EXPECT_EQ(Get<float>(z, 4)[1], 8);
  kse_vector_transpose(&y, &z, &w, 2, 3, 8, 12, &where_);
  EXPECT_EQ(Get<float>(y, 48), Get<float>(x, 48));
  kse_vector_transpose(&y, &z, &w, 2, 3, 8, 5, &where_);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].text, HasSubstr("transposeType 5"));
}

TEST_F(GatherTest, SixteenBlocksTransposeByPosition) {
  Put(0, KSE_UINT32, Iota<uint32_t>(128));
  const kse_tensor z = Put(4096, KSE_UINT32, std::vector<uint32_t>(128, 0));
  uint64_t from[16], to[16];
  for (uint64_t i = 0; i < 16; ++i) {
    from[i] = reinterpret_cast<uint64_t>(core().Arena(Space::kUb) + i * 32);
    to[i] = from[i] + 4096;
  }
  kse_vector_trans_5hd(KSE_UINT32, to, from, false, false, 1, 0, 0, &where_);
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(Get<uint32_t>(z, 128)[i], i % 16 * 8 + i / 16);
  from[3] = 12;
  kse_vector_trans_5hd(KSE_UINT32, to, from, false, false, 1, 0, 0, &where_);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].text, HasSubstr("address 3 of the list is not in UB"));
}

TEST_F(GatherTest, BroadcastRepeatsTheAxisOfOne) {
  const kse_tensor x = Put(0, KSE_FLOAT, std::vector<float>{1, 2}), z = Put(512, KSE_FLOAT, std::vector<float>(32, 0));
  const uint32_t wide[2] = {2, 16}, column[2] = {2, 1}, wrong[2] = {2, 3};
  kse_vector_broadcast(&z, &x, wide, column, 2, &where_);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(Get<float>(z, 32)[i], static_cast<float>(1 + i / 16));
  kse_vector_broadcast(&z, &x, wide, wrong, 2, &where_);
  ASSERT_THAT(findings(), SizeIs(1));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
