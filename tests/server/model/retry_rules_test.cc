#include "server/model/retry_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/random/random.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

TEST(IsRetryableReply, FollowsTheStatusUnlessTheServerSaysOtherwise) {
  struct {
    int status;
    HttpHeaders headers;
    bool retryable;
  } cases[] = {
      {400, {}, false},
      {401, {}, false},
      {403, {}, false},
      {404, {}, false},
      {408, {}, true},
      {409, {}, true},
      {413, {}, false},
      {422, {}, false},
      {429, {}, true},
      {500, {}, true},
      {503, {}, true},
      {529, {}, true},
      {302, {}, false},
      {204, {}, false},
      {429, {{"x-should-retry", "false"}}, false},
      {400, {{"x-should-retry", "true"}}, true},
      {500, {{"x-should-retry", "maybe"}}, true},
  };
  for (const auto& c : cases) EXPECT_EQ(IsRetryableReply(c.status, c.headers), c.retryable) << c.status;
}

TEST(RetryAfterOf, ReadsMillisecondsSecondsAndDates) {
  const absl::Time now = absl::FromUnixSeconds(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT
  struct {
    HttpHeaders headers;
    std::optional<absl::Duration> delay;
  } cases[] = {
      {{}, std::nullopt},
      {{{"retry-after", "7"}}, absl::Seconds(7)},
      {{{"retry-after", "1.5"}}, absl::Seconds(1.5)},
      {{{"retry-after", "0"}}, absl::ZeroDuration()},
      {{{"retry-after-ms", "250"}, {"retry-after", "7"}}, absl::Milliseconds(250)},
      {{{"retry-after-ms", "soon"}, {"retry-after", "7"}}, absl::Seconds(7)},
      {{{"retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"}}, absl::Seconds(30)},
      {{{"retry-after", "Sunday, 06-Nov-94 08:50:07 GMT"}}, absl::Seconds(30)},
      {{{"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}, absl::ZeroDuration()},
      {{{"retry-after", "-3"}}, std::nullopt},
      {{{"retry-after", "inf"}}, std::nullopt},
      {{{"retry-after", "nan"}}, std::nullopt},
      {{{"retry-after", "later"}}, std::nullopt},
      {{{"retry-after", ""}}, std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(RetryAfterOf(c.headers, now), c.delay) << testing::PrintToString(c.headers);
  }
}

TEST(DelayBeforeRetry, DoublesWithJitterUpToEightSeconds) {
  absl::BitGen random;
  const RetryPolicy policy{.max_retries = 10};
  const double most[] = {0.5, 1, 2, 4, 8, 8, 8};
  for (int retry = 1; retry <= 7; ++retry) {
    const auto delay = DelayBeforeRetry(policy, retry, std::nullopt, random);
    ASSERT_TRUE(delay.ok());
    EXPECT_LE(*delay, absl::Seconds(most[retry - 1]));
    EXPECT_GE(*delay, absl::Seconds(most[retry - 1] / 2));
  }
}

TEST(DelayBeforeRetry, ObeysTheServerUpToTheLimit) {
  absl::BitGen random;
  const RetryPolicy policy{.max_retries = 2, .max_retry_after = absl::Seconds(120)};
  EXPECT_EQ(*DelayBeforeRetry(policy, 1, absl::Seconds(120), random), absl::Seconds(120));
  const auto refused = DelayBeforeRetry(policy, 1, absl::Hours(1), random);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("asks to wait 1h, longer than max_retry_after_s accepts (2m)"));
  const auto used_up = DelayBeforeRetry(policy, 3, absl::Seconds(1), random);
  EXPECT_THAT(std::string(used_up.status().message()), HasSubstr("gave up after 3 requests"));
}

}  // namespace
}  // namespace kernelsmith::server
