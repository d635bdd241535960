#include "server/scheduling/fair_share.h"

#include <gtest/gtest.h>

namespace kernelsmith::server {
namespace {

// Serves the teams in turn, `seconds` each time; returns how often each was served.
std::map<std::string, int> Serve(FairShare& share, const std::vector<std::string>& teams, int turns, double seconds) {
  std::map<std::string, int> served;
  for (int i = 0; i < turns; ++i) {
    const std::string next = *share.Next(teams);
    ++served[next];
    share.Charge(next, seconds);
  }
  return served;
}

TEST(FairShareTest, EqualTeamsAreServedEqually) {
  FairShare share({});
  share.Activate("a");
  share.Activate("b");
  EXPECT_EQ(Serve(share, {"a", "b"}, 10, 3), (std::map<std::string, int>{{"a", 5}, {"b", 5}}));
}

TEST(FairShareTest, ServiceFollowsWeights) {
  FairShare share({{"a", 3.0}, {"b", 1.0}});
  share.Activate("a");
  share.Activate("b");
  EXPECT_EQ(Serve(share, {"a", "b"}, 40, 1), (std::map<std::string, int>{{"a", 30}, {"b", 10}}));
}

TEST(FairShareTest, ATeamWithLongWorkIsServedLessOften) {
  FairShare share({});
  share.Activate("long");
  share.Activate("short");
  std::map<std::string, int> served;
  for (int i = 0; i < 44; ++i) {
    const std::string next = *share.Next({"long", "short"});
    ++served[next];
    share.Charge(next, next == "long" ? 10 : 1);
  }
  EXPECT_EQ(served, (std::map<std::string, int>{{"long", 4}, {"short", 40}}));
}

TEST(FairShareTest, IdlingSavesNothing) {
  FairShare share({});
  share.Activate("busy");
  Serve(share, {"busy"}, 100, 1);
  share.Activate("late");
  EXPECT_DOUBLE_EQ(share.VirtualTime("late"), 100);
  EXPECT_EQ(Serve(share, {"busy", "late"}, 10, 1), (std::map<std::string, int>{{"busy", 5}, {"late", 5}}));
}

TEST(FairShareTest, LeavingForAMomentForgivesNothing) {
  FairShare share({});
  share.Activate("a");
  share.Activate("b");
  share.Charge("a", 50);
  share.Deactivate("a");
  share.Activate("a");
  EXPECT_DOUBLE_EQ(share.VirtualTime("a"), 50);
}

TEST(FairShareTest, AnEstimateIsCorrectedByTheTrueTime) {
  FairShare share({{"a", 2.0}});
  share.Charge("a", 10);
  share.Charge("a", -6);
  EXPECT_DOUBLE_EQ(share.VirtualTime("a"), 2);
}

TEST(FairShareTest, AWeightThatIsNotPositiveCountsAsOne) {
  FairShare share({{"a", 0.0}});
  share.Charge("a", 10);
  EXPECT_DOUBLE_EQ(share.VirtualTime("a"), 10);
}

TEST(FairShareTest, NobodyWaitsMeansNobodyIsNext) { EXPECT_EQ(FairShare({}).Next({}), std::nullopt); }

}  // namespace
}  // namespace kernelsmith::server
