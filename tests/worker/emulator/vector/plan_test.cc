// Lanes and the bytes they occupy, against a walk over every lane.
#include "worker/emulator/device/vector/plan.h"

#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernelsmith::emulator::vector {
namespace {

using ::testing::SizeIs;

std::set<uint64_t> BytesOf(const std::vector<Span>& spans) {
  std::set<uint64_t> bytes;
  for (const Span& span : spans) {
    for (uint32_t repeat = 0; repeat < span.repeats; ++repeat) {
      for (uint32_t run = 0; run < span.runs; ++run) {
        for (uint32_t i = 0; i < span.run_bytes; ++i) {
          bytes.insert(span.offset + uint64_t{repeat} * span.repeat_stride + uint64_t{run} * span.run_stride + i);
        }
      }
    }
  }
  return bytes;
}

std::set<uint64_t> Walk(const Plan& plan, const Lattice& lattice) {
  std::set<uint64_t> bytes;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    for (uint32_t lane = 0; lane < plan.lanes; ++lane) {
      if (!plan.MaskOf(repeat).Has(lane)) continue;
      for (uint32_t i = 0; i < lattice.bits / 8; ++i) bytes.insert(lattice.ByteOf(repeat, lane) + i);
    }
  }
  return bytes;
}

TEST(PlanTest, CountGivesWholeRepeatsAndARest) {
  const Plan plan = PlanCount(1000, 128);
  EXPECT_EQ(plan.repeats, 8u);
  EXPECT_EQ(plan.Active(), 1000u);
  EXPECT_EQ(plan.last.Count(), 104u);
  EXPECT_TRUE(plan.Dense());
  EXPECT_EQ(PlanCount(0, 128).repeats, 0u);
  EXPECT_EQ(PlanCount(64, 64).last, Mask::Prefix(64));
}

TEST(PlanTest, AnEmptyMaskGivesNoRepeats) { EXPECT_EQ(PlanMask({}, 5, 64).repeats, 0u); }

TEST(PlanTest, LanesBeyondTheRepeatAreIgnored) {
  EXPECT_EQ(PlanMask({.low = ~uint64_t{0}, .high = ~uint64_t{0}}, 1, 64).Active(), 64u);
}

TEST(PlanTest, PrefixesCountTheirLanes) {
  for (uint32_t n = 0; n <= 128; ++n) {
    EXPECT_EQ(Mask::Prefix(n).Count(), n);
    EXPECT_EQ(Mask::Prefix(n).End(), n);
    EXPECT_TRUE(Mask::Prefix(n).IsPrefix());
  }
  EXPECT_FALSE((Mask{.low = 5}).IsPrefix());
}

TEST(PlanTest, ContiguousLanesAreOneSpan) {
  EXPECT_THAT(Spans(PlanCount(1000, 128), {.bits = 16}), SizeIs(1));
  EXPECT_THAT(Spans(PlanMask(Mask::Prefix(64), 10, 64), {.bits = 32}), SizeIs(1));
}

TEST(PlanTest, BlocksApartAreOneSpan) {
  EXPECT_THAT(Spans(PlanMask(Mask::Prefix(64), 10, 64), {.bits = 32, .block_stride = 2, .repeat_stride = 16}),
              SizeIs(1));
}

TEST(PlanTest, EveryOtherLaneIsOneSpan) {
  EXPECT_THAT(Spans(PlanMask({.low = 0x5555555555555555}, 4, 64), {.bits = 32}), SizeIs(1));
}

TEST(PlanTest, SpansOfPrefixesNameExactlyTheActiveBytes) {
  for (const uint32_t bits : {8u, 16u, 32u, 64u}) {
    const uint32_t lanes = std::min(128u, 256 * 8 / bits);
    for (const uint32_t n : {1u, 3u, 16u, 17u, lanes / 2 + 1, lanes}) {
      if (n > lanes) continue;
      for (const uint32_t block : {1u, 2u, 5u}) {
        for (const uint32_t repeat : {0u, 4u, 8u, 9u, 40u}) {
          const Plan plan = PlanMask(Mask::Prefix(n), 3, lanes);
          const Lattice lattice{.bits = bits, .block_stride = block, .repeat_stride = repeat};
          EXPECT_EQ(BytesOf(Spans(plan, lattice)), Walk(plan, lattice))
              << bits << " bits, " << n << " lanes, strides " << block << ", " << repeat;
        }
      }
    }
  }
}

TEST(PlanTest, SpansOfCountsWithStridesNameExactlyTheActiveBytes) {
  for (const uint64_t count : {1u, 63u, 64u, 65u, 130u, 1000u}) {
    const Plan plan = PlanCount(count, 64);
    const Lattice lattice{.bits = 32, .block_stride = 2, .repeat_stride = 16};
    EXPECT_EQ(BytesOf(Spans(plan, lattice)), Walk(plan, lattice)) << count;
  }
}

TEST(PlanTest, SpansOfAnyMaskNameAtLeastTheActiveBytesAndAreFew) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const Mask mask{.low = random() & random(), .high = random()};
    const Plan plan = PlanMask(mask, 2, 128);
    const Lattice lattice{.bits = 16, .block_stride = 1 + static_cast<uint32_t>(random() % 3), .repeat_stride = 30};
    const std::vector<Span> spans = Spans(plan, lattice);
    EXPECT_LE(spans.size(), 3u);
    const std::set<uint64_t> named = BytesOf(spans);
    for (const uint64_t byte : Walk(plan, lattice)) EXPECT_TRUE(named.contains(byte));
  }
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
