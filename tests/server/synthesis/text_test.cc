// What prompts and queries say about a task and a report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/synthesis/context_request.h"
#include "server/synthesis/feedback_text.h"
#include "server/synthesis/proposal_check.h"
#include "server/synthesis/task_text.h"
#include "tests/server/synthesis/job_log_builder.h"

namespace kernelsmith::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

v1::TaskSpec Task() {
  v1::TaskSpec task;
  task.set_name("softmax");
  task.set_operator_name("softmax");
  task.set_family("row_reduction");
  task.set_reference_source("class Model: pass");
  for (const char* op : {"input", "exp", "sum", "exp", "output"}) task.add_graph()->set_op(op);
  v1::TaskCase& visible = *task.add_cases();
  visible.set_id("c0");
  visible.set_timed(true);
  visible.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {visible.add_inputs(), visible.add_outputs()}) {
    tensor->set_name("x");
    tensor->set_dtype(v1::BF16);
    tensor->add_shape(4096);
    tensor->add_shape(1024);
  }
  (*visible.mutable_attributes())["dim"] = "-1";
  v1::TaskCase& hidden = *task.add_cases();
  hidden.set_id("h0");
  hidden.set_hidden(true);
  hidden.add_inputs()->add_shape(777);
  return task;
}

TEST(TaskText, TellsACandidatesAuthorEverythingButHiddenCases) {
  const std::string text = SpecificationText(Task(), "cpu");
  EXPECT_THAT(text, AllOf(HasSubstr("class Model: pass"), HasSubstr("x: bf16 [4096, 1024]"), HasSubstr("dim = -1"),
                          HasSubstr("ks_kernel"), HasSubstr("and 1 hidden"), Not(HasSubstr("777"))));
  EXPECT_EQ(text, SpecificationText(Task(), "cpu"));
}

TEST(TaskText, QueriesWithOperatorOperationsShapesTypeAndTheLatestError) {
  EXPECT_EQ(QueryText(Task(), "only the tail"), "softmax row_reduction exp sum 4096x1024 bf16 only the tail");
  EXPECT_EQ(SceneOf(Task()).shape_signature(), "4096x1024");
  EXPECT_EQ(SceneOf(Task()).dtype(), v1::BF16);
}

v1::EvaluationReport WrongReport() {
  v1::EvaluationReport report;
  report.set_status(v1::INCORRECT_NUMERICAL);
  report.set_summary("case c0 differs");
  for (const char* id : {"h0", "c0"}) {
    v1::CaseReport& result = *report.add_cases();
    result.set_case_id(id);
    result.set_status(v1::INCORRECT_NUMERICAL);
    v1::Mismatch& mismatch = *result.add_mismatches();
    mismatch.set_output("y");
    mismatch.set_elements(100);
    mismatch.set_wrong(7);
    mismatch.set_pattern(std::string(id) == "h0" ? "secret" : "only the tail after 8192");
    mismatch.add_worst_index(3);
    mismatch.set_got(1.5);
    mismatch.set_expected(2.5);
  }
  return report;
}

TEST(Feedback, ShowsMismatchesOfPublicCasesOnly) {
  const std::string text = FeedbackText(WrongReport(), Task());
  EXPECT_THAT(text, AllOf(HasSubstr("7 of 100 elements are wrong (only the tail after 8192)"),
                          HasSubstr("worst at [3]: got 1.5, expected 2.5"), HasSubstr("a hidden case: INCORRECT"),
                          Not(HasSubstr("secret"))));
  EXPECT_EQ(FeedbackLine(WrongReport(), Task()), "INCORRECT_NUMERICAL: case c0 differs (only the tail after 8192)");
  EXPECT_EQ(LatestError(WrongReport(), Task()), "only the tail after 8192");
}

TEST(Feedback, ShowsCompilerMessagesUpToALimit) {
  v1::EvaluationReport report;
  report.set_status(v1::COMPILE_ERROR);
  for (int i = 1; i <= 30; ++i) {
    v1::Diagnostic& diagnostic = *report.add_diagnostics();
    diagnostic.set_file("kernel.cpp");
    diagnostic.set_line(i);
    diagnostic.set_severity(v1::Diagnostic::ERROR);
    diagnostic.set_text("no such name");
  }
  const std::string text = FeedbackText(report, Task());
  EXPECT_THAT(text, AllOf(HasSubstr("kernel.cpp:20: error: no such name"), Not(HasSubstr("kernel.cpp:21"))));
  EXPECT_EQ(LatestError(report, Task()), "no such name");
}

TEST(ContextRequest, CarriesTheRequiredBlocksInAFixedOrder) {
  JobLogBuilder log;
  log.Submit().Resolve().Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true});
  log.CompleteStage(v1::DRAFTING).Start();
  PastRound first;
  first.round = 1;
  first.candidate.add_files()->set_content("int ks_kernel;");
  first.report.set_status(v1::PASSED);
  first.report.set_latency_us(100);
  first.report.mutable_environment()->mutable_target()->set_architecture("cpu-x86_64");
  const std::vector<PastRound> past = {first};
  JobHistory history = log.history();
  history.spec.mutable_proposer()->mutable_chat();
  const v1::AssembleContextRequest request =
      BuildContextRequest(history, history.rounds.back(), past, LatestTarget(past), {}, "coordinator-1");
  ASSERT_EQ(request.required_size(), 4);
  EXPECT_EQ(request.required(0).name(), "specification");
  EXPECT_TRUE(request.required(0).stable());
  EXPECT_EQ(request.required(1).name(), "target");
  EXPECT_THAT(request.required(1).text(), HasSubstr("cpu-x86_64"));
  EXPECT_EQ(request.required(2).name(), "incumbent");
  EXPECT_THAT(request.required(2).text(), HasSubstr("int ks_kernel;"));
  EXPECT_EQ(request.required(3).name(), "feedback");
  EXPECT_THAT(request.required(3).text(), HasSubstr("verdict: PASSED"));
  EXPECT_EQ(request.attempt_id(), "job-1/2");
  EXPECT_EQ(request.stage(), v1::REFINING);
}

TEST(ContextRequest, OfTheCatalogHasNeitherCodeNorProse) {
  JobLogBuilder log;
  log.Submit().Resolve().Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true});
  log.CompleteStage(v1::DRAFTING).Start();
  PastRound first;
  first.round = 1;
  first.candidate.add_files()->set_content(std::string(1 << 20, 'x'));
  first.report.set_status(v1::PASSED);
  const v1::AssembleContextRequest request =
      BuildContextRequest(log.history(), log.history().rounds.back(), {first}, {}, {}, "coordinator-1");
  for (const v1::RequiredBlock& block : request.required()) {
    EXPECT_THAT(block.text(), Not(HasSubstr("xxxx"))) << block.name();
  }
  EXPECT_THAT(request.filter().kinds(), ::testing::ElementsAre(v1::CASE)) << "the catalog reads no prose";
  EXPECT_THAT(request.filter().excluded_sessions(), ::testing::ElementsAre("job-1")) << "that is in the history";
  EXPECT_EQ(request.policy().pool(), 200);
}

TEST(Candidate, IsRefusedForWhatNoWorkerCouldUse) {
  v1::Candidate candidate;
  EXPECT_THAT(CandidateFault(candidate), HasSubstr("no file"));
  candidate.add_files()->set_name("a/kernel.cpp");
  EXPECT_THAT(CandidateFault(candidate), HasSubstr("plain name"));
  candidate.mutable_files(0)->set_name("kernel.cpp");
  EXPECT_THAT(CandidateFault(candidate), HasSubstr("empty"));
  candidate.mutable_files(0)->set_content("x");
  EXPECT_EQ(CandidateFault(candidate), "");
  *candidate.add_files() = candidate.files(0);
  EXPECT_THAT(CandidateFault(candidate), HasSubstr("twice"));
  candidate.mutable_files(1)->set_name("other.h");
  candidate.mutable_files(1)->set_content(std::string(kMaxSourceBytes, 'x'));
  EXPECT_THAT(CandidateFault(candidate), HasSubstr("bytes long"));
}

}  // namespace
}  // namespace kernelsmith::server
