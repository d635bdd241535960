#include "client/cli/text/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "client/cli/text/table.h"
#include "google/protobuf/text_format.h"
#include "tests/client/example_job.h"

namespace kernelsmith::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Shown(JobProgress& progress, const std::string& text) {
  const v1::JobEvent event = EventFrom(text);
  progress.Apply(event);
  return absl::StrJoin(PlainLines(event, progress), "\n");
}

TEST(Progress, EveryStepOfARoundIsOneLineThatSaysWhatHappened) {
  JobProgress progress(ExampleJob());
  EXPECT_EQ(Shown(progress, "round_started { round: 2 stage: REFINING start_round: 1 }"),
            "round 2/3 refining, from round 1");
  EXPECT_EQ(Shown(progress,
                  "context_assembled { round: 2 supplied { titles: 'threads' titles: 'exp' "
                  "decisions { item_id: 'b' included: true position: 2 } decisions { item_id: 'x' } "
                  "decisions { item_id: 'a' included: true position: 1 } } }"),
            "  memory supplied 2: threads; exp");
  EXPECT_EQ(Shown(progress,
                  "proposed { round: 2 candidate { digest: 'd' } proposal { hypothesis: 'faster' "
                  "thought { title: 'vector exp' } adoption { item_id: 'b' state: ADOPTED reason: 'fits' } "
                  "adoption { item_id: 'a' state: NOT_ADOPTED reason: 'no' } } }"),
            "  proposed vector exp: faster; adopted 1 of 2: exp");
  EXPECT_EQ(Shown(progress, "evaluation_leased { worker_id: 'h-cpu0' }"), "  evaluating on h-cpu0");
  EXPECT_EQ(Shown(progress,
                  "evaluation_ended { round: 2 status: PASSED latency_us: 50 speedup_vs_baseline: 1.5 "
                  "gates { gate: COMPILE passed: true } gates { gate: VERIFY passed: true } }"),
            "  compile ok, verify ok\n  PASSED 50.0 us, 1.50x against the baseline");
  EXPECT_THAT(Shown(progress,
                    "round_recorded { round: 2 status: PASSED latency_us: 50 best_us: 50 "
                    "became_incumbent: true }"),
              testing::AllOf(HasSubstr("round 2/3  passed"), HasSubstr("best 50.0 us"), HasSubstr("1.50x baseline"),
                             HasSubstr("[memory 2, adopted 1]")));
}

TEST(Progress, AJobThatIsTakenUpAgainGoesOnWithItsRound) {
  JobProgress progress(ExampleJob());
  EXPECT_EQ(Shown(progress, "job_ended { state: FAILED reason: 'the card is gone' }"), "job failed: the card is gone");
  EXPECT_TRUE(progress.ended());
  EXPECT_EQ(Shown(progress, "evaluation_replayed { round: 3 }"), "taken up again: round 3 is evaluated anew");
  EXPECT_FALSE(progress.ended());
  EXPECT_EQ(progress.round(), 3);
  EXPECT_EQ(Shown(progress, "evaluation_replayed { }"), "taken up again: the task is inspected anew");
}

TEST(Progress, AFailedCandidateNamesTheGateAndTheReason) {
  JobProgress progress(ExampleJob());
  EXPECT_EQ(Shown(progress,
                  "evaluation_ended { round: 1 status: INCORRECT_NUMERICAL summary: 'tail wrong' "
                  "gates { gate: COMPILE passed: true } gates { gate: VERIFY detail: 'only the tail' } }"),
            "  compile ok, verify FAILED (only the tail)\n  INCORRECT_NUMERICAL: tail wrong");
  EXPECT_EQ(Shown(progress, "proposed { round: 1 proposal { error: 'no code in the reply' } }"),
            "  no candidate: no code in the reply");
  EXPECT_EQ(Shown(progress, "evaluation_retried { reason: 'lease lost' }"), "  evaluating again: lease lost");
}

TEST(Progress, ModelCallsShowTimeAndTokens) {
  JobProgress progress(ExampleJob());
  EXPECT_EQ(Shown(progress,
                  "model_call_ended { begin_unix_us: 1000000 end_unix_us: 3500000 prompt_tokens: 10 "
                  "completion_tokens: 20 }"),
            "  model answered in 2.50 s, 10 + 20 tokens");
  EXPECT_EQ(Shown(progress, "model_call_ended { error: 'HTTP 500' }"), "  model call failed: HTTP 500");
}

TEST(Progress, TheBestKernelAndItsSpeedUpsFollowTheRecords) {
  JobProgress progress(ExampleJob());
  for (const char* text :
       {"round_started { round: 1 stage: DRAFTING }",
        "evaluation_ended { round: 1 status: PASSED latency_us: 100 speedup_vs_baseline: 0.5 }",
        "round_recorded { round: 1 status: PASSED latency_us: 100 best_us: 100 became_incumbent: true }",
        "round_started { round: 2 stage: REFINING }",
        "evaluation_ended { round: 2 status: PASSED latency_us: 200 speedup_vs_baseline: 0.25 }",
        "round_recorded { round: 2 status: PASSED latency_us: 200 best_us: 100 }",
        "evaluation_ended { round: 3 status: PASSED latency_us: 40 speedup_vs_baseline: 1.25 }",
        "round_recorded { round: 3 status: PASSED latency_us: 40 best_us: 40 became_incumbent: true }"}) {
    progress.Apply(EventFrom(text));
  }
  EXPECT_DOUBLE_EQ(progress.best_us(), 40);
  EXPECT_DOUBLE_EQ(progress.first_correct_us(), 100);
  EXPECT_DOUBLE_EQ(progress.speedup_vs_first(), 2.5);
  EXPECT_DOUBLE_EQ(progress.speedup_vs_baseline(), 1.25);
  EXPECT_FALSE(progress.ended());
  progress.Apply(EventFrom("job_ended { state: SUCCEEDED }"));
  EXPECT_TRUE(progress.ended());
}

TEST(Progress, ANewRoundForgetsWhatMemoryGaveTheLastOne) {
  JobProgress progress(ExampleJob());
  progress.Apply(EventFrom("context_assembled { supplied { titles: 't' decisions { item_id: 'a' included: true } } }"));
  EXPECT_THAT(progress.SuppliedTitles(), ElementsAre("t"));
  progress.Apply(EventFrom("round_started { round: 2 }"));
  EXPECT_THAT(progress.SuppliedTitles(), IsEmpty());
}

TEST(Progress, AnExtensionAddsRoundsUnlessTheJobHasThemAlready) {
  JobProgress progress(ExampleJob());
  progress.Apply(EventFrom("sequence: 8 budget_extended { extra { rounds: 4 } }"));
  EXPECT_EQ(progress.rounds_budget(), 3);
  progress.Apply(EventFrom("sequence: 9 budget_extended { extra { rounds: 4 } }"));
  EXPECT_EQ(progress.rounds_budget(), 7);
}

TEST(Progress, ThatBeginsInTheMiddleStartsFromTheJobsFigures) {
  const JobProgress whole(ExampleJob());
  EXPECT_DOUBLE_EQ(whole.best_us(), 0);
  const JobProgress rest(ExampleJob(), 8);
  EXPECT_DOUBLE_EQ(rest.best_us(), 50);
  EXPECT_DOUBLE_EQ(rest.first_correct_us(), 100);
  EXPECT_DOUBLE_EQ(rest.speedup_vs_baseline(), 1.5);
  EXPECT_EQ(rest.round(), 3);
}

TEST(Progress, TheLiveLineFitsEveryWidth) {
  JobProgress progress(ExampleJob());
  progress.Apply(EventFrom("round_started { round: 2 stage: REFINING }"));
  progress.Apply(EventFrom("progress { activity: 'verifying case 3 of 5' }"));
  const std::string wide = LiveLine(progress, {.width = 200, .frame = 1, .elapsed_s = 12});
  EXPECT_THAT(wide, HasSubstr("round 2/3 refining | verifying case 3 of 5 | none correct yet | 12.0 s"));
  EXPECT_EQ(wide[0], '/');
  for (const size_t width : {0UL, 1UL, 10UL, 40UL, 80UL}) {
    const std::string line = LiveLine(progress, {.width = width, .frame = 0, .elapsed_s = 1});
    EXPECT_LE(DisplayWidth(line), width > 3 ? width - 1 : 3) << width;
    EXPECT_THAT(line, Not(HasSubstr("\n")));
  }
}

TEST(Progress, OnATerminalOnlyWhatStaysInterestingScrolls) {
  JobProgress progress(ExampleJob());
  for (const char* quiet : {"round_started { round: 1 }", "evaluation_queued { round: 1 }",
                            "evaluation_leased { worker_id: 'w' }", "evaluation_ended { status: PASSED }"}) {
    const v1::JobEvent event = EventFrom(quiet);
    progress.Apply(event);
    EXPECT_THAT(ScrollLines(event, progress), IsEmpty()) << quiet;
  }
  const v1::JobEvent failed = EventFrom("evaluation_ended { status: COMPILE_ERROR summary: 'no ;' }");
  progress.Apply(failed);
  EXPECT_THAT(ScrollLines(failed, progress), ElementsAre("  COMPILE_ERROR: no ;"));
}

}  // namespace
}  // namespace kernelsmith::client
