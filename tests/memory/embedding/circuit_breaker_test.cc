#include "memory/embedding/circuit_breaker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(CircuitBreakerTest, OpensAfterTwoFailuresInARowForTwiceAsLongEachTime) {
  common::ManualClock clock(absl::FromUnixSeconds(1000));
  CircuitBreaker breaker(clock);
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Failed("one");
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Succeeded();
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Failed("two");
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Failed("three");
  for (const int seconds : {2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_THAT(std::string(breaker.Enter().message()), testing::HasSubstr("three"));
    clock.Advance(absl::Seconds(seconds) - absl::Milliseconds(1));
    EXPECT_TRUE(absl::IsUnavailable(breaker.Enter()));
    clock.Advance(absl::Milliseconds(1));
    EXPECT_TRUE(breaker.Enter().ok()) << seconds;
    EXPECT_TRUE(absl::IsUnavailable(breaker.Enter())) << "only one tries";
    breaker.Failed("three");
  }
  clock.Advance(absl::Seconds(60));
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Succeeded();
  EXPECT_TRUE(breaker.Enter().ok());
  EXPECT_TRUE(breaker.Enter().ok());
}

TEST(CircuitBreakerTest, LeavesAServerAloneAsLongAsItAskedAndNoLongerThanAMinute) {
  common::ManualClock clock(absl::FromUnixSeconds(1000));
  CircuitBreaker breaker(clock);
  ASSERT_TRUE(breaker.Enter().ok());
  breaker.Failed("busy", absl::Hours(1));
  clock.Advance(absl::Seconds(59));
  EXPECT_TRUE(absl::IsUnavailable(breaker.Enter()));
  clock.Advance(absl::Seconds(1));
  EXPECT_TRUE(breaker.Enter().ok());
}

}  // namespace
}  // namespace kernelsmith::memory
