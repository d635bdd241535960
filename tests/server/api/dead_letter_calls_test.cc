// Dead letters of jobs: a job that failed for one is taken up again where it broke off, over restarts, and counts
// nothing twice.
#include "server/api/dead_letter_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class DeadLetterCallsTest : public LoopTest {
 protected:
  void TearDown() override { Drop(); }

  // A coordinator's half with a runner, as after a start.
  void Begin(ScriptedProposer& proposer) {
    Drop();
    Open(proposer);
    config_.set_data_dir(folder_);
    config_.set_min_free_disk_bytes(1);
    intake_ = std::make_unique<Intake>(*store_, config_);
    runner_ = std::make_unique<JobRunner>(
        *context_, config_, metrics_,
        common::BackoffPolicy{.initial = absl::Milliseconds(1), .cap = absl::Milliseconds(5)});
    calls_ = std::make_unique<DeadLetterCalls>(*store_, *queue_, *runner_, *intake_);
    runner_->Start();
  }
  void Drop() {
    if (!runner_) return;
    interrupts_->StopAll();
    queue_->Stop();
    runner_->Stop();
    calls_.reset();
    runner_.reset();
    intake_.reset();
  }

  std::string SubmitAndAwait(const v1::JobSpec& spec, v1::JobState state) {
    const std::string job_id = Submit(spec);
    runner_->Enqueue(Job(job_id));
    EXPECT_TRUE(Reaches(job_id, state)) << Job(job_id).reason();
    return job_id;
  }
  bool Reaches(const std::string& job_id, v1::JobState state) {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (Job(job_id).state() != state && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(2));
    return Job(job_id).state() == state;
  }
  std::vector<v1::DeadLetter> Letters(const std::string& team = "red") {
    const auto listed = calls_->List(team, {});
    EXPECT_TRUE(listed.ok()) << listed.status();
    return {listed->letters().begin(), listed->letters().end()};
  }
  absl::StatusOr<v1::ReplayDeadLetterResponse> Replay(const std::string& id, const std::string& team = "red") {
    v1::ReplayDeadLetterRequest request;
    request.set_id(id);
    return calls_->Replay(team, request);
  }

  config::v1::CoordinatorConfig config_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<DeadLetterCalls> calls_;
};

TEST_F(DeadLetterCallsTest, AReplayAfterARestartGoesOnWithTheLostRoundAndCountsItOnce) {
  const std::vector<std::string> script = {"100", "lost card, then 60", "lost card, then 50", "25"};
  ScriptedProposer first(script);
  Begin(first);
  const std::string job_id = SubmitAndAwait(Spec(), v1::FAILED);
  const auto letters = Letters();
  ASSERT_THAT(letters, SizeIs(2));
  EXPECT_EQ(letters[0].id(), absl::StrCat(job_id, "/3/evaluate"));
  EXPECT_EQ(letters[0].job_id(), job_id);
  EXPECT_EQ(letters[0].round(), 3);
  EXPECT_EQ(letters[0].card_kind(), "cpu");
  EXPECT_EQ(letters[0].failures(), 1);
  EXPECT_THAT(letters[0].reason(), HasSubstr("lost card"));
  EXPECT_EQ(Job(job_id).rounds_done(), 3);

  ScriptedProposer second(script);
  Begin(second);
  worker_.Mend();
  const auto replayed = Replay(letters[0].id());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->job().id(), job_id);
  ASSERT_TRUE(Reaches(job_id, v1::SUCCEEDED)) << Job(job_id).reason();

  const v1::Job job = Job(job_id);
  EXPECT_EQ(job.rounds_done(), 4);
  EXPECT_EQ(job.best_us(), 25);
  EXPECT_EQ(History(job_id).round(3)->recorded->status(), v1::PASSED);
  EXPECT_EQ(History(job_id).round(3)->recorded->latency_us(), 50);
  EXPECT_EQ(MemoryStats().attempts(), 3);     // round 2 stays lost
  EXPECT_THAT(second.requests(), SizeIs(1));  // only round 4 is new
  EXPECT_EQ(second.requests().front().round, 4);
  EXPECT_THAT(Letters(), SizeIs(1));
  EXPECT_EQ(Letters()[0].round(), 2);
  EXPECT_EQ(worker_.runs().at(absl::StrCat(job_id, "/3/evaluate/replay-1")), 1);
}

TEST_F(DeadLetterCallsTest, AWatcherSeesTheJobGoOnAfterItsEnd) {
  ScriptedProposer proposer({"lost card", "lost card, then 100"});
  Begin(proposer);
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(2);
  const std::string job_id = SubmitAndAwait(spec, v1::FAILED);
  uint64_t after = Job(job_id).last_sequence();
  worker_.Mend();
  ASSERT_TRUE(Replay(absl::StrCat(job_id, "/2/evaluate")).ok());
  uint64_t transient = 0;
  std::vector<v1::JobEvent> seen;
  for (JobStore::News news; !news.ended;) {
    news = *store_->WaitForNews(job_id, after, transient, absl::Now() + absl::Seconds(60));
    std::copy_if(news.events.begin(), news.events.end(), std::back_inserter(seen),
                 [](const v1::JobEvent& event) { return event.sequence() > 0; });
  }
  EXPECT_TRUE(seen.front().has_evaluation_replayed());
  EXPECT_EQ(seen.back().job_ended().state(), v1::SUCCEEDED);
  EXPECT_GT(Job(job_id).time_use().wall_s(), 0);
}

TEST_F(DeadLetterCallsTest, ARoundThatIsLostAgainFailsTheJobAgainAndCanBeReplayedAgain) {
  ScriptedProposer proposer({"100", "lost card", "lost card, then 50", "25"});
  Begin(proposer);
  const std::string job_id = SubmitAndAwait(Spec(), v1::FAILED);
  ASSERT_TRUE(Replay(absl::StrCat(job_id, "/3/evaluate")).ok());
  ASSERT_TRUE(Reaches(job_id, v1::FAILED));
  const std::string second = absl::StrCat(job_id, "/3/evaluate/replay-1");
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (Letters().front().id() != second && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(2));
  ASSERT_EQ(Letters().front().id(), second);
  ASSERT_TRUE(Reaches(job_id, v1::FAILED));
  worker_.Mend();
  ASSERT_TRUE(Replay(second).ok());
  EXPECT_TRUE(Reaches(job_id, v1::SUCCEEDED)) << Job(job_id).reason();
  EXPECT_EQ(Job(job_id).rounds_done(), 4);
}

TEST_F(DeadLetterCallsTest, ALostInspectionIsInspectedAgain) {
  ScriptedProposer proposer({"100", "50", "40", "30"});
  Begin(proposer);
  v1::JobSpec spec = Spec();
  spec.mutable_task()->mutable_kernelbench()->set_source("lost host");
  const std::string job_id = SubmitAndAwait(spec, v1::FAILED);
  ASSERT_THAT(Letters(), SizeIs(1));
  EXPECT_EQ(Letters()[0].round(), 0);
  worker_.Mend();
  ASSERT_TRUE(Replay(Letters()[0].id()).ok());
  EXPECT_TRUE(Reaches(job_id, v1::SUCCEEDED)) << Job(job_id).reason();
  EXPECT_THAT(Letters(), SizeIs(0));
}

TEST_F(DeadLetterCallsTest, AReplayThatACrashCutOffIsCompletedByRepeatingIt) {
  ScriptedProposer proposer({"100", "lost card", "lost card, then 50", "25"});
  Begin(proposer);
  const std::string job_id = SubmitAndAwait(Spec(), v1::FAILED);
  worker_.Mend();
  // The event reached the disk, the removal of the letter did not.
  const std::string letter = absl::StrCat(job_id, "/3/evaluate");
  v1::JobEvent event;
  event.mutable_evaluation_replayed()->set_round(3);
  event.mutable_evaluation_replayed()->set_letter_id(letter);
  event.mutable_evaluation_replayed()->set_assignment_id(letter + "/replay-1");
  *event.mutable_evaluation_replayed()->mutable_candidate() = History(job_id).round(3)->proposed->candidate();
  ASSERT_TRUE(store_->Append(job_id, event).ok());
  ScriptedProposer again({"100", "lost card", "lost card, then 50", "25"});
  Begin(again);  // resumes the job
  ASSERT_TRUE(Reaches(job_id, v1::SUCCEEDED));
  ASSERT_THAT(Letters(), SizeIs(2));
  EXPECT_TRUE(Replay(letter).ok());
  EXPECT_THAT(Letters(), SizeIs(1));
  EXPECT_EQ(History(job_id).replays, 1);
}

TEST_F(DeadLetterCallsTest, WhatCannotBeReplayedSaysWhatToDo) {
  ScriptedProposer proposer({"lost card", "lost card", "50", "25"});
  Begin(proposer);
  const std::string job_id = SubmitAndAwait(Spec(), v1::FAILED);
  const absl::Status earlier = Replay(absl::StrCat(job_id, "/1/evaluate")).status();
  EXPECT_EQ(earlier.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(earlier.message()), HasSubstr(absl::StrCat(job_id, "/2/evaluate")));
  EXPECT_EQ(common::FieldOf(Replay("").status()), "id");
  EXPECT_EQ(Replay("nowhere").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Replay(absl::StrCat(job_id, "/2/evaluate"), "blue").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Letters("blue"), SizeIs(0));

  WorkItem call;
  call.assignment_id = "evaluate-1/evaluate";
  call.team = "red";
  call.card_kind = "cpu";
  *call.work.mutable_evaluate()->mutable_candidate() = CandidateOf("lost card");
  ASSERT_TRUE(queue_
                  ->Run(
                      call, [](const WorkNotice&) {}, [] { return false; })
                  .ok());
  const absl::Status direct = Replay(call.assignment_id).status();
  EXPECT_EQ(direct.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(direct.message()), HasSubstr("kernelsmith eval"));

  config_.set_min_free_disk_bytes(int64_t{1} << 60);
  EXPECT_EQ(Replay(absl::StrCat(job_id, "/2/evaluate")).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(DeadLetterCallsTest, ListsPageByPageAndRefusesWhatIsNoPage) {
  ScriptedProposer proposer({"lost card", "lost card"});
  Begin(proposer);
  const std::string job_id = SubmitAndAwait(Spec(), v1::FAILED);
  v1::ListDeadLettersRequest request;
  request.set_page_size(1);
  const auto first = calls_->List("red", request);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_EQ(first->letters_size(), 1);
  EXPECT_EQ(first->letters(0).round(), 2);
  request.set_page_token(first->next_page_token());
  const auto second = calls_->List("red", request);
  ASSERT_EQ(second->letters_size(), 1);
  EXPECT_EQ(second->letters(0).round(), 1);
  EXPECT_EQ(second->next_page_token(), "");
  for (const char* token : {"zz", "abc", "6162"}) {
    request.set_page_token(token);
    EXPECT_EQ(common::FieldOf(calls_->List("red", request).status()), "page_token") << token;
  }
  request.set_page_size(501);
  EXPECT_EQ(common::FieldOf(calls_->List("red", request).status()), "page_size");
}

}  // namespace
}  // namespace kernelsmith::server
