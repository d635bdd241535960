// The ledger of model calls over a real event log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/synthesis/stored_model_call_log.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

class ModelCallLogTest : public LoopTest {
 protected:
  ModelCallLogTest() : proposer_({}) { Open(proposer_); }

  // A job whose first round waits for a proposal.
  void StartRound(const v1::JobSpec& spec) {
    job_id_ = Submit(spec);
    v1::JobEvent event;
    *event.mutable_task_resolved()->mutable_task() = ScriptedTask();
    ASSERT_TRUE(store_->Append(job_id_, event).ok());
    event.mutable_round_started()->set_round(1);
    ASSERT_TRUE(store_->Append(job_id_, event).ok());
  }
  StoredModelCallLog Log() { return StoredModelCallLog(*store_, *interrupts_, synthesis_metrics_); }
  ModelCallLog::Call Call() const { return {job_id_, 1, 1}; }

  static v1::ModelCallEnded Outcome(double money, int64_t tokens) {
    v1::ModelCallEnded outcome;
    outcome.set_money(money);
    outcome.set_prompt_tokens(tokens);
    outcome.set_http_attempts(1);
    return outcome;
  }

  ScriptedProposer proposer_;
  std::string job_id_;
};

TEST_F(ModelCallLogTest, NeverAsksAgainForAReplyOnDisk) {
  StartRound(Spec());
  StoredModelCallLog log = Log();
  const auto intent = log.Begin(Call(), "{\"request\":1}", 0);
  ASSERT_TRUE(intent.ok()) << intent.status();
  EXPECT_FALSE(intent->finished.has_value());
  EXPECT_FALSE(intent->repeats_in_doubt);
  EXPECT_EQ(Events(job_id_).back().model_call_intended().intent_id(), intent->intent_id);
  ASSERT_TRUE(log.End(Call(), intent->intent_id, Outcome(1, 10), "{\"reply\":1}").ok());

  StoredModelCallLog later = Log();
  const auto again = later.Begin(Call(), "{\"request\":1}", 0);
  ASSERT_TRUE(again.ok());
  ASSERT_TRUE(again->finished.has_value());
  EXPECT_EQ(again->finished->reply, "{\"reply\":1}");
  EXPECT_EQ(again->finished->event.prompt_tokens(), 10);
  EXPECT_EQ(Job(job_id_).model_requests(), 1);
}

TEST_F(ModelCallLogTest, RepeatsACallInDoubtUnderTheSameKeyAndCountsIt) {
  StartRound(Spec());
  StoredModelCallLog log = Log();
  const auto lost = log.Begin(Call(), "{}", 2);
  ASSERT_TRUE(lost.ok());
  const auto repeat = log.Begin(Call(), "{}", 2);
  ASSERT_TRUE(repeat.ok());
  EXPECT_TRUE(repeat->repeats_in_doubt);
  EXPECT_EQ(repeat->intent_id, lost->intent_id);
  EXPECT_EQ(Job(job_id_).model_requests(), 2);
  EXPECT_EQ(History(job_id_).money_used, 2);
  ASSERT_TRUE(log.End(Call(), repeat->intent_id, Outcome(1, 10), "{}").ok());
  EXPECT_EQ(History(job_id_).money_used, 3);
}

TEST_F(ModelCallLogTest, AsksAnewAfterAnError) {
  StartRound(Spec());
  StoredModelCallLog log = Log();
  const auto failed = log.Begin(Call(), "{}", 0);
  ASSERT_TRUE(failed.ok());
  v1::ModelCallEnded outcome = Outcome(0, 0);
  outcome.set_error("503");
  ASSERT_TRUE(log.End(Call(), failed->intent_id, outcome, "").ok());
  const auto next = log.Begin(Call(), "{}", 0);
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(next->finished.has_value());
  EXPECT_FALSE(next->repeats_in_doubt);
  EXPECT_NE(next->intent_id, failed->intent_id);
}

TEST_F(ModelCallLogTest, RefusesACallThatTheBudgetDoesNotCover) {
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_money(5);
  spec.mutable_budget()->set_tokens(100);
  StartRound(spec);
  StoredModelCallLog log = Log();
  EXPECT_EQ(log.Begin(Call(), "{}", 6).status().code(), absl::StatusCode::kOutOfRange);
  const auto intent = log.Begin(Call(), "{}", 4);
  ASSERT_TRUE(intent.ok());
  ASSERT_TRUE(log.End(Call(), intent->intent_id, Outcome(4, 100), "{}").ok());
  ModelCallLog::Call second = Call();
  second.call = 2;
  EXPECT_EQ(log.Begin(second, "{}", 0).status().code(), absl::StatusCode::kOutOfRange) << "tokens are used up";
}

TEST_F(ModelCallLogTest, RefusesAnEndWithoutAnIntent) {
  StartRound(Spec());
  StoredModelCallLog log = Log();
  EXPECT_FALSE(log.End(Call(), "nothing", Outcome(0, 0), "{}").ok());
}

TEST_F(ModelCallLogTest, SaysToStopAtCancellationAndShutdown) {
  StartRound(Spec());
  StoredModelCallLog log = Log();
  EXPECT_FALSE(log.ShouldStop(job_id_));
  interrupts_->Cancel(job_id_);
  EXPECT_TRUE(log.ShouldStop(job_id_));
  EXPECT_FALSE(log.ShouldStop("job-other"));
  interrupts_->StopAll();
  EXPECT_TRUE(log.ShouldStop("job-other"));
}

}  // namespace
}  // namespace kernelsmith::server
