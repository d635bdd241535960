// Sorting against std::stable_sort.
#include <algorithm>
#include <random>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct FloatPair {
  float score;
  uint32_t index;
  bool operator==(const FloatPair&) const = default;
};

class SortTest : public VectorFixture {
 protected:
  SortTest() {
    std::mt19937 random(1);
    for (uint32_t i = 0; i < 128; ++i) pairs_.push_back({static_cast<float>(random() % 40), i * 3});
    std::vector<float> scores;
    std::vector<uint32_t> indices;
    for (const FloatPair& pair : pairs_) {
      scores.push_back(pair.score);
      indices.push_back(pair.index);
    }
    scores_ = Put(0, KSE_FLOAT, scores);
    indices_ = Put(1024, KSE_UINT32, indices);
  }
  static std::vector<FloatPair> Sorted(std::vector<FloatPair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const FloatPair& a, const FloatPair& b) { return a.score > b.score; });
    return pairs;
  }
  std::vector<FloatPair> Part(size_t first, size_t n) const {
    return {pairs_.begin() + static_cast<std::ptrdiff_t>(first),
            pairs_.begin() + static_cast<std::ptrdiff_t>(first + n)};
  }

  std::vector<FloatPair> pairs_;
  kse_tensor scores_, indices_;
  kse_tensor sorted_ = Tensor(4096, KSE_FLOAT, 1024);
  kse_tensor merged_ = Tensor(8192, KSE_FLOAT, 1024);
  kse_tensor space_ = Tensor(12288, KSE_FLOAT, 1024);
};

TEST_F(SortTest, EachRepeatSortsItsThirtyTwoPairs) {
  kse_vector_sort32(&sorted_, &scores_, &indices_, 4, &where_);
  for (size_t repeat = 0; repeat < 4; ++repeat) {
    std::vector<FloatPair> got = Get<FloatPair>(sorted_, 128);
    got = {got.begin() + static_cast<std::ptrdiff_t>(repeat * 32),
           got.begin() + static_cast<std::ptrdiff_t>(repeat * 32 + 32)};
    EXPECT_EQ(got, Sorted(Part(repeat * 32, 32)));
  }
  EXPECT_TRUE(Defined(sorted_, 0, 1024));
}

TEST_F(SortTest, AFullSortIsOneOrder) {
  kse_vector_sort_all(&sorted_, &scores_, &indices_, &space_, 4, &where_);
  EXPECT_EQ(Get<FloatPair>(sorted_, 128), Sorted(pairs_));
}

TEST_F(SortTest, FourListsMergeIntoTheOrderOfAFullSort) {
  kse_vector_sort32(&sorted_, &scores_, &indices_, 4, &where_);
  kse_tensor lists[4];
  for (uint64_t i = 0; i < 4; ++i) {
    lists[i] = sorted_;
    lists[i].address += i * 256;
  }
  const uint16_t lengths[4] = {32, 32, 32, 32};
  kse_vector_merge_sort(&merged_, lists, lengths, 15, false, 1, nullptr, &where_);
  EXPECT_EQ(Get<FloatPair>(merged_, 128), Sorted(pairs_));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SortTest, SuspensionStopsWhenAListIsExhausted) {
  const kse_tensor first = Put(20480, KSE_FLOAT, std::vector<FloatPair>{{9, 0}, {8, 1}});
  const kse_tensor second = Put(20736, KSE_FLOAT, std::vector<FloatPair>{{8, 2}, {7, 3}, {1, 4}});
  const kse_tensor lists[4] = {first, second, {}, {}};
  const uint16_t lengths[4] = {2, 3, 0, 0};
  uint16_t taken[4];
  kse_vector_merge_sort(&merged_, lists, lengths, 3, true, 1, taken, &where_);
  EXPECT_THAT(taken, ElementsAre(2, 0, 0, 0));
  EXPECT_EQ(Get<FloatPair>(merged_, 2), (std::vector<FloatPair>{{9, 0}, {8, 1}}))
      << "equal scores: the first list goes first";
  uint16_t again[4];
  kse_vector_merged(again);
  EXPECT_THAT(again, ElementsAre(2, 0, 0, 0));
}

TEST_F(SortTest, ExtractSeparatesScoresAndIndices) {
  kse_vector_sort32(&sorted_, &scores_, &indices_, 1, &where_);
  kse_vector_extract(&scores_, &indices_, &sorted_, 1, &where_);
  const std::vector<FloatPair> want = Sorted(Part(0, 32));
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(Get<float>(scores_, 32)[i], want[i].score);
    EXPECT_EQ(Get<uint32_t>(indices_, 32)[i], want[i].index);
  }
}

TEST_F(SortTest, HalfScoresLieInTheLowBytes) {
  std::vector<uint16_t> scores(32);
  for (size_t i = 0; i < 32; ++i) scores[i] = FloatToHalf(static_cast<float>(i), Rounding::kRint);
  const kse_tensor halves = Put(24576, KSE_HALF, scores);
  kse_tensor out = sorted_;
  out.element = KSE_HALF;
  kse_vector_sort32(&out, &halves, &indices_, 1, &where_);
  EXPECT_EQ(Get<uint16_t>(out, 1)[0], FloatToHalf(31, Rounding::kRint));
  EXPECT_EQ(Get<uint32_t>(out, 2)[1], 93u);
}

TEST_F(SortTest, FaultsAreFindings) {
  const kse_tensor lists[4] = {sorted_, sorted_, sorted_, sorted_};
  const uint16_t lengths[4] = {32, 31, 32, 32}, long_list[4] = {5000, 1, 0, 0};
  kse_vector_merge_sort(&merged_, lists, lengths, 5, false, 1, nullptr, &where_);
  kse_vector_merge_sort(&merged_, lists, lengths, 15, false, 2, nullptr, &where_);
  kse_vector_merge_sort(&merged_, lists, long_list, 3, false, 1, nullptr, &where_);
  kse_vector_sort32(&sorted_, &indices_, &indices_, 1, &where_);
  kse_vector_sort32(&sorted_, &scores_, &indices_, 300, &where_);
  const std::vector<Seen> seen = findings();
  ASSERT_THAT(seen, SizeIs(5));
  EXPECT_THAT(seen[0].text, HasSubstr("validBit 5"));
  EXPECT_THAT(seen[1].text, HasSubstr("four lists of equal length"));
  EXPECT_THAT(seen[2].text, HasSubstr("at most 4095"));
  EXPECT_THAT(seen[3].text, HasSubstr("uint32_t is not supported"));
  EXPECT_THAT(seen[4].text, HasSubstr("0 to 255"));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
