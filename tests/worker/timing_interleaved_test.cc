// The interleaved measurement with contestants that follow a script instead of a clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "worker/timing/interleaved.h"
#include "worker/timing/simulated.h"

namespace kernelsmith::worker {
namespace {

class FakeContestant : public Contestant {
 public:
  explicit FakeContestant(absl::Duration call, absl::Duration empty = absl::Microseconds(10))
      : call_(call), empty_(empty) {}
  absl::StatusOr<absl::Duration> Run(absl::Span<const int> slots) override {
    ++batches_;
    if (fail_at_ == batches_) return absl::AbortedError("crashed");
    return empty_ + call_ * static_cast<int>(slots.size()) * (batches_ % 2 == 0 ? 1.0 : 1.0 + wobble_);
  }
  absl::StatusOr<absl::Duration> RunEmpty(absl::Span<const int>) override { return empty_; }
  void FailAt(int batch) { fail_at_ = batch; }
  void Wobble(double part) { wobble_ = part; }

 private:
  const absl::Duration call_;
  const absl::Duration empty_;
  int batches_ = 0;
  int fail_at_ = 0;
  double wobble_ = 0;
};

class RecordingHooks : public BatchHooks {
 public:
  absl::Status Before(int contestant, absl::Span<const int> slots) override {
    before_.push_back(contestant);
    EXPECT_EQ(std::set<int>(slots.begin(), slots.end()).size(), slots.size());
    return absl::OkStatus();
  }
  absl::Status After(int contestant, absl::Span<const int> slots, bool timed) override {
    for (const int slot : slots) {
      if (timed) {
        EXPECT_TRUE(warmed_[contestant].contains(slot));
        timed_calls_[contestant] += 1;
      } else {
        warmed_[contestant].insert(slot);
      }
    }
    return reject_ && timed ? absl::AbortedError("unwritten") : absl::OkStatus();
  }
  void Reject() { reject_ = true; }
  std::vector<int> before_;
  std::map<int, std::set<int>> warmed_;
  std::map<int, int> timed_calls_;

 private:
  bool reject_ = false;
};

TEST(InterleavedTest, SubtractsEmptyCallsAndAlternates) {
  FakeContestant slow(absl::Milliseconds(4));
  FakeContestant fast(absl::Milliseconds(2));
  RecordingHooks hooks;
  std::mt19937 random(1);
  const auto samples = MeasureInterleaved({&slow, &fast}, 64, hooks, {}, random);
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ((*samples)[0].calls_per_batch, 5);
  EXPECT_EQ((*samples)[1].calls_per_batch, 10);
  EXPECT_NEAR((*samples)[0].per_call_us[0], 4000, 1e-3);
  EXPECT_NEAR((*samples)[1].per_call_us[0], 2000, 1e-3);
  EXPECT_EQ((*samples)[0].per_call_us.size(), (*samples)[1].per_call_us.size());
  EXPECT_TRUE((*samples)[0].stopped_early);
  EXPECT_EQ((*samples)[0].per_call_us.size(), 3u);
  EXPECT_GE(hooks.warmed_[0].size(), 5u);
}

TEST(InterleavedTest, NoisySamplesGoOnToTheMaximum) {
  FakeContestant noisy(absl::Milliseconds(20));
  noisy.Wobble(0.5);
  RecordingHooks hooks;
  std::mt19937 random(1);
  MeasureOptions options;
  options.max_samples = 17;
  const auto samples = MeasureInterleaved({&noisy}, 8, hooks, options, random);
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ((*samples)[0].per_call_us.size(), 17u);
  EXPECT_FALSE((*samples)[0].stopped_early);
}

TEST(InterleavedTest, TheTimeCapLeavesThreeRounds) {
  FakeContestant noisy(absl::Milliseconds(20));
  noisy.Wobble(0.5);
  RecordingHooks hooks;
  std::mt19937 random(1);
  MeasureOptions options;
  options.time_cap = absl::ZeroDuration();
  const auto samples = MeasureInterleaved({&noisy}, 8, hooks, options, random);
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ((*samples)[0].per_call_us.size(), 3u);
}

TEST(InterleavedTest, ABatchNoLongerThanEmptyCallsIsAFailure) {
  FakeContestant nothing(absl::ZeroDuration());
  RecordingHooks hooks;
  std::mt19937 random(1);
  EXPECT_EQ(MeasureInterleaved({&nothing}, 8, hooks, {}, random).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(InterleavedTest, ACrashAndARejectedCallEndTheMeasurement) {
  FakeContestant crashing(absl::Milliseconds(1));
  crashing.FailAt(5);
  RecordingHooks hooks;
  std::mt19937 random(1);
  EXPECT_EQ(MeasureInterleaved({&crashing}, 8, hooks, {}, random).status().message(), "crashed");
  FakeContestant honest(absl::Milliseconds(1));
  hooks.Reject();
  EXPECT_EQ(MeasureInterleaved({&honest}, 8, hooks, {}, random).status().message(), "unwritten");
}

TEST(InterleavedTest, StopsWhenAsked) {
  FakeContestant contestant(absl::Milliseconds(1));
  RecordingHooks hooks;
  std::mt19937 random(1);
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(absl::IsCancelled(MeasureInterleaved({&contestant}, 8, hooks, {}, random, source.get_token()).status()));
}

class CountingHooks : public BatchHooks {
 public:
  absl::Status Before(int, absl::Span<const int>) override { return absl::OkStatus(); }
  absl::Status After(int contestant, absl::Span<const int> slots, bool timed) override {
    EXPECT_TRUE(timed);
    for (const int slot : slots) calls_[contestant].push_back(slot);
    return absl::OkStatus();
  }
  std::map<int, std::vector<int>> calls_;
};

TEST(SimulatedTest, OneColdAndTwoWarmCallsEachOnASlotOfItsOwn) {
  FakeContestant own(absl::Microseconds(100), absl::ZeroDuration());
  FakeContestant other(absl::Microseconds(200), absl::ZeroDuration());
  Contestant* const contestants[] = {&own, &other};
  CountingHooks hooks;
  const auto samples = MeasureSimulated(contestants, hooks);
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_THAT((*samples)[0].per_call_us, ::testing::ElementsAre(100, 100));
  EXPECT_THAT((*samples)[1].per_call_us, ::testing::ElementsAre(200, 200));
  EXPECT_THAT(hooks.calls_[0], ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(hooks.calls_[1], ::testing::ElementsAre(0, 1, 2));
}

TEST(SimulatedTest, ATimeOfZeroIsAFailure) {
  FakeContestant nothing(absl::ZeroDuration(), absl::ZeroDuration());
  Contestant* const contestants[] = {&nothing};
  CountingHooks hooks;
  EXPECT_EQ(MeasureSimulated(contestants, hooks).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(SimulatedTest, ADifferenceBelowHalfAPercentIsNone) {
  const double own[] = {100, 100};
  const std::tuple<double, bool, bool> rows[] = {
      {100, false, false}, {100.4, false, false}, {100.6, true, false}, {99.6, false, false}, {99, false, true}};
  for (const auto& [time, faster, slower] : rows) {
    const double other[] = {time, time};
    const v1::PairedRatio ratio = CompareSimulated(own, other);
    EXPECT_NEAR(ratio.ratio(), time / 100, 1e-12);
    EXPECT_EQ(ratio.faster(), faster) << time;
    EXPECT_EQ(ratio.slower(), slower) << time;
  }
}

}  // namespace
}  // namespace kernelsmith::worker
