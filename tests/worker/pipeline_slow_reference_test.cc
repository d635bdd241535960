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
    v1::EvaluationStatus status;
  };
  for (const Case& c :
       {Case{"starved on a busy host", 3, false, v1::INFRASTRUCTURE},
        Case{"just below", 8.9, false, v1::INFRASTRUCTURE}, Case{"its time used", 9, false, v1::INVALID_TASK},
        Case{"many threads", 40, false, v1::INVALID_TASK}, Case{"sleeps, alone", 0.1, true, v1::INVALID_TASK},
        Case{"sleeps, not alone", 0.1, false, v1::INFRASTRUCTURE}}) {
    const Verdict verdict =
        VerdictOfTimeOut({.limit = absl::Seconds(10), .cpu = absl::Seconds(c.cpu_s), .alone = c.alone});
    EXPECT_EQ(verdict.status, c.status) << c.name;
    EXPECT_THAT(verdict.detail, testing::HasSubstr("10s")) << c.name;
  }
}

}  // namespace
}  // namespace kernelsmith::worker
