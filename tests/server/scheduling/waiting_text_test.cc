#include "server/scheduling/waiting_text.h"

#include <gtest/gtest.h>

namespace kernelsmith::server {
namespace {

absl::Time At(int hour, int minute, int second) {
  return absl::FromCivil(absl::CivilSecond(2026, 1, 2, hour, minute, second), absl::UTCTimeZone());
}

WaitingFacts Facts() {
  WaitingFacts facts;
  facts.card_kind = "cpu";
  facts.team = "local";
  facts.now = At(14, 5, 0);
  facts.max_failures = 5;
  return facts;
}

TEST(WaitingTextTest, SaysWhatIsMissing) {
  WaitingFacts facts = Facts();
  facts.no_card_since = At(14, 2, 30);
  EXPECT_EQ(WaitingText(facts), "no eligible card for cpu since 14:02 UTC");
  facts.unfit_cards = {"w1 is draining", "w2 does not report"};
  EXPECT_EQ(WaitingText(facts), "no eligible card for cpu since 14:02 UTC (w1 is draining; w2 does not report)");
}

TEST(WaitingTextTest, SaysThePlaceInLine) {
  WaitingFacts facts = Facts();
  facts.eligible_cards = 2;
  facts.place_in_team = 3;
  EXPECT_EQ(WaitingText(facts), "all 2 cards busy; 3rd in line of team local");
  facts.eligible_cards = 1;
  facts.place_in_team = 1;
  EXPECT_EQ(WaitingText(facts), "the one card is busy; 1st in line of team local");
}

TEST(WaitingTextTest, SaysThatWorkersMayStillComeBack) {
  WaitingFacts facts = Facts();
  facts.grace_until = At(14, 5, 10);
  EXPECT_EQ(WaitingText(facts), "reconnect grace until 14:05:10 UTC: no worker for cpu has reported back yet");
}

TEST(WaitingTextTest, SaysWhenTheNextTryIsAndWhatFailed) {
  WaitingFacts facts = Facts();
  facts.eligible_cards = 1;
  facts.failures = 2;
  facts.last_failure = "disk full";
  facts.not_before = At(14, 5, 3);
  EXPECT_EQ(WaitingText(facts), "try 3 of 5 at 14:05:03 UTC, after: disk full");
}

TEST(WaitingTextTest, Ordinals) {
  const std::pair<int, const char*> cases[] = {{1, "1st"},     {2, "2nd"},    {3, "3rd"},   {4, "4th"},
                                               {11, "11th"},   {12, "12th"},  {13, "13th"}, {21, "21st"},
                                               {111, "111th"}, {122, "122nd"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(Ordinal(number), text);
}

}  // namespace
}  // namespace kernelsmith::server
