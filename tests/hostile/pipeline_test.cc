// Every hostile candidate through the whole evaluation, as a worker runs it: the status says what it did, and the
// worker serves the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "tests/hostile/candidates.h"
#include "tests/worker/support/compiled_candidate.h"
#include "worker/devices/cpu_card.h"
#include "worker/pipeline/evaluate.h"

namespace kernelsmith::worker {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* kTask = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return x + x

def get_inputs():
    return [torch.randn(3000)]

def get_init_inputs():
    return []
)";

// One evaluator for all tests of this program, as in a worker: what one candidate breaks, the next would notice.
class HostilePipelineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new common::TemporaryFolder(*common::TemporaryFolder::Make("hostile-pipeline"));
    EvaluatorOptions options;
    auto toolchain = MakeCpuToolchain({.cache_dir = absl::StrCat(testing::TempDir(), "/kernelsmith-test-objects")});
    ASSERT_TRUE(toolchain.ok()) << toolchain.status();
    options.toolchain = *std::move(toolchain);
    options.target = DescribeCpuCard(options.toolchain->version())->target;
    options.lock_dir = folder_->path();
    options.cache_dir = folder_->path() + "/variants";
    options.timing_cap = absl::Milliseconds(300);
    evaluator_ = new Evaluator(options);
    work_ = new v1::EvaluateWork();
    work_->mutable_task()->mutable_kernelbench()->set_file_name("double.py");
    work_->mutable_task()->mutable_kernelbench()->set_source(kTask);
    const v1::InspectResult inspected = evaluator_->Inspect(work_->task(), {});
    ASSERT_TRUE(inspected.ok()) << inspected.error();
    *work_->mutable_spec() = inspected.spec();
    work_->set_input_secret(std::string(32, 's'));
    work_->set_epoch(1);
  }

  static void TearDownTestSuite() {
    delete evaluator_;
    delete work_;
    delete folder_;
  }

  static v1::EvaluationReport Evaluate(const v1::Candidate& candidate, bool timed = false) {
    v1::EvaluateWork work = *work_;
    *work.mutable_candidate() = candidate;
    v1::EvaluationOptions* const options = work.mutable_options();
    options->set_skip_timing(!timed);
    options->set_skip_baseline(true);
    options->mutable_limits()->set_run_s(timed ? 30 : 3);
    options->mutable_limits()->set_compile_s(60);
    options->mutable_limits()->set_memory_bytes(int64_t{512} << 20);
    return evaluator_->Evaluate(work, {});
  }

  static v1::EvaluationReport EvaluateSource(const std::string& source, bool timed = false) {
    return Evaluate(testing_support::CandidateOf(source), timed);
  }

  static v1::EvaluationReport EvaluateHostile(const std::string& name, bool timed = false) {
    const v1::EvaluationReport report = EvaluateSource(hostile::Named(name).source, timed);
    const v1::EvaluationReport next = EvaluateSource(hostile::HonestSource());
    EXPECT_EQ(next.status(), v1::PASSED) << "after " << name << ": " << next.summary();
    return report;
  }

  static common::TemporaryFolder* folder_;
  static Evaluator* evaluator_;
  static v1::EvaluateWork* work_;
};

common::TemporaryFolder* HostilePipelineTest::folder_ = nullptr;
Evaluator* HostilePipelineTest::evaluator_ = nullptr;
v1::EvaluateWork* HostilePipelineTest::work_ = nullptr;

std::string StatusName(const v1::EvaluationReport& report) { return v1::EvaluationStatus_Name(report.status()); }

TEST_F(HostilePipelineTest, EachIsReportedAsWhatItIs) {
  const struct {
    const char* name;
    v1::EvaluationStatus status;
    int signal;
    const char* rule;
  } rows[] = {
      {"Hangs", v1::TIMEOUT, 0, ""},
      {"HangsAndIgnoresSigterm", v1::TIMEOUT, 0, ""},
      {"CrashesWhileLoading", v1::RUNTIME_ERROR, SIGABRT, ""},
      {"AllocatesWithoutEnd", v1::OUT_OF_MEMORY, 0, ""},
      {"AllocatesWithoutEndAndWithoutChecking", v1::OUT_OF_MEMORY, 0, ""},
      {"ForksWithoutEnd", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"ForksWithoutEndBySystemCall", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"StartsThreadsWithoutEnd", v1::REWARD_HACK, 0, "leftover-task"},
      {"WritesOutsideItsFolder", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"PrintsAGigabyte", v1::OUTPUT_LIMIT, 0, ""},
      {"PrintsBytesThatAreNoText", v1::PASSED, 0, ""},
      {"Segfaults", v1::RUNTIME_ERROR, SIGSEGV, ""},
      {"Aborts", v1::RUNTIME_ERROR, SIGABRT, ""},
      {"DividesByZero", v1::RUNTIME_ERROR, SIGFPE, ""},
      {"OverflowsItsStack", v1::RUNTIME_ERROR, SIGSEGV, ""},
      {"ExitsInsteadOfReturning", v1::RUNTIME_ERROR, 0, ""},
      {"ReturnsAnError", v1::RUNTIME_ERROR, 0, ""},
      {"ReturnsWhileAThreadStillWrites", v1::REWARD_HACK, 0, "leftover-task"},
      {"LeavesAThreadBehind", v1::REWARD_HACK, 0, "leftover-task"},
      {"WritesBesideItsOutput", v1::RUNTIME_ERROR, 0, ""},
      {"WritesToAnInput", v1::INPUT_MUTATED, SIGSEGV, ""},
      {"RemembersTheFirstAnswer", v1::INCORRECT_NUMERICAL, 0, ""},
      {"ClosesTheCommandSocket", v1::RUNTIME_ERROR, 0, ""},
      {"ForgesDone", v1::REWARD_HACK, 0, "forged-answer"},
      {"SendsGarbageAsAnswer", v1::REWARD_HACK, 0, "forged-answer"},
      {"KillsItsParent", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"TracesItsParent", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"OpensASocket", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"StartsAProgram", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"SetsATimerThatWakesIt", v1::REWARD_HACK, SIGSYS, "forbidden-call"},
      {"MakesAnInputWritable", v1::PASSED, 0, ""},   // it cannot, and then works honestly
      {"LooksAtOtherProcesses", v1::PASSED, 0, ""},  // there are none to see
  };
  for (const auto& row : rows) {
    const v1::EvaluationReport report = EvaluateHostile(row.name);
    EXPECT_EQ(report.status(), row.status) << row.name << ": " << StatusName(report) << ": " << report.summary();
    EXPECT_EQ(report.exit_signal(), row.signal) << row.name << ": " << report.summary();
    EXPECT_EQ(report.rule(), row.rule) << row.name << ": " << report.summary();
    EXPECT_FALSE(report.summary().empty()) << row.name;
    EXPECT_GT(report.gates_size(), 0) << row.name;
  }
}

TEST_F(HostilePipelineTest, UnwrittenOutputsAreIncorrectAndSaidToBePoison) {
  for (const char* name : {"ReturnsWithoutWriting", "WritesOnlyPart"}) {
    const v1::EvaluationReport report = EvaluateHostile(name);
    EXPECT_THAT(report.status(), AnyOf(v1::INCORRECT_NUMERICAL, v1::INCORRECT_NONFINITE)) << report.summary();
    ASSERT_GT(report.cases_size(), 0) << name;
    ASSERT_GT(report.cases(0).mismatches_size(), 0) << name;
    EXPECT_THAT(report.cases(0).mismatches(0).pattern(), HasSubstr("poison")) << name;
  }
}

TEST_F(HostilePipelineTest, HangWhileLoadingIsATimeout) {
  EXPECT_EQ(EvaluateHostile("HangsWhileLoading").status(), v1::TIMEOUT);
}

TEST_F(HostilePipelineTest, WorkingOnlyWhileCheckedFailsInTheTimedCalls) {
  const v1::EvaluationReport report = EvaluateHostile("WorksOnlyForTheFirstCalls", /*timed=*/true);
  // On a host too busy to time anything the verdict is INFRASTRUCTURE, which is no pass either.
  EXPECT_THAT(report.status(),
              AnyOf(v1::REWARD_HACK, v1::INCORRECT_NUMERICAL, v1::INCORRECT_NONFINITE, v1::INFRASTRUCTURE))
      << report.summary();
  EXPECT_EQ(report.latency_us(), 0);
}

// Slow enough to stand out from the noise of a busy machine.
TEST_F(HostilePipelineTest, HonestCandidateIsTimed) {
  const v1::EvaluationReport report = EvaluateSource(R"(
extern "C" int ks_kernel(const ks_call* call) {
  for (volatile int delay = 0; delay < 2000000; delay = delay + 1) {}
  const float* x = static_cast<const float*>(call->inputs[0].data);
  float* y = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < call->inputs[0].elements; ++i) y[i] = 2 * x[i];
  return 0;
})",
                                                     /*timed=*/true);
  EXPECT_EQ(report.status(), v1::PASSED) << report.summary();
  EXPECT_GT(report.latency_us(), 0);
}

TEST_F(HostilePipelineTest, UnprintableOutputIsEscapedInTheReport) {
  const v1::EvaluationReport report = EvaluateHostile("PrintsBytesThatAreNoText");
  EXPECT_THAT(report.output_excerpt(), HasSubstr("\\xff\\xfe\\x00\\x80\\x1b[2J"));
}

TEST_F(HostilePipelineTest, CompilerIsBoundedAndScreened) {
  EXPECT_EQ(EvaluateSource("int x = ;\n").status(), v1::COMPILE_ERROR);
  const v1::EvaluationReport screened = EvaluateSource(
      "#include <unistd.h>\nextern \"C\" int ks_kernel(const ks_call*) "
      "{ return fork(); }\n");
  EXPECT_EQ(screened.status(), v1::REWARD_HACK);
  EXPECT_EQ(screened.rule(), "process");
  EXPECT_EQ(screened.diagnostics(0).line(), 3);
}

}  // namespace
}  // namespace kernelsmith::worker
