// The coordinator dies at every append of a job, just before or just after it reached the disk; the next one finishes
// the job with the rounds of an undisturbed run, nothing evaluated twice as a result, nothing in memory twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

const std::vector<std::string>& Script() {
  static const auto* script = new std::vector<std::string>{"wrong", "100", "-", "50"};
  return *script;
}

class ResumeTest : public LoopTest, public testing::WithParamInterface<bool> {
 protected:
  // Rounds without what differs between jobs.
  std::vector<std::string> RunUndisturbed() {
    ScriptedProposer proposer(Script());
    Open(proposer);
    const std::string job_id = Submit(Spec(), "undisturbed");
    EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
    return Rounds(job_id);
  }
};

TEST_P(ResumeTest, RecordsTheSameRoundsWhereverItDies) {
  const std::vector<std::string> expected = RunUndisturbed();
  ASSERT_EQ(expected.size(), Script().size());
  const int64_t attempts_each = MemoryStats().attempts();
  const int64_t stages_each = MemoryStats().stages();
  const int64_t facts_each = MemoryStats().facts();
  int64_t jobs = 1;
  for (int appends = 1;; ++appends) {
    SCOPED_TRACE(absl::StrCat("killed at append ", appends));
    ScriptedProposer first(Script());
    Open(first, {.appends = appends, .before_disk = GetParam()});
    const std::string job_id = Submit(Spec(), absl::StrCat("killed-", appends));
    const JobDriver::Outcome outcome = Drive(job_id);
    ++jobs;
    if (outcome == JobDriver::Outcome::kEnded) {
      EXPECT_GT(appends, 20) << "every step appends at least once";
      break;
    }
    ScriptedProposer second(Script());
    Open(second);
    ASSERT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);

    EXPECT_EQ(Rounds(job_id), expected);
    EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
    EXPECT_EQ(MemoryStats().attempts(), jobs * attempts_each);
    EXPECT_EQ(MemoryStats().stages(), jobs * stages_each);
    EXPECT_EQ(MemoryStats().facts(), jobs * facts_each);
    EXPECT_LE(first.requests().size() + second.requests().size(), Script().size() + 1);
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(BeforeAndAfterTheDisk, ResumeTest, testing::Bool(), [](const auto& each) {
  return each.param ? std::string("JustBefore") : std::string("JustAfter");
});

}  // namespace
}  // namespace kernelsmith::server
