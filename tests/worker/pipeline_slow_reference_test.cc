#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/pipeline/slow_reference.h"

namespace kernelsmith::worker {
namespace {

TEST(SlowReference, IsTheTasksFaultWhenItHadTheHostOrUsedItsTime) {
  struct Case {
    const char* name;
    double cpu_s;
    bool alone;
    bool starved;
    v1::EvaluationStatus status;
  };
  for (const Case& c : {Case{"little on a busy host", 3, false, false, v1::INFRASTRUCTURE},
                        Case{"just below", 8.9, false, false, v1::INFRASTRUCTURE},
                        Case{"its time used", 9, false, false, v1::INVALID_TASK},
                        Case{"many threads", 40, false, false, v1::INVALID_TASK},
                        Case{"sleeps, alone", 0.1, true, false, v1::INVALID_TASK},
                        Case{"sleeps, not alone", 0.1, false, false, v1::INFRASTRUCTURE},
                        Case{"starved, and nothing else of Kernelsmith ran", 3, true, true, v1::INFRASTRUCTURE}}) {
    const Verdict verdict = VerdictOfTimeOut(
        {.limit = absl::Seconds(10), .cpu = absl::Seconds(c.cpu_s), .starved = c.starved, .alone = c.alone});
    EXPECT_EQ(verdict.status, c.status) << c.name;
    EXPECT_THAT(verdict.detail, testing::HasSubstr("10s")) << c.name;
  }
}

}  // namespace
}  // namespace kernelsmith::worker
