#include "server/synthesis/work_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/status.h"

namespace kernelsmith::server {
namespace {

TEST(Limits, AreTheJobsElseTheConfiguredElseTheDocumentedOnes) {
  v1::Limits wanted;
  wanted.set_compile_s(5);
  v1::Limits configured;
  configured.set_compile_s(7);
  configured.set_run_s(8);
  const v1::Limits limits = EffectiveLimits(wanted, configured);
  EXPECT_EQ(limits.compile_s(), 5);
  EXPECT_EQ(limits.run_s(), 8);
  EXPECT_EQ(limits.reference_s(), 120);
  EXPECT_EQ(limits.evaluation_s(), 300);
  EXPECT_EQ(limits.memory_bytes(), int64_t{4} << 30);
}

TEST(Limits, MustNest) {
  struct Row {
    double compile_s, run_s, evaluation_s;
    const char* field;
  };
  for (const Row& row : {Row{0, 0, 0, ""}, Row{301, 0, 0, "limits.compile_s"}, Row{0, 400, 0, "limits.run_s"},
                         Row{0, 0, 100, "limits.reference_s"}, Row{-1, 0, 0, "limits.compile_s"},
                         Row{0, std::nan(""), 0, "limits.run_s"}, Row{400, 0, 500, ""}}) {
    v1::Limits limits;
    limits.set_compile_s(row.compile_s);
    limits.set_run_s(row.run_s);
    limits.set_evaluation_s(row.evaluation_s);
    EXPECT_EQ(common::FieldOf(CheckLimits(limits, "limits")).value_or(""), row.field) << row.compile_s;
  }
}

TEST(InputEpoch, IsOneADay) {
  constexpr int64_t kDay = int64_t{86400} * 1000000;
  EXPECT_EQ(InputEpoch(kDay * 100), InputEpoch(kDay * 101 - 1));
  EXPECT_NE(InputEpoch(kDay * 100), InputEpoch(kDay * 101));
}

}  // namespace
}  // namespace kernelsmith::server
