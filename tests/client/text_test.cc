#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "client/cli/text/attempt_text.h"
#include "client/cli/text/card_text.h"
#include "client/cli/text/job_text.h"
#include "client/cli/text/memory_text.h"
#include "client/cli/text/progress_bar.h"
#include "client/cli/text/report_text.h"
#include "client/cli/text/rules_text.h"
#include "client/cli/text/search_text.h"
#include "google/protobuf/text_format.h"
#include "tests/client/example_job.h"

namespace kernelsmith::client {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(JobText, TheClosingTableHasFirstCorrectBestSpeedUpsRoundsAndSecondsByKind) {
  EXPECT_EQ(JobSummary(ExampleJob()),
            "job                  j-1  softmax\n"
            "state          succeeded  budget of 3 rounds used\n"
            "task                      row reduction, fp32 64x512 -> fp32 64x512\n"
            "first correct     100 us  round 1\n"
            "best             50.0 us  round 2\n"
            "speed-up           2.00x  against the first correct kernel\n"
            "                   1.50x  against PyTorch 1.13.0, 2 threads (75.0 us)\n"
            "rounds                 3  of 3\n"
            "wall time         20.0 s\n"
            "  proposer        1.00 s\n"
            "  compile         8.00 s\n"
            "  reference       2.00 s\n"
            "  verify          3.00 s\n"
            "  timing          5.00 s\n"
            "  lock wait       0.50 s\n"
            "  overhead         3.0 %  of the wall time is covered by none of these\n");
}

TEST(JobText, AJobWithoutACorrectKernelSaysSo) {
  v1::Job job = ExampleJob();
  job.set_first_correct_round(0);
  job.set_baseline_us(0);
  EXPECT_THAT(JobSummary(job), AllOf(HasSubstr("no correct kernel"), Not(HasSubstr("speed-up"))));
}

TEST(JobText, ANameCannotSteerTheTerminal) {
  v1::Job job = ExampleJob();
  job.mutable_spec()->set_name("soft\x1b[2Jmax\nrow");
  EXPECT_THAT(JobSummary(job), HasSubstr("j-1  soft[2Jmax row\n"));
  EXPECT_THAT(JobList({job}), HasSubstr("j-1  soft[2Jmax row"));
}

TEST(JobText, AListHasOneLineAJob) {
  const std::string text = JobList({ExampleJob(), ExampleJob()});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("j-1  softmax  succeeded"));
}

TEST(ReportText, APassedReportShowsGatesErrorsTimesAndEnvironment) {
  EXPECT_THAT(ReportText(ExampleReport()),
              AllOf(HasSubstr("PASSED  correct on 1 case"), HasSubstr("gates  compile ok, verify ok"),
                    HasSubstr("case c0: passed, max error 1e-06 abs 2e-06 rel"),
                    HasSubstr("latency 50.0 us, 1.50x against PyTorch 1.13.0, 2 threads (75.0 us)"),
                    HasSubstr("1.450 to 1.550"), HasSubstr("worker h-cpu0, Xeon, g++ 12.2.0; isolation bwrap")));
}

TEST(ReportText, AMismatchSaysHowManyWhereAndHowMuch) {
  v1::EvaluationReport report;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        status: INCORRECT_NUMERICAL
        summary: "wrong"
        diagnostics { file: "kernel.cpp" line: 3 column: 5 severity: WARNING text: "unused" rule: "-Wunused" }
        diagnostics { severity: ERROR text: "ld failed" }
        cases {
          case_id: "c1"
          status: INCORRECT_NUMERICAL
          mismatches {
            output: "output"
            elements: 100
            wrong: 7
            worst_index: 9
            worst_index: 3
            got: 1.5
            expected: 2.5
            allowed: 0.001
            pattern: "only the tail after 92"
          }
        }
        exit_signal: 11
        output_excerpt: "hello\nworld"
      )pb",
      &report));
  EXPECT_THAT(ReportText(report),
              AllOf(HasSubstr("kernel.cpp:3:5: warning: unused [-Wunused]\n  error: ld failed\n"),
                    HasSubstr("output: 7 of 100 elements wrong, only the tail after 92; worst at [9, 3]: got 1.5, "
                              "expected 2.5, allowed difference 0.001"),
                    HasSubstr("signal 11"), HasSubstr("hello world")));
}

TEST(ReportText, AComparisonNamesTheFasterOneOnlyIfTheIntervalDoes) {
  v1::EvaluationReport report;
  EXPECT_THAT(ComparisonText(report), HasSubstr("not timed together"));
  auto& ratio = *report.mutable_against_incumbent();
  ratio.set_ratio(1.2);
  ratio.set_low(1.1);
  ratio.set_high(1.3);
  ratio.set_faster(true);
  EXPECT_THAT(ComparisonText(report), HasSubstr("A is faster: time of B / time of A = 1.200"));
  ratio.set_faster(false);
  EXPECT_THAT(ComparisonText(report), HasSubstr("no difference"));
  ratio.set_slower(true);
  EXPECT_THAT(ComparisonText(report), HasSubstr("B is faster"));
}

TEST(AttemptText, ARoundShowsWhatMemorySuppliedAndWhatBecameOfIt) {
  v1::Attempt attempt = ExampleAttempts()[1];
  auto* decision = attempt.mutable_context()->add_decisions();
  decision->set_item_id("m-7");
  decision->set_included(true);
  attempt.mutable_context()->add_titles("two threads");
  auto* record = attempt.mutable_proposal()->add_adoption();
  record->set_item_id("m-7");
  record->set_state(v1::ADOPTED);
  record->set_reason("same shape");
  EXPECT_THAT(AttemptText(attempt),
              AllOf(HasSubstr("round 2 of j-1, refining, from round 1, became the best"), HasSubstr("thought: move 2"),
                    HasSubstr("m-7  two threads  adopted: same shape"), HasSubstr("--- kernel.cpp\n// round 2\n")));
}

TEST(CardText, ACardThatIsAwaySaysSince) {
  v1::Card card;
  card.set_worker_id("h-cpu0");
  card.set_last_seen_unix_us(1'700'000'000'000'000);
  EXPECT_THAT(CardList({card}), HasSubstr("away since 2023-11-14 22:13:20 UTC"));
  card.set_connected(true);
  card.set_draining(true);
  card.set_consecutive_failures(2);
  card.mutable_state()->set_health(v1::HEALTHY);
  EXPECT_THAT(CardList({card}), HasSubstr("healthy, draining, 2 failures in a row"));
}

TEST(MemoryText, ASearchWithoutResultSaysHowManyItemsWereLookedAt) {
  v1::RetrieveResponse found;
  found.set_candidates(12);
  EXPECT_EQ(SearchText(found), "nothing found among 12 items\n");
}

TEST(MemoryText, AnItemShowsItsValues) {
  v1::Item item;
  item.set_id("m-1");
  item.set_kind(v1::CASE);
  item.set_text("body");
  item.mutable_values()->set_u(0.25);
  EXPECT_THAT(ItemText(item), AllOf(HasSubstr("m-1  case"), HasSubstr("u 0.2500"), HasSubstr("\nbody\n")));
}

TEST(MemoryText, AnItemShowsItsLifeAndWhereItHolds) {
  v1::Item item;
  item.set_id("m-1");
  item.mutable_lifecycle()->set_superseded_by("m-2");
  item.mutable_lifecycle()->set_reason("newer");
  item.mutable_applicability()->add_architectures("ascend-a2");
  item.mutable_applicability()->set_toolchain_from("8.5.0");
  item.mutable_provenance()->set_team("compilers");
  item.mutable_values()->set_n_feedback(2);
  item.mutable_values()->set_q_refining(0.5);
  EXPECT_THAT(ItemText(item),
              AllOf(HasSubstr("replaced by m-2: newer"), HasSubstr("holds for ascend-a2; from version 8.5.0"),
                    HasSubstr("shared by team compilers with every team"),
                    HasSubstr("Q 0.0000 drafting, 0.5000 refining, after 2 rewards")));
}

TEST(MemoryText, AnExplainedSearchShowsTheParts) {
  v1::RetrieveResponse found;
  found.set_candidates(12);
  found.set_seed(9);
  found.set_lexical_only(true);
  found.set_lexical_only_reason("the embedder does not answer");
  v1::RankedItem& ranked = *found.add_items();
  ranked.set_rank(1);
  ranked.set_reason("softmax, u 0.2");
  ranked.mutable_item()->set_id("m-1");
  ranked.mutable_parts()->set_lexical(7.12);
  ranked.mutable_parts()->set_lexical_rank(2);
  ranked.mutable_parts()->set_explored(true);
  EXPECT_THAT(ExplainedSearchText(found),
              AllOf(HasSubstr("7.120 (#2)"), HasSubstr("yes"), HasSubstr("softmax, u 0.2"), HasSubstr("seed 9"),
                    HasSubstr("words only, without similarity: the embedder does not answer")));
}

TEST(MemoryText, ConflictsShowBothSidesWithTheirEvidence) {
  v1::ListConflictsResponse found;
  EXPECT_EQ(ConflictsText(found), "no conflicts\n");
  v1::Conflict& conflict = *found.add_conflicts();
  conflict.set_reason("larger tiles");
  conflict.mutable_for_item()->set_id("m-1");
  conflict.mutable_for_item()->mutable_values()->set_u(0.4);
  conflict.mutable_against_item()->set_id("m-2");
  conflict.mutable_against_item()->mutable_values()->set_n_harm(3);
  EXPECT_THAT(ConflictsText(found), AllOf(HasSubstr("larger tiles\n  for     m-1"), HasSubstr("u 0.400"),
                                          HasSubstr("against m-2"), HasSubstr("harm 3")));
}

TEST(MemoryText, ResidentsShowUtilityUsageAndBudget) {
  v1::ListResidentsResponse found;
  EXPECT_THAT(ResidentsText(found), HasSubstr("no residents"));
  v1::ResidentView& view = *found.add_items();
  view.set_utility(6.375e-4);
  view.set_usage(0.6);
  view.set_tokens(400);
  view.set_resident(true);
  view.set_rule_text("Reduce in fp32.");
  found.add_items()->mutable_item()->set_title("too long");
  found.set_budget_tokens(10000);
  found.set_used_tokens(400);
  EXPECT_THAT(ResidentsText(found), AllOf(HasSubstr("6.375e-04"), HasSubstr("0.600"), HasSubstr("Reduce in fp32."),
                                          HasSubstr("left out"), HasSubstr("400 of 10000 tokens used")));
}

TEST(MemoryText, AVerdictSaysWhatDiffersAndWhatToDo) {
  v1::VerifyProgress verdict;
  verdict.set_facts(5);
  verdict.set_equal(true);
  EXPECT_EQ(VerifyText(verdict), "equal: 5 facts folded again give what is served\n");
  verdict.set_equal(false);
  verdict.add_differences("u of case-1: 0.5, served 0.4");
  EXPECT_THAT(VerifyText(verdict),
              AllOf(HasSubstr("DIFFERENT"), HasSubstr("u of case-1"), HasSubstr("restore a backup")));
}

TEST(Progress, IsABarOnATerminalAndALineElsewhere) {
  const ProgressState half{.done = 50, .total = 100, .detail = "120 rows"};
  EXPECT_EQ(ProgressBar("importing", half, 80), "importing [############------------]  50 %, 120 rows");
  EXPECT_EQ(ProgressLine("importing", half), "importing: 50 %, 120 rows");
  EXPECT_LE(ProgressBar("importing", half, 20).size(), 20U);
  EXPECT_EQ(ProgressBar("exporting", {.done = 3, .total = 0, .detail = "3 rows"}, 80), "exporting, 3 rows");
  EXPECT_EQ(ProgressLine("x", {.done = 9, .total = 3, .detail = ""}), "x: 100 %");
}

}  // namespace
}  // namespace kernelsmith::client
