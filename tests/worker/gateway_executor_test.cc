// The adapter between assignments and the evaluation pipeline: which half of the result is filled, what is logged, and
// that progress and stops get through. Nothing here comes as far as a reference, so no PyTorch is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_io.h"
#include "worker/gateway/evaluator_executor.h"
#include "worker/reference/task_identity.h"
#include "worker/toolchains/cpu_toolchain.h"

namespace kernelsmith::worker {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EvaluatorExecutorTest : public testing::Test {
 protected:
  EvaluatorExecutorTest() {
    EvaluatorOptions options;
    options.toolchain = *MakeCpuToolchain({.cache_dir = folder_.path() + "/compiled"});
    options.lock_dir = folder_.path() + "/locks";
    options.cache_dir = folder_.path() + "/variants";
    evaluator_ = std::make_unique<Evaluator>(std::move(options));
    executor_ = std::make_unique<EvaluatorExecutor>(*evaluator_);
  }

  static v1::EvaluateWork Work(const std::string& source) {
    v1::EvaluateWork work;
    work.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
    work.mutable_spec()->set_hash(TaskHash(work.task()));
    work.mutable_candidate()->set_kind(v1::Candidate::CPU_SOURCE);
    v1::SourceFile& file = *work.mutable_candidate()->add_files();
    file.set_name("kernel.cpp");
    file.set_content(source);
    return work;
  }
  Executor::Progress Note() {
    return [this](absl::string_view activity) { activities_.emplace_back(activity); };
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("executor-test");
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<EvaluatorExecutor> executor_;
  std::vector<std::string> activities_;
};

constexpr char kBroken[] = "extern \"C\" int ks_kernel(const void* call) { return missing; }\n";

TEST_F(EvaluatorExecutorTest, AnEvaluationGivesAReportAndItsLogs) {
  v1::Assignment assignment;
  *assignment.mutable_evaluate() = Work(kBroken);
  const Execution execution = executor_->Run(assignment, Note(), {});
  ASSERT_TRUE(execution.result.has_report());
  EXPECT_EQ(execution.result.report().status(), v1::COMPILE_ERROR) << execution.result.report().summary();
  ASSERT_THAT(execution.logs, SizeIs(1));
  EXPECT_EQ(execution.logs[0].name, "compiler.log");
  EXPECT_THAT(execution.logs[0].content, HasSubstr("missing"));
  EXPECT_THAT(activities_, Contains("compiling"));
}

TEST_F(EvaluatorExecutorTest, AComparisonJudgesTheFirstCandidate) {
  v1::Assignment assignment;
  *assignment.mutable_compare()->mutable_a() = Work(kBroken);
  *assignment.mutable_compare()->mutable_b() = Work("int x;\n").candidate();
  const Execution execution = executor_->Run(assignment, Note(), {});
  ASSERT_TRUE(execution.result.has_report());
  EXPECT_EQ(execution.result.report().status(), v1::COMPILE_ERROR);
}

TEST_F(EvaluatorExecutorTest, APreparationFillsTheCompileCache) {
  v1::Assignment assignment;
  *assignment.mutable_evaluate() = Work("extern \"C\" int ks_kernel(const void*) { return 0; }\n");
  executor_->Prepare(assignment, Note(), {});
  EXPECT_THAT(activities_, Contains("compiling"));
  EXPECT_EQ(evaluator_->Prepare(assignment.evaluate(), {}).compile_cache(), "hit");

  v1::Assignment comparison;
  *comparison.mutable_compare()->mutable_a() = Work("extern \"C\" int ks_kernel(const void*) { return 1; }\n");
  executor_->Prepare(comparison, Note(), {});
  EXPECT_EQ(evaluator_->Prepare(comparison.compare().a(), {}).compile_cache(), "hit");

  activities_.clear();
  v1::Assignment inspection;
  inspection.mutable_inspect();
  executor_->Prepare(inspection, Note(), {});
  EXPECT_THAT(activities_, IsEmpty()) << "an inspection needs the card's turn";
}

TEST_F(EvaluatorExecutorTest, AStopGetsThroughToEveryKindOfWork) {
  std::stop_source stop;
  stop.request_stop();
  v1::Assignment evaluation, comparison, inspection;
  *evaluation.mutable_evaluate() = Work(kBroken);
  *comparison.mutable_compare()->mutable_a() = Work(kBroken);
  inspection.mutable_inspect()->mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  for (const v1::Assignment* assignment : {&evaluation, &comparison}) {
    const Execution execution = executor_->Run(*assignment, Note(), stop.get_token());
    EXPECT_EQ(execution.result.report().status(), v1::EVALUATION_CANCELLED);
  }
  const Execution inspected = executor_->Run(inspection, Note(), stop.get_token());
  ASSERT_TRUE(inspected.result.has_inspected());
  EXPECT_EQ(inspected.result.inspected().status(), v1::EVALUATION_CANCELLED);
  EXPECT_THAT(inspected.logs, IsEmpty());
}

TEST_F(EvaluatorExecutorTest, WorkOfANewerCoordinatorIsHandedBack) {
  const Execution execution = executor_->Run({}, Note(), {});
  EXPECT_EQ(execution.result.report().status(), v1::INFRASTRUCTURE);
  EXPECT_THAT(execution.result.report().summary(), HasSubstr("newer"));
}

}  // namespace
}  // namespace kernelsmith::worker
