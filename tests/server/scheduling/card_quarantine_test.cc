#include "server/scheduling/card_quarantine.h"

#include <gtest/gtest.h>

namespace kernelsmith::server {
namespace {

constexpr QuarantineRule kRule{.after = 3, .length = absl::Seconds(30)};
const absl::Time kStart = absl::FromUnixSeconds(1000);

TEST(CardQuarantineTest, TheThirdFailureInARowTakesTheCardOut) {
  CardQuarantine card;
  EXPECT_FALSE(card.OnFailure(kRule, kStart));
  EXPECT_FALSE(card.OnFailure(kRule, kStart));
  EXPECT_FALSE(card.IsOut(kStart));
  EXPECT_TRUE(card.OnFailure(kRule, kStart));
  EXPECT_TRUE(card.IsOut(kStart + absl::Seconds(29)));
  EXPECT_FALSE(card.IsOut(kStart + absl::Seconds(30)));
}

TEST(CardQuarantineTest, ASuccessBetweenFailuresStartsTheCountAgain) {
  CardQuarantine card;
  card.OnFailure(kRule, kStart);
  card.OnFailure(kRule, kStart);
  card.OnSuccess();
  EXPECT_FALSE(card.OnFailure(kRule, kStart));
  EXPECT_EQ(card.failures(), 1);
}

TEST(CardQuarantineTest, AfterItsTimeOneFailureIsEnoughAndOneSuccessClears) {
  CardQuarantine card;
  for (int i = 0; i < 3; ++i) card.OnFailure(kRule, kStart);
  const absl::Time back = kStart + absl::Seconds(31);
  EXPECT_TRUE(card.OnFailure(kRule, back));
  EXPECT_TRUE(card.IsOut(back));
  card.OnSuccess();
  EXPECT_FALSE(card.IsOut(back));
}

TEST(CardQuarantineTest, FailuresWhileOutDoNotProlongIt) {
  CardQuarantine card;
  for (int i = 0; i < 3; ++i) card.OnFailure(kRule, kStart);
  EXPECT_FALSE(card.OnFailure(kRule, kStart + absl::Seconds(20)));
  EXPECT_FALSE(card.IsOut(kStart + absl::Seconds(30)));
}

}  // namespace
}  // namespace kernelsmith::server
