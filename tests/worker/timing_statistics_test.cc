// Statistics, batch sizes, bounds and fresh inputs: all pure.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "absl/random/random.h"
#include "worker/timing/batch_plan.h"
#include "worker/timing/fresh_inputs.h"
#include "worker/timing/hardware_bound.h"
#include "worker/timing/statistics.h"

namespace kernelsmith::worker {
namespace {

TEST(StatisticsTest, StudentTMatchesTheTables) {
  EXPECT_NEAR(StudentT95(1), 12.706, 0.001);
  EXPECT_NEAR(StudentT95(4), 2.776, 0.001);
  EXPECT_NEAR(StudentT95(11), 2.201, 0.003);
  EXPECT_NEAR(StudentT95(30), 2.042, 0.003);
  EXPECT_NEAR(StudentT95(1000), 1.962, 0.003);
}

TEST(StatisticsTest, SummaryHasMeanMedianQuantilesAndSpread) {
  const v1::Timing timing = Summarize({1, 2, 3, 4, 5}, 7, 0.25);
  EXPECT_DOUBLE_EQ(timing.mean_us(), 3);
  EXPECT_DOUBLE_EQ(timing.median_us(), 3);
  EXPECT_DOUBLE_EQ(timing.p10_us(), 1.4);
  EXPECT_DOUBLE_EQ(timing.p90_us(), 4.6);
  EXPECT_NEAR(timing.cv(), std::sqrt(2.5) / 3, 1e-12);
  EXPECT_EQ(timing.samples(), 5);
  EXPECT_EQ(timing.calls_per_sample(), 7);
  EXPECT_NEAR(timing.interval_high_us() - 3, 2.776 * std::sqrt(2.5 / 5), 1e-3);
  EXPECT_EQ(timing.sample_us_size(), 5);
  EXPECT_EQ(timing.clock(), v1::PARENT);
}

TEST(StatisticsTest, OneSampleHasNoSpreadAndProvesNothing) {
  const v1::Timing timing = Summarize({4}, 1, 0);
  EXPECT_EQ(timing.cv(), 0);
  EXPECT_EQ(timing.interval_low_us(), 4);
  const v1::PairedRatio ratio = CompareInterleaved({1}, {2});
  EXPECT_DOUBLE_EQ(ratio.ratio(), 2);
  EXPECT_FALSE(ratio.faster());
}

TEST(StatisticsTest, StopsEarlyOnlyFromThreeSteadySamples) {
  EXPECT_FALSE(PreciseEnough({10, 10}, 0.005));
  EXPECT_TRUE(PreciseEnough({10, 10, 10}, 0.005));
  EXPECT_FALSE(PreciseEnough({10, 11, 10}, 0.005));
}

TEST(StatisticsTest, FasterMeansThatTheIntervalExcludesOne) {
  struct Case {
    std::vector<double> candidate;
    std::vector<double> other;
    bool faster;
    bool slower;
  };
  for (const Case& entry : {Case{{1, 1.01, 0.99, 1}, {2, 2.02, 1.99, 2}, true, false},
                            Case{{2, 2.02, 1.99, 2}, {1, 1.01, 0.99, 1}, false, true},
                            Case{{1, 2, 1, 2}, {2, 1, 1, 2}, false, false}, Case{{1, 1, 1}, {1, 1, 1}, false, false}}) {
    const v1::PairedRatio ratio = CompareInterleaved(entry.candidate, entry.other);
    EXPECT_EQ(ratio.faster(), entry.faster);
    EXPECT_EQ(ratio.slower(), entry.slower);
    EXPECT_LE(ratio.low(), ratio.ratio());
    EXPECT_GE(ratio.high(), ratio.ratio());
  }
}

TEST(StatisticsTest, ADriftThatHitsBothDoesNotBlurThePairedRatio) {
  std::vector<double> candidate;
  std::vector<double> other;
  for (int i = 0; i < 20; ++i) {
    candidate.push_back(100.0 + 5 * i + (i % 2) * 0.1);
    other.push_back((100.0 + 5 * i) * 1.02);
  }
  EXPECT_TRUE(CompareInterleaved(candidate, other).faster());
}

TEST(StatisticsTest, GeometricMeansDoNotUnderflow) {
  EXPECT_EQ(GeometricMean({}), 0);
  EXPECT_NEAR(GeometricMean(std::vector<double>(400, 1e-6)), 1e-6, 1e-15);
  EXPECT_NEAR(GeometricMean({1, 4}), 2, 1e-12);
}

TEST(StatisticsTest, CombinedRatiosNarrowTheInterval) {
  v1::PairedRatio ratio;
  ratio.set_ratio(1.1);
  ratio.set_low(1.0 / 1.05);
  ratio.set_high(1.1 * 1.1 * 1.05);
  const std::vector<v1::PairedRatio> four(4, ratio);
  const v1::PairedRatio combined = CombineRatios(four);
  EXPECT_NEAR(combined.ratio(), 1.1, 1e-12);
  EXPECT_GT(combined.low(), ratio.low());
  EXPECT_TRUE(combined.faster());
  EXPECT_FALSE(CombineRatios({ratio}).faster());
}

TEST(BatchPlanTest, FillsTheWallWithinTheSlots) {
  EXPECT_EQ(CallsPerBatch(absl::Milliseconds(2), 100), 10);
  EXPECT_EQ(CallsPerBatch(absl::Milliseconds(2), 4), 4);
  EXPECT_EQ(CallsPerBatch(absl::Seconds(1), 100), 1);
  EXPECT_EQ(CallsPerBatch(absl::ZeroDuration(), 100), 100);
}

TEST(BatchPlanTest, SlotsFitTheMemory) {
  EXPECT_EQ(SlotsFor(int64_t{32} << 20), 4);
  EXPECT_EQ(SlotsFor(int64_t{1} << 40), 2);
  EXPECT_EQ(SlotsFor(64), 1024);
}

TEST(HardwareBoundTest, CountsEveryByteOnce) {
  v1::TaskCase task_case;
  for (v1::TensorDescriptor* tensor : {task_case.add_inputs(), task_case.add_inputs(), task_case.add_outputs()}) {
    tensor->set_dtype(v1::FP16);
    tensor->add_shape(100);
  }
  EXPECT_EQ(BytesTouched(task_case), 600);
  EXPECT_EQ(HardwareBound(400'000'000'000, 2), absl::Seconds(1));
}

TEST(FreshInputsTest, NewValuesComeFromTheSameTensorAndDiffer) {
  std::vector<int32_t> pristine(10000);
  std::iota(pristine.begin(), pristine.end(), 5);
  std::vector<int32_t> tensor = pristine;
  const auto bytes = [](std::vector<int32_t>& v) {
    return absl::Span<std::byte>(reinterpret_cast<std::byte*>(v.data()), v.size() * 4);
  };
  std::seed_seq seed{1};
  std::mt19937_64 random(seed);
  RedrawSlice(bytes(pristine), 4, bytes(tensor), {}, random);
  int64_t changed = 0;
  for (size_t i = 0; i < tensor.size(); ++i) {
    EXPECT_GE(tensor[i], 5);
    EXPECT_LT(tensor[i], 10005);
    changed += tensor[i] != pristine[i];
  }
  EXPECT_GT(changed, 1000);
  EXPECT_LE(changed, 2500);
}

TEST(FreshInputsTest, SmallAndScalarTensorsAreHandled) {
  std::vector<float> pristine = {1, 2, 3};
  std::vector<float> tensor = pristine;
  absl::BitGen random;
  const absl::Span<std::byte> bytes(reinterpret_cast<std::byte*>(tensor.data()), 12);
  const absl::Span<const std::byte> source(reinterpret_cast<const std::byte*>(pristine.data()), 12);
  RedrawSlice(source, 4, bytes, {}, random);
  for (const float value : tensor) EXPECT_TRUE(value >= 1 && value <= 3);
  RedrawSlice(source.first(4), 4, bytes.first(4), {}, random);
}

}  // namespace
}  // namespace kernelsmith::worker
