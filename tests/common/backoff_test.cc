#include "common/backoff.h"

#include <gtest/gtest.h>

#include "absl/random/random.h"

namespace kernelsmith::common {
namespace {

TEST(BackoffDelay, GrowsByTheFactorUpToTheCapAndJittersBetweenHalfAndWhole) {
  absl::BitGen random;
  const BackoffPolicy policy{absl::Milliseconds(100), absl::Seconds(1), 2.0};
  const struct {
    int retry;
    absl::Duration whole;
  } kRows[] = {{1, absl::Milliseconds(100)},
               {2, absl::Milliseconds(200)},
               {4, absl::Milliseconds(800)},
               {5, absl::Seconds(1)},
               {1000, absl::Seconds(1)}};
  for (const auto& row : kRows) {
    for (int i = 0; i < 100; ++i) {
      const absl::Duration delay = BackoffDelay(policy, row.retry, random);
      EXPECT_GE(delay, row.whole / 2) << row.retry;
      EXPECT_LE(delay, row.whole) << row.retry;
    }
  }
}

}  // namespace
}  // namespace kernelsmith::common
