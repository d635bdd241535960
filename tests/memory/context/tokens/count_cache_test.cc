#include "memory/context/tokens/count_cache.h"

#include <gtest/gtest.h>

#include "memory/context/tokens/retry_gate.h"

namespace kernelsmith::memory {
namespace {

TEST(CountCache, KeepsTheCountsThatWereUsedLast) {
  CountCache cache(2);
  cache.Put("a", 1);
  cache.Put("b", 2);
  EXPECT_EQ(cache.Get("a"), 1);
  cache.Put("c", 3);
  EXPECT_EQ(cache.Get("b"), std::nullopt) << "used longest ago";
  EXPECT_EQ(cache.Get("a"), 1);
  EXPECT_EQ(cache.Get("c"), 3);
}

TEST(CountCache, KeepsTheFirstCountOfAKey) {
  CountCache cache(2);
  cache.Put("a", 1);
  cache.Put("a", 9);
  EXPECT_EQ(cache.Get("a"), 1);
  EXPECT_NE(CountCache::KeyOf("a"), CountCache::KeyOf("b"));
}

TEST(RetryGate, WaitsTwiceAsLongAfterEveryFailureUpToAMinute) {
  common::ManualClock clock(absl::UnixEpoch());
  RetryGate gate(clock);
  EXPECT_TRUE(gate.MayAsk());
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(gate.Failed(), pause == 1) << "only the first failure is news";
    clock.Advance(absl::Seconds(pause) - absl::Milliseconds(1));
    EXPECT_FALSE(gate.MayAsk()) << pause;
    clock.Advance(absl::Milliseconds(1));
    EXPECT_TRUE(gate.MayAsk()) << pause;
  }
  gate.Answered();
  EXPECT_TRUE(gate.Failed()) << "news again";
}

}  // namespace
}  // namespace kernelsmith::memory
