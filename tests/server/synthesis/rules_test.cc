// When a job ends, what it does next, what a stage is worth, which job starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "server/synthesis/attempt_rules.h"
#include "server/synthesis/ending_rules.h"
#include "server/synthesis/job_schedule.h"
#include "server/synthesis/next_step.h"
#include "server/synthesis/stage_scoring.h"
#include "tests/server/synthesis/job_log_builder.h"

namespace kernelsmith::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr RoundScript kWrong = {.status = v1::INCORRECT_NUMERICAL};
constexpr RoundScript kFirst = {.status = v1::PASSED, .latency_us = 100, .incumbent = true};

TEST(NextStep, FollowsTheOrderOfARound) {
  JobLogBuilder log;
  log.Submit();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kResolveTask);
  log.Resolve();
  const Step start = NextStep(log.history(), log.now());
  EXPECT_EQ(start.kind, StepKind::kStartRound);
  EXPECT_EQ(start.round, 1);
  EXPECT_EQ(start.stage, v1::DRAFTING);
  EXPECT_EQ(start.start_round, 0);
  EXPECT_EQ(start.attempt_id, "job-1/1");
  log.Start();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kAssembleContext);
  log.Context();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kPropose);
  log.Propose();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kQueueEvaluation);
  log.Queue();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kEvaluate);
  log.Evaluate(kFirst);
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kRecordRound);
  log.Record(kFirst);
  const Step complete = NextStep(log.history(), log.now());
  EXPECT_EQ(complete.kind, StepKind::kCompleteStage);
  EXPECT_EQ(complete.stage, v1::DRAFTING);
  log.CompleteStage(v1::DRAFTING);
  const Step refine = NextStep(log.history(), log.now());
  EXPECT_EQ(refine.kind, StepKind::kStartRound);
  EXPECT_EQ(refine.stage, v1::REFINING);
  EXPECT_EQ(refine.start_round, 1);
}

TEST(NextStep, EvaluatesAGivenKernelWithoutAskingMemory) {
  JobLogBuilder log([](v1::JobSpec& spec) { spec.mutable_start_from()->set_kind(v1::Candidate::CPU_SOURCE); });
  log.Submit().Resolve().Start();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kPropose);
  log.Propose().Queue().Evaluate(kFirst).Record(kFirst).CompleteStage(v1::DRAFTING).Start();
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kAssembleContext);
}

TEST(NextStep, RecordsARoundWithoutCandidateWithoutEvaluatingIt) {
  JobLogBuilder log;
  log.Submit().Resolve().Start().Context().Propose(false);
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kRecordRound);
}

TEST(NextStep, CompletesTheOpenStageBeforeTheEnd) {
  JobLogBuilder log([](v1::JobSpec& spec) { spec.mutable_budget()->set_rounds(2); });
  log.Submit().Resolve().Round(kWrong).Round(kWrong);
  const Step step = NextStep(log.history(), log.now());
  EXPECT_EQ(step.kind, StepKind::kCompleteStage);
  EXPECT_EQ(step.stage, v1::DRAFTING);
  log.CompleteStage(v1::DRAFTING);
  const Step end = NextStep(log.history(), log.now());
  EXPECT_EQ(end.kind, StepKind::kEndJob);
  EXPECT_EQ(end.ending.state, v1::EXHAUSTED);
  log.End(v1::EXHAUSTED);
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kNothing);
}

TEST(NextStep, DoesNotScoreAJobThatFailed) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kWrong);
  EXPECT_EQ(StepTowards({v1::FAILED, "why"}, log.history()).kind, StepKind::kEndJob);
  EXPECT_EQ(StepTowards({v1::EXHAUSTED, "why"}, log.history()).kind, StepKind::kCompleteStage);
}

TEST(NextStep, RepairsTheNewestAttemptThatMemoryKnows) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kWrong).Round({.status = v1::EVALUATION_STATUS_UNSPECIFIED, .candidate = false});
  EXPECT_EQ(StartRound(log.history()), 1);
  log.Round(kFirst).Round(kWrong);
  EXPECT_EQ(StartRound(log.history()), 3);
}

TEST(StartPoints, TheChosenOneCountsIfItIsACorrectRoundOfThisJob) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kWrong).Round(kFirst).Round(kWrong);
  const auto choice = [&](const std::string& producer, const std::string& attempt_id, bool chosen) {
    v1::ListStartPointsResponse points;
    v1::StartPoint& point = *points.add_start_points();
    point.set_producer(producer);
    point.set_attempt_id(attempt_id);
    point.set_chosen(chosen);
    return ChosenStartRound(points, "coordinator", log.history(), 9);
  };
  const auto attempt = [&](int round) { return log.history().round(round)->started.attempt_id(); };
  EXPECT_EQ(choice("coordinator", attempt(2), true), 2);
  EXPECT_EQ(choice("coordinator", attempt(2), false), 9) << "listed, not chosen";
  EXPECT_EQ(choice("coordinator", attempt(1), true), 9) << "not correct";
  EXPECT_EQ(choice("coordinator", "job-7/2", true), 9) << "another job's";
  EXPECT_EQ(choice("another", attempt(2), true), 9) << "another coordinator's";
  EXPECT_EQ(ChosenStartRound({}, "coordinator", log.history(), 9), 9) << "memory chose none";
}

TEST(NextStep, GoesOnAfterAnExtensionWithANewAttemptForTheAbandonedRound) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kFirst).CompleteStage(v1::DRAFTING).Start().Context();
  log.End(v1::SUCCEEDED).Extend(5);
  const Step step = NextStep(log.history(), log.now());
  EXPECT_EQ(step.kind, StepKind::kStartRound);
  EXPECT_EQ(step.round, 2);
  EXPECT_EQ(step.attempt_id, "job-1/2.1");
}

struct EndingCase {
  const char* name;
  std::function<void(v1::JobSpec&)> spec;
  std::function<void(JobLogBuilder&)> rounds;
  v1::JobState state;  // unspecified: goes on
  const char* reason;
};

TEST(Ending, FollowsTheTable) {
  const std::vector<EndingCase> table = {
      {"nothing is used up", [](v1::JobSpec&) {}, [](JobLogBuilder& log) { log.Round(kFirst); },
       v1::JOB_STATE_UNSPECIFIED, ""},
      {"rounds with an incumbent", [](v1::JobSpec& spec) { spec.mutable_budget()->set_rounds(2); },
       [](JobLogBuilder& log) { log.Round(kFirst).Round(kWrong); }, v1::SUCCEEDED, "2 rounds"},
      {"rounds without one", [](v1::JobSpec& spec) { spec.mutable_budget()->set_rounds(1); },
       [](JobLogBuilder& log) { log.Round(kWrong); }, v1::EXHAUSTED, "1 rounds"},
      {"latency goal", [](v1::JobSpec& spec) { spec.mutable_goal()->set_latency_us(100); },
       [](JobLogBuilder& log) { log.Round(kFirst); }, v1::SUCCEEDED, "goal"},
      {"latency goal not reached", [](v1::JobSpec& spec) { spec.mutable_goal()->set_latency_us(99); },
       [](JobLogBuilder& log) { log.Round(kFirst); }, v1::JOB_STATE_UNSPECIFIED, ""},
      {"speed-up goal", [](v1::JobSpec& spec) { spec.mutable_goal()->set_speedup_vs_baseline(1.5); },
       [](JobLogBuilder& log) {
         log.Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true, .speedup_vs_baseline = 1.5});
       },
       v1::SUCCEEDED, "goal"},
      {"tokens", [](v1::JobSpec& spec) { spec.mutable_budget()->set_tokens(50); },
       [](JobLogBuilder& log) {
         log.Start().Context().ModelCall(0, 0, 50).Propose().Queue().Evaluate(kFirst).Record(kFirst);
       },
       v1::SUCCEEDED, "50 tokens"},
      {"money", [](v1::JobSpec& spec) { spec.mutable_budget()->set_money(2); },
       [](JobLogBuilder& log) {
         log.Start().Context().ModelCall(3, 2, 1).Propose().Queue().Evaluate(kWrong).Record(kWrong);
       },
       v1::EXHAUSTED, "money"},
      {"wall time", [](v1::JobSpec& spec) { spec.mutable_budget()->set_wall_s(6); },
       [](JobLogBuilder& log) { log.Round(kFirst); }, v1::SUCCEEDED, "wall"},
      {"no gain", [](v1::JobSpec& spec) { spec.mutable_goal()->set_rounds_without_gain(2); },
       [](JobLogBuilder& log) { log.Round(kFirst).Round(kWrong).Round(kWrong); }, v1::SUCCEEDED, "no gain"},
      {"a gain in time", [](v1::JobSpec& spec) { spec.mutable_goal()->set_rounds_without_gain(2); },
       [](JobLogBuilder& log) {
         log.Round(kFirst).Round(kWrong).Round({.status = v1::PASSED, .latency_us = 50, .incumbent = true});
       },
       v1::JOB_STATE_UNSPECIFIED, ""},
      {"one infrastructure round", [](v1::JobSpec&) {},
       [](JobLogBuilder& log) { log.Round({.status = v1::INFRASTRUCTURE, .evidence = false}); },
       v1::JOB_STATE_UNSPECIFIED, ""},
      {"two infrastructure rounds", [](v1::JobSpec&) {},
       [](JobLogBuilder& log) {
         log.Round({.status = v1::INFRASTRUCTURE, .evidence = false}).Round(kFirst);
         log.Round({.status = v1::INFRASTRUCTURE, .evidence = false});
       },
       v1::FAILED, "the card is gone"},
      {"a task that fails by itself", [](v1::JobSpec&) {},
       [](JobLogBuilder& log) { log.Round({.status = v1::INVALID_TASK, .evidence = false}); }, v1::FAILED,
       "the task itself fails"},
  };
  for (const EndingCase& each : table) {
    SCOPED_TRACE(each.name);
    JobLogBuilder log(each.spec);
    log.Submit().Resolve();
    each.rounds(log);
    const auto ending = EndingBetweenRounds(log.history(), log.now());
    ASSERT_EQ(ending.has_value(), each.state != v1::JOB_STATE_UNSPECIFIED);
    if (!ending) continue;
    EXPECT_EQ(ending->state, each.state);
    EXPECT_THAT(ending->reason, HasSubstr(each.reason));
  }
}

TEST(Ending, ForgetsAGoalThatWasMetWhenTheJobWasExtended) {
  JobLogBuilder log([](v1::JobSpec& spec) { spec.mutable_goal()->set_latency_us(100); });
  log.Submit().Resolve().Round(kFirst).CompleteStage(v1::DRAFTING).End(v1::SUCCEEDED).Extend(5);
  EXPECT_FALSE(EndingBetweenRounds(log.history(), log.now()).has_value());
}

TEST(Ending, CountsRoundsWithoutGainAnewAfterAnExtension) {
  JobLogBuilder log([](v1::JobSpec& spec) { spec.mutable_goal()->set_rounds_without_gain(1); });
  log.Submit().Resolve().Round(kFirst).Round(kWrong);
  EXPECT_TRUE(EndingBetweenRounds(log.history(), log.now()).has_value());
  log.End(v1::SUCCEEDED).Extend(5);
  EXPECT_FALSE(EndingBetweenRounds(log.history(), log.now()).has_value());
}

TEST(Ending, DoesNotCountTheTimeBetweenEndAndExtensionAsWallTime) {
  JobLogBuilder log([](v1::JobSpec& spec) { spec.mutable_budget()->set_wall_s(100); });
  log.Submit().Resolve().Start();
  const absl::Time started = log.now() - absl::Seconds(1);
  EXPECT_EQ(WallTimeLeft(log.history(), started + absl::Seconds(40)), absl::Seconds(60));
  log.End(v1::EXHAUSTED);
  const absl::Duration left = WallTimeLeft(log.history(), started + absl::Hours(5));
  EXPECT_GT(left, absl::Seconds(90));
  log.Extend(5);
}

TEST(Incumbent, FollowsTheTable) {
  struct Row {
    const char* name;
    v1::EvaluationStatus status;
    double latency_us;
    int paired;  // -1: no comparison, 0: not faster, 1: faster
    bool has_incumbent;
    bool expected;
  };
  const std::vector<Row> table = {
      {"wrong", v1::INCORRECT_NUMERICAL, 1, -1, false, false},
      {"first correct", v1::PASSED, 500, -1, false, true},
      {"first correct, not timed", v1::PASSED, 0, -1, false, true},
      {"paired faster", v1::PASSED, 101, 1, true, true},
      {"paired not faster, though the figure is lower", v1::PASSED, 50, 0, true, false},
      {"unpaired, within noise", v1::PASSED, 95, -1, true, false},
      {"unpaired, beyond noise", v1::PASSED, 89, -1, true, true},
      {"not timed", v1::PASSED, 0, -1, true, false},
      {"suspect", v1::SUSPECT, 1, 1, true, false},
  };
  for (const Row& row : table) {
    v1::EvaluationReport report;
    report.set_status(row.status);
    report.set_latency_us(row.latency_us);
    report.mutable_environment()->set_noise_floor(0.1);
    if (row.paired >= 0) report.mutable_against_incumbent()->set_faster(row.paired == 1);
    EXPECT_EQ(BecomesIncumbent(report, row.has_incumbent, 100), row.expected) << row.name;
  }
}

TEST(AttemptSpeedup, IsOverTheBaselineElseOverTheFirstCorrectAttempt) {
  v1::EvaluationReport report;
  report.set_status(v1::RUNTIME_ERROR);
  EXPECT_EQ(AttemptSpeedup(report, 100), 0);
  report.set_status(v1::PASSED);
  report.set_latency_us(50);
  EXPECT_EQ(AttemptSpeedup(report, 100), 2);
  EXPECT_EQ(AttemptSpeedup(report, 0), 1);
  report.set_speedup_vs_baseline(3);
  EXPECT_EQ(AttemptSpeedup(report, 100), 3);
}

TEST(Purpose, FollowsFromTheLastAttempt) {
  JobLogBuilder log;
  log.Submit().Resolve();
  EXPECT_EQ(DefaultPurpose(log.history()), v1::FIRST_DRAFT);
  log.Round({.status = v1::COMPILE_ERROR});
  EXPECT_EQ(DefaultPurpose(log.history()), v1::SYNTAX_REPAIR);
  log.Round(kWrong);
  EXPECT_EQ(DefaultPurpose(log.history()), v1::CORRECTNESS_REPAIR);
  log.Round(kFirst);
  EXPECT_EQ(DefaultPurpose(log.history()), v1::SPEED);
}

TEST(Adoption, IsCompleteWithOneReasonedRecordForEveryIncludedItem) {
  v1::ContextSupplied context;
  for (const char* id : {"a", "b", "left out"}) {
    v1::ItemDecision& decision = *context.add_decisions();
    decision.set_item_id(id);
    decision.set_included(std::string(id) != "left out");
  }
  v1::Proposal proposal;
  const auto add = [&](const char* id, v1::AdoptionState state, const char* reason) {
    v1::AdoptionRecord& record = *proposal.add_adoption();
    record.set_item_id(id);
    record.set_state(state);
    record.set_reason(reason);
  };
  add("a", v1::ADOPTED, "used");
  EXPECT_FALSE(AdoptionIsComplete(context, proposal)) << "b is missing";
  add("b", v1::NOT_ADOPTED, " ");
  EXPECT_FALSE(AdoptionIsComplete(context, proposal)) << "no reason";
  proposal.mutable_adoption(1)->set_reason("unrelated");
  EXPECT_TRUE(AdoptionIsComplete(context, proposal));
  add("a", v1::ADOPTED, "again");
  EXPECT_FALSE(AdoptionIsComplete(context, proposal)) << "a occurs twice";
}

TEST(StageScoring, TakesFirstAndBestFromTheRoundsOfTheStage) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kWrong).Round(kFirst);
  const StageOutcome drafting = OutcomeOf(v1::DRAFTING, log.history());
  EXPECT_TRUE(drafting.passed);
  EXPECT_EQ(drafting.stage_id, "job-1/DRAFTING/1");
  EXPECT_THAT(drafting.retrieval_ids, ElementsAre("retrieval-1", "retrieval-2"));
  log.CompleteStage(v1::DRAFTING).Round({.status = v1::PASSED, .latency_us = 60, .incumbent = true});
  log.Round({.status = v1::EVALUATION_STATUS_UNSPECIFIED, .candidate = false});
  const StageOutcome refining = OutcomeOf(v1::REFINING, log.history());
  EXPECT_TRUE(refining.passed);
  EXPECT_EQ(refining.first_us, 100);
  EXPECT_EQ(refining.best_us, 60);
  EXPECT_THAT(refining.retrieval_ids, ElementsAre("retrieval-3"));
  log.CompleteStage(v1::REFINING).Round({.status = v1::PASSED, .latency_us = 70});
  const StageOutcome added = OutcomeOf(v1::REFINING, log.history());
  EXPECT_FALSE(added.passed);
  EXPECT_EQ(added.stage_id, "job-1/REFINING/2");
  EXPECT_EQ(added.first_us, 60);
}

TEST(StageScoring, FailsWithoutACorrectKernel) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kWrong);
  EXPECT_FALSE(OutcomeOf(v1::DRAFTING, log.history()).passed);
  EXPECT_THAT(OutcomeOf(v1::REFINING, log.history()).retrieval_ids, IsEmpty());
}

TEST(History, RefusesEventsThatCannotFollow) {
  JobLogBuilder log;
  log.Submit().Resolve();
  v1::JobEvent event;
  event.mutable_round_started()->set_round(2);
  EXPECT_FALSE(log.TryAdd(event).ok()) << "round 1 is missing";
  event.mutable_proposed()->set_round(1);
  EXPECT_FALSE(log.TryAdd(event).ok()) << "no round is open";
  log.Start();
  event.mutable_round_started()->set_round(2);
  EXPECT_FALSE(log.TryAdd(event).ok()) << "round 1 is open";
  log.End(v1::CANCELLED);
  event.mutable_round_started()->set_round(1);
  EXPECT_FALSE(log.TryAdd(event).ok()) << "the job has ended";
}

TEST(History, CountsWhatACallInDoubtMayHaveCost) {
  JobLogBuilder log;
  log.Submit().Resolve().Start().Context();
  v1::JobEvent intended;
  intended.mutable_model_call_intended()->set_reserved_money(3);
  log.Add(intended);
  EXPECT_EQ(log.history().money_in_flight, 3);
  intended.mutable_model_call_intended()->set_repeats_in_doubt(true);
  log.Add(intended);
  EXPECT_EQ(log.history().money_used, 3);
}

WaitingJob Job(const char* id, const char* team, int priority, int64_t submitted) {
  return {id, team, priority, submitted};
}

TEST(Schedule, StartsTheTeamWithTheSmallestShareThenPriorityThenAge) {
  ScheduleState state;
  EXPECT_EQ(PickNextJob(state), -1);
  state.waiting = {Job("a1", "a", 0, 1), Job("a2", "a", 5, 2), Job("b1", "b", 0, 3)};
  state.running = {{"a", 0}, {"b", 0}};
  EXPECT_EQ(state.waiting[PickNextJob(state)].job_id, "a2") << "equal shares: a2 is older than b1, and before a1";
  state.running["a"] = 1;
  EXPECT_EQ(state.waiting[PickNextJob(state)].job_id, "b1");
}

TEST(Schedule, WeighsTeams) {
  ScheduleState state;
  state.waiting = {Job("a1", "a", 0, 1), Job("b1", "b", 0, 2)};
  state.running = {{"a", 2}, {"b", 2}};
  state.shares["a"] = {.weight = 1};
  state.shares["b"] = {.weight = 4};
  EXPECT_EQ(state.waiting[PickNextJob(state)].job_id, "b1");
}

TEST(Schedule, HonoursLimitsAndExplainsThem) {
  ScheduleState state;
  state.waiting = {Job("a1", "a", 0, 1), Job("b1", "b", 0, 2)};
  state.running = {{"a", 1}};
  state.shares["a"] = {.weight = 1, .max_running = 1};
  EXPECT_EQ(state.waiting[PickNextJob(state)].job_id, "b1");
  EXPECT_THAT(ExplainWaiting(state, 0), HasSubstr("team quota: 1 jobs of team 'a'"));
  state.max_active = 1;
  EXPECT_EQ(PickNextJob(state), -1);
  EXPECT_THAT(ExplainWaiting(state, 1), HasSubstr("1 jobs run, the limit"));
}

}  // namespace
}  // namespace kernelsmith::server
