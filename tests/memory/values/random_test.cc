#include "memory/values/random.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(SeededRandom, GivesTheNumbersOfSplitmix64) {
  SeededRandom random(1234567);
  for (const uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(random.Next(), expected);
  }
}

TEST(SeededRandom, DrawsEveryNumberBelowTheBoundAlike) {
  SeededRandom random(9);
  int counts[7] = {};
  for (int i = 0; i < 70'000; ++i) ++counts[random.Below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(SeededRandom, DrawsOnceForAChanceWhateverItIs) {
  SeededRandom never(5);
  SeededRandom always(5);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(never.Chance(0));
    EXPECT_TRUE(always.Chance(1));
  }
  EXPECT_EQ(never.Next(), always.Next());
}

TEST(SeedFrom, TellsIdsApartAndIsNeverZero) {
  EXPECT_EQ(SeedFrom("producer", "a1"), SeedFrom("producer", "a1"));
  EXPECT_NE(SeedFrom("producer", "a1"), SeedFrom("producer", "a2"));
  EXPECT_NE(SeedFrom("producera", "1"), SeedFrom("producer", "a1"));
  EXPECT_NE(SeedFrom("", ""), 0u);
}

}  // namespace
}  // namespace kernelsmith::memory
