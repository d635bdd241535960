#include "server/jobs/job_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/rocks.h"
#include "common/status.h"
#include "google/protobuf/util/message_differencer.h"
#include "tests/server/jobs/job_events.h"

namespace kernelsmith::server {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class JobStoreTest : public ::testing::Test {
 protected:
  JobStoreTest() : folder_(*common::TemporaryFolder::Make("jobs")) { Reopen(); }

  void Reopen() {
    store_.reset();
    auto opened = JobStore::Open(folder_.path(), clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  std::string NewJob(const std::string& team = "a", const std::string& request = "r1", int rounds = 3) {
    v1::JobSpec spec;
    spec.mutable_budget()->set_rounds(rounds);
    clock_.Advance(absl::Seconds(1));
    auto created = store_->Create(team, request, spec);
    EXPECT_TRUE(created.ok()) << created.status();
    return created->job.id();
  }

  void MustAppend(const std::string& job, const v1::JobEvent& event) {
    clock_.Advance(absl::Seconds(1));
    const auto appended = store_->Append(job, event);
    ASSERT_TRUE(appended.ok()) << appended.status();
  }

  // What a fold of the log from nothing gives.
  v1::Job Replayed(const std::string& job_id) {
    v1::Job job;
    const auto events = store_->Events(job_id, 0, 0);
    for (const auto& event : *events) EXPECT_TRUE(ApplyEvent(event, job).ok());
    return job;
  }

  common::TemporaryFolder folder_;
  common::ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  std::unique_ptr<JobStore> store_;
};

TEST_F(JobStoreTest, AnEventIsDurableWithItsProjection) {
  const std::string job = NewJob();
  MustAppend(job, Resolved());
  Reopen();
  EXPECT_EQ(store_->Get("a", job)->state(), v1::QUEUED);
  const auto events = *store_->Events(job, 0, 0);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].sequence(), 2u);
  EXPECT_EQ(events[1].job_id(), job);
  EXPECT_EQ(events[1].at_unix_us(), clock_.UnixMicros());
}

TEST_F(JobStoreTest, TheSameRequestAgainReturnsTheFirstJobAlsoAfterARestart) {
  const std::string job = NewJob("a", "r1");
  Reopen();
  v1::JobSpec spec;
  spec.mutable_budget()->set_rounds(3);
  const auto again = store_->Create("a", "r1", spec);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->job.id(), job);
}

TEST_F(JobStoreTest, AnotherSpecificationUnderTheSameRequestIsRefused) {
  NewJob("a", "r1", 3);
  v1::JobSpec other;
  other.mutable_budget()->set_rounds(4);
  EXPECT_EQ(store_->Create("a", "r1", other).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(JobStoreTest, TeamsDoNotShareRequestIds) { EXPECT_NE(NewJob("a", "r1"), NewJob("b", "r1")); }

TEST_F(JobStoreTest, ARequestWithoutAnIdIsRefused) {
  EXPECT_EQ(common::FieldOf(store_->Create("a", "", {}).status()), "request_id");
  EXPECT_EQ(common::FieldOf(store_->Create("a", std::string("x\0y", 3), {}).status()), "request_id");
}

TEST_F(JobStoreTest, ConcurrentCreationsOfOneRequestMakeOneJob) {
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (auto& id : ids) threads.emplace_back([&] { id = store_->Create("a", "same", {})->job.id(); });
  for (auto& thread : threads) thread.join();
  for (const auto& id : ids) EXPECT_EQ(id, ids[0]);
  EXPECT_EQ(store_->List("a", 0, "", {})->jobs.size(), 1u);
}

TEST_F(JobStoreTest, AnotherTeamsJobIsNotFound) {
  const std::string job = NewJob("a");
  EXPECT_EQ(store_->Get("b", job).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(store_->Get("", job).ok());
  EXPECT_EQ(store_->Get("b", job).status().message(),
            absl::StrCat("no job '", job, "'; `kernelsmith jobs` lists yours"));
}

TEST_F(JobStoreTest, ConcurrentAppendsGetConsecutiveSequences) {
  const std::string job = NewJob();
  MustAppend(job, Resolved());
  MustAppend(job, Started(1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) EXPECT_TRUE(store_->Append(job, Retried()).ok());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store_->Get("a", job)->evaluations_retried(), 100);
  EXPECT_TRUE(MessageDifferencer::Equals(Replayed(job), *store_->Get("a", job)));
}

TEST_F(JobStoreTest, AnEndedJobTakesNoEventsButABudget) {
  const std::string job = NewJob();
  MustAppend(job, Ended(v1::EXHAUSTED));
  EXPECT_EQ(store_->Append(job, Resolved()).status().code(), absl::StatusCode::kFailedPrecondition);
  MustAppend(job, Extended(2));
  EXPECT_EQ(store_->Get("a", job)->state(), v1::SUBMITTED);
  MustAppend(job, Ended(v1::CANCELLED));
  EXPECT_EQ(store_->Append(job, Extended(1)).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(JobStoreTest, AnEventThatCannotFollowChangesNothing) {
  const std::string job = NewJob();
  EXPECT_EQ(store_->Append(job, Started(5)).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(store_->Get("a", job)->last_sequence(), 1u);
  MustAppend(job, Resolved());
}

TEST_F(JobStoreTest, AnEndCarriesTheTimeUse) {
  const std::string job = NewJob();
  MustAppend(job, Resolved());
  MustAppend(job, Started(1));
  clock_.Advance(absl::Seconds(9));
  MustAppend(job, Ended(v1::CANCELLED));
  EXPECT_DOUBLE_EQ(store_->Get("a", job)->time_use().wall_s(), 10);
  EXPECT_TRUE(MessageDifferencer::Equals(Replayed(job), *store_->Get("a", job)));
}

TEST_F(JobStoreTest, ListsNewestFirstInPagesWithinTheTeam) {
  const std::string one = NewJob("a", "r1"), two = NewJob("a", "r2"), three = NewJob("a", "r3");
  const std::string foreign = NewJob("ab", "r1");
  const auto first = *store_->List("a", 2, "", {});
  ASSERT_EQ(first.jobs.size(), 2u);
  EXPECT_EQ(first.jobs[0].id(), three);
  EXPECT_EQ(first.jobs[1].id(), two);
  const auto second = *store_->List("a", 2, first.next_token, {});
  ASSERT_EQ(second.jobs.size(), 1u);
  EXPECT_EQ(second.jobs[0].id(), one);
  EXPECT_EQ(second.next_token, "");
  EXPECT_EQ(store_->List("", 0, "", {})->jobs.size(), 4u);
  EXPECT_EQ(store_->List("ab", 0, "", {})->jobs[0].id(), foreign);
}

TEST_F(JobStoreTest, ListsByState) {
  NewJob("a", "r1");
  const std::string ended = NewJob("a", "r2");
  MustAppend(ended, Ended(v1::FAILED));
  const auto page = *store_->List("a", 0, "", {v1::FAILED});
  ASSERT_EQ(page.jobs.size(), 1u);
  EXPECT_EQ(page.jobs[0].id(), ended);
}

TEST_F(JobStoreTest, RefusesBadPagesByField) {
  EXPECT_EQ(common::FieldOf(store_->List("a", -1, "", {}).status()), "page_size");
  EXPECT_EQ(common::FieldOf(store_->List("a", 501, "", {}).status()), "page_size");
  EXPECT_EQ(common::FieldOf(store_->List("a", 0, "zz", {}).status()), "page_token");
}

TEST_F(JobStoreTest, UnfinishedJobsAreThoseToResumeOldestFirst) {
  const std::string one = NewJob("a", "r1"), two = NewJob("b", "r2"), three = NewJob("a", "r3");
  MustAppend(two, Ended(v1::CANCELLED));
  Reopen();
  std::vector<std::string> ids;
  for (const auto& job : store_->Unfinished()) ids.push_back(job.id());
  EXPECT_THAT(ids, ElementsAre(one, three));
}

TEST_F(JobStoreTest, CountsFollowStatesAndSurviveARestart) {
  const std::string one = NewJob("a", "r1");
  NewJob("a", "r2");
  NewJob("b", "r1");
  MustAppend(one, Resolved());
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_EQ(store_->Count("a", v1::SUBMITTED), 1);
    EXPECT_EQ(store_->Count("a", v1::QUEUED), 1);
    EXPECT_EQ(store_->Count("", v1::SUBMITTED), 2);
    EXPECT_EQ(store_->Count("c", v1::SUBMITTED), 0);
    Reopen();
  }
}

TEST_F(JobStoreTest, AWatcherGetsOldEventsThenNewOnesThenTheEnd) {
  const std::string job = NewJob();
  uint64_t after = 0, cursor = 0;
  auto news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
  EXPECT_EQ(news.events.size(), 1u);
  EXPECT_FALSE(news.ended);
  std::thread writer([&] { EXPECT_TRUE(store_->Append(job, Resolved()).ok()); });
  news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
  writer.join();
  ASSERT_EQ(news.events.size(), 1u);
  EXPECT_TRUE(news.events[0].has_task_resolved());
  MustAppend(job, Ended(v1::FAILED));
  news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
  EXPECT_TRUE(news.ended);
  ASSERT_EQ(news.events.size(), 1u);
  EXPECT_EQ(after, 3u);
  news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
  EXPECT_TRUE(news.ended);
  EXPECT_TRUE(news.events.empty());
}

TEST_F(JobStoreTest, LongLogsAreReadInPagesBeforeTheEndIsTold) {
  const std::string job = NewJob();
  for (int i = 0; i < 300; ++i) MustAppend(job, Retried());
  MustAppend(job, Ended(v1::FAILED));
  uint64_t after = 0, cursor = 0, pages = 0, events = 0;
  bool ended = false;
  while (!ended) {
    const auto news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
    ended = news.ended;
    events += news.events.size();
    ASSERT_LT(++pages, 10u);
  }
  EXPECT_EQ(events, 302u);
}

TEST_F(JobStoreTest, AnnouncementsReachWatchersOnceAndAreNotLogged) {
  const std::string job = NewJob();
  uint64_t after = 1, cursor = 0;
  store_->Announce(job, ProgressMade("compiling"));
  store_->Announce(job, ProgressMade("verifying"));
  auto news = *store_->WaitForNews(job, after, cursor, absl::Now() + absl::Seconds(20));
  ASSERT_EQ(news.events.size(), 2u);
  EXPECT_EQ(news.events[0].sequence(), 0u);
  EXPECT_EQ(news.events[0].progress().activity(), "compiling");
  EXPECT_EQ(store_->Get("a", job)->reason(), "verifying");
  news = *store_->WaitForNews(job, after, cursor, absl::Now());
  EXPECT_TRUE(news.events.empty());
  EXPECT_EQ(store_->Events(job, 0, 0)->size(), 1u);
}

TEST_F(JobStoreTest, ALoggedEventMakesOlderAnnouncementsStale) {
  const std::string job = NewJob();
  store_->Announce(job, ProgressMade("tracing"));
  MustAppend(job, Resolved());
  EXPECT_EQ(store_->Get("a", job)->reason(), "");
  uint64_t after = 2, cursor = 0;
  EXPECT_TRUE(store_->WaitForNews(job, after, cursor, absl::Now())->events.empty());
}

TEST_F(JobStoreTest, WatchingAnUnknownJobIsNotFound) {
  uint64_t after = 0, cursor = 0;
  EXPECT_EQ(store_->WaitForNews("job-x", after, cursor, absl::Now()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->Append("job-x", Resolved()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(JobStoreTest, StoppingWakesWatchers) {
  const std::string job = NewJob();
  std::thread watcher([&] {
    uint64_t after = 1, cursor = 0;
    EXPECT_TRUE(store_->WaitForNews(job, after, cursor, absl::InfiniteFuture())->events.empty());
  });
  store_->StopWaiting();
  watcher.join();
}

TEST_F(JobStoreTest, ReferencedDigestsIncludeTheLogsThatAReportNames) {
  const std::string job = NewJob();
  MustAppend(job, Resolved());
  MustAppend(job, Started(1));
  MustAppend(job, Proposal(1, "sha256:candidate"));
  v1::EvaluationReport report;
  report.add_logs()->set_digest("sha256:log");
  v1::JobEvent evaluated = Evaluated(1, v1::PASSED);
  const auto ref = store_->content().Put(report.SerializeAsString(), "report.pb", "application/x-protobuf");
  ASSERT_TRUE(ref.ok());
  *evaluated.mutable_evaluation_ended()->mutable_report() = *ref;
  MustAppend(job, evaluated);
  EXPECT_THAT(*store_->ReferencedDigests(), UnorderedElementsAre("sha256:candidate", "sha256:log", ref->digest()));
}

TEST_F(JobStoreTest, ANewerFormatIsRefused) {
  store_.reset();
  {
    auto newer = common::RocksStore::Open(folder_.path() + "/jobs", {"jobs", "events", "requests", "listing"}, 99);
    ASSERT_TRUE(newer.ok());
    ASSERT_TRUE((*newer)->StampFormat(99).ok());
  }
  EXPECT_EQ(JobStore::Open(folder_.path(), clock_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(JobStoreTest, ADamagedRecordIsDataLoss) {
  NewJob();
  store_.reset();
  {
    auto raw = common::RocksStore::Open(folder_.path() + "/jobs", {"jobs", "events", "requests", "listing"}, 1);
    ASSERT_TRUE(raw.ok());
    (*raw)->db().Put(common::SyncedWrite(), (*raw)->family(0), "job-bad", "\xff\xff");
  }
  EXPECT_EQ(JobStore::Open(folder_.path(), clock_).status().code(), absl::StatusCode::kDataLoss);
}

// Property: whatever the order in which legal events come, the stored projection is the fold of the log, before and
// after a restart.
TEST_F(JobStoreTest, TheProjectionIsTheFoldOfTheLogForRandomHistories) {
  std::mt19937 random(7);
  for (int history = 0; history < 10; ++history) {
    const std::string job = NewJob("a", absl::StrCat("request-", history));
    for (int step = 0; step < 40; ++step) {
      const int round = store_->Get("a", job)->rounds_done() + 1;
      const v1::JobEvent choices[] = {Resolved(),
                                      Started(round),
                                      Context(round),
                                      Intended(round),
                                      CallEnded(round, 5, 7, 0.1),
                                      Proposal(round),
                                      Queued(round),
                                      Leased(),
                                      Retried(),
                                      Evaluated(round, v1::PASSED, 10.0 / round, 20, 2),
                                      Recorded(round, v1::PASSED, 10.0 / round, true),
                                      Recorded(round, v1::COMPILE_ERROR),
                                      StageDone(),
                                      Extended(1),
                                      Ended(v1::SUCCEEDED),
                                      Ended(v1::EXHAUSTED)};
      clock_.Advance(absl::Milliseconds(10));
      (void)store_->Append(job,
                           choices[random() % std::size(choices)]);  // most are illegal just now, which is the point
    }
    const v1::Job live = *store_->Get("a", job);
    EXPECT_TRUE(MessageDifferencer::Equals(Replayed(job), live));
    if (history % 5 == 4) {
      Reopen();
      EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get("a", job), live));
    }
  }
}

}  // namespace
}  // namespace kernelsmith::server
