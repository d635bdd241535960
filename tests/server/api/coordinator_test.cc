// What clients see of a coordinator, through gRPC, with a real memory and a scripted worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/time/clock.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "tests/server/api/api_fixture.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;

class CoordinatorTest : public ApiTest {
 protected:
  std::vector<v1::JobEvent> Watch(const std::string& job_id, uint64_t from, grpc::Status* status = nullptr) {
    v1::WatchJobRequest request;
    request.set_job_id(job_id);
    request.set_from_sequence(from);
    const auto context = As(kRed);
    auto reader = stub().WatchJob(context.get(), request);
    std::vector<v1::JobEvent> events;
    v1::WatchJobResponse response;
    while (reader->Read(&response)) {
      if (response.event().sequence() > 0) events.push_back(response.event());
    }
    const grpc::Status finished = reader->Finish();
    if (status != nullptr) *status = finished;
    return events;
  }

  v1::EvaluateRequest EvaluateRequest(const std::string& kernel) const {
    v1::EvaluateRequest request;
    request.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
    *request.mutable_candidate() = CandidateOf(kernel);
    return request;
  }

  template <typename Condition>
  static bool Eventually(Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (absl::Now() < deadline) {
      if (condition()) return true;
      absl::SleepFor(absl::Milliseconds(5));
    }
    return false;
  }
};

TEST_F(CoordinatorTest, RunsAJobAndStreamsItsEventsFromAnySequence) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1"));
  grpc::Status status;
  const std::vector<v1::JobEvent> all = Watch(job_id, 0, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all.front().has_submitted());
  EXPECT_TRUE(all.back().has_job_ended());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].sequence(), i + 1);
  EXPECT_EQ(GetJob(kRed, job_id).state(), v1::SUCCEEDED);
  EXPECT_EQ(Watch(job_id, all.size() - 2).size(), 2u);
  EXPECT_EQ(Watch(job_id, all.size()).size(), 0u);
}

TEST_F(CoordinatorTest, AnswersARepeatedSubmissionWithTheSameJob) {
  StartCoordinator([](config::v1::CoordinatorConfig& config) {
    config.add_teams()->set_team("red");
    config.mutable_teams(0)->set_max_queued_jobs(1);
    config.mutable_teams(0)->set_max_running_jobs(1);
  });
  const v1::SubmitJobRequest hanging = SubmitRequest("r1", "hang");
  const std::string job_id = Submit(kRed, hanging);
  ASSERT_TRUE(Reaches(kRed, job_id, v1::RUNNING_ROUND));
  const v1::SubmitJobRequest waiting = SubmitRequest("r2");
  const std::string second = Submit(kRed, waiting);
  EXPECT_NE(second, job_id);

  // The queue is full: a new job is refused with a time, a repeat is answered, another team is served.
  v1::SubmitJobResponse response;
  const grpc::Status full = stub().SubmitJob(As(kRed).get(), SubmitRequest("r3"), &response);
  EXPECT_EQ(full.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(common::RetryAfter(common::FromGrpc(full)).has_value());
  ASSERT_TRUE(stub().SubmitJob(As(kRed).get(), waiting, &response).ok());
  EXPECT_TRUE(response.duplicate());
  EXPECT_EQ(response.job().id(), second);
  Submit(kBlue, SubmitRequest("r3"));
  EXPECT_THAT(GetJob(kRed, second).reason(), HasSubstr("team quota"));

  v1::SubmitJobRequest other = waiting;
  other.mutable_spec()->set_priority(3);
  EXPECT_EQ(stub().SubmitJob(As(kRed).get(), other, &response).error_code(), StatusCode::ALREADY_EXISTS);
}

TEST_F(CoordinatorTest, RefusesAWrongRequestNamingTheField) {
  StartCoordinator();
  v1::SubmitJobRequest request = SubmitRequest("r1");
  request.mutable_spec()->mutable_budget()->set_rounds(-1);
  v1::SubmitJobResponse response;
  const grpc::Status status = stub().SubmitJob(As(kRed).get(), request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(common::FieldOf(common::FromGrpc(status)), "spec.budget.rounds");
}

TEST_F(CoordinatorTest, PausesIntakeWhileTheDiskIsNearlyFull) {
  StartCoordinator([](config::v1::CoordinatorConfig& config) { config.set_min_free_disk_bytes(int64_t{1} << 60); });
  v1::SubmitJobResponse response;
  const grpc::Status status = stub().SubmitJob(As(kRed).get(), SubmitRequest("r1"), &response);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("disk"));
}

TEST_F(CoordinatorTest, CancelsAJobOnceAndKillsItsEvaluation) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1", "hang"));
  ASSERT_TRUE(Eventually([&] { return !worker_.runs().empty(); }));
  v1::CancelJobRequest request;
  request.set_job_id(job_id);
  request.set_reason("not needed");
  v1::CancelJobResponse response;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(stub().CancelJob(As(kRed).get(), request, &response).ok());
    EXPECT_EQ(response.job().state(), v1::CANCELLED);
    EXPECT_EQ(response.job().reason(), "not needed");
  }
  EXPECT_TRUE(Eventually([&] { return !worker_.cancelled().empty(); }));
}

TEST_F(CoordinatorTest, DoesNotCancelOrExtendWhatEndedOtherwise) {
  StartCoordinator();
  const std::string done = Submit(kRed, SubmitRequest("r1"));
  ASSERT_TRUE(Reaches(kRed, done, v1::SUCCEEDED));
  v1::CancelJobRequest cancel;
  cancel.set_job_id(done);
  v1::CancelJobResponse cancelled;
  EXPECT_EQ(stub().CancelJob(As(kRed).get(), cancel, &cancelled).error_code(), StatusCode::FAILED_PRECONDITION);

  v1::SubmitJobRequest invalid = SubmitRequest("r2");
  invalid.mutable_spec()->mutable_task()->mutable_kernelbench()->set_source("not a task");
  const std::string failed = Submit(kRed, invalid);
  ASSERT_TRUE(Reaches(kRed, failed, v1::FAILED));
  EXPECT_THAT(GetJob(kRed, failed).reason(), HasSubstr("no class Model"));
  v1::ExtendJobRequest extend;
  extend.set_job_id(failed);
  extend.set_request_id("e1");
  extend.mutable_extra()->set_rounds(1);
  v1::ExtendJobResponse extended;
  EXPECT_EQ(stub().ExtendJob(As(kRed).get(), extend, &extended).error_code(), StatusCode::FAILED_PRECONDITION);
}

TEST_F(CoordinatorTest, ExtendsAnEndedJobOnceForARequest) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1"));
  ASSERT_TRUE(Reaches(kRed, job_id, v1::SUCCEEDED));
  v1::ExtendJobRequest request;
  request.set_job_id(job_id);
  request.set_request_id("e1");
  request.mutable_extra()->set_rounds(2);
  v1::ExtendJobResponse response;
  ASSERT_TRUE(stub().ExtendJob(As(kRed).get(), request, &response).ok());
  EXPECT_EQ(response.job().rounds_budget(), 3);
  ASSERT_TRUE(stub().ExtendJob(As(kRed).get(), request, &response).ok());
  EXPECT_EQ(response.job().rounds_budget(), 3);
  request.mutable_extra()->set_rounds(5);
  EXPECT_EQ(stub().ExtendJob(As(kRed).get(), request, &response).error_code(), StatusCode::ALREADY_EXISTS);
  // It goes on, until it ends again.
  EXPECT_TRUE(Eventually([&] { return GetJob(kRed, job_id).ended_unix_us() > 0; }));
}

TEST_F(CoordinatorTest, ListsJobsPageByPageNewestFirst) {
  StartCoordinator();
  std::vector<std::string> ids;
  for (const char* request_id : {"r1", "r2", "r3"}) ids.push_back(Submit(kRed, SubmitRequest(request_id)));
  v1::ListJobsRequest request;
  request.set_page_size(2);
  v1::ListJobsResponse page;
  ASSERT_TRUE(stub().ListJobs(As(kRed).get(), request, &page).ok());
  ASSERT_EQ(page.jobs_size(), 2);
  EXPECT_EQ(page.jobs(0).id(), ids[2]);
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(stub().ListJobs(As(kRed).get(), request, &page).ok());
  ASSERT_EQ(page.jobs_size(), 1);
  EXPECT_EQ(page.jobs(0).id(), ids[0]);
  request.set_page_size(501);
  EXPECT_EQ(stub().ListJobs(As(kRed).get(), request, &page).error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_page_size(0);
  request.add_states(v1::JOB_STATE_UNSPECIFIED);
  EXPECT_EQ(stub().ListJobs(As(kRed).get(), request, &page).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(CoordinatorTest, GivesAttemptsAndOnlyTheArtifactsOfTheJob) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1"));
  ASSERT_TRUE(Reaches(kRed, job_id, v1::SUCCEEDED));
  v1::GetAttemptRequest request;
  request.set_job_id(job_id);
  v1::GetAttemptResponse best;
  ASSERT_TRUE(stub().GetAttempt(As(kRed).get(), request, &best).ok());
  EXPECT_EQ(best.attempt().round(), 1);
  EXPECT_TRUE(best.attempt().became_incumbent());
  EXPECT_EQ(best.attempt().candidate().files(0).content(), "100");
  EXPECT_EQ(best.attempt().report().status(), v1::PASSED);
  request.set_round(7);
  EXPECT_EQ(stub().GetAttempt(As(kRed).get(), request, &best).error_code(), StatusCode::NOT_FOUND);
  request.set_round(-1);
  EXPECT_EQ(stub().GetAttempt(As(kRed).get(), request, &best).error_code(), StatusCode::INVALID_ARGUMENT);

  const auto fetch = [&](const std::string& job, const std::string& digest, std::string& content) {
    v1::GetArtifactRequest artifact;
    artifact.set_job_id(job);
    artifact.set_digest(digest);
    const auto context = As(kRed);
    auto reader = stub().GetArtifact(context.get(), artifact);
    v1::GetArtifactResponse part;
    while (reader->Read(&part)) content += part.chunk();
    return reader->Finish();
  };
  std::string content;
  const std::string digest = GetJob(kRed, job_id).best_candidate().digest();
  ASSERT_TRUE(fetch(job_id, digest, content).ok());
  v1::Candidate candidate;
  EXPECT_TRUE(candidate.ParseFromString(content));
  EXPECT_EQ(candidate.files(0).content(), "100");
  const std::string other = Submit(kRed, SubmitRequest("r2", "200"));
  ASSERT_TRUE(Reaches(kRed, other, v1::SUCCEEDED));
  EXPECT_EQ(fetch(other, digest, content).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(CoordinatorTest, EvaluatesACandidateWithoutAJob) {
  StartCoordinator();
  const auto context = As(kRed);
  auto reader = stub().Evaluate(context.get(), EvaluateRequest("100"));
  v1::EvaluateResponse response;
  v1::EvaluationReport report;
  while (reader->Read(&response)) {
    if (response.has_report()) report = response.report();
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_EQ(report.status(), v1::PASSED);
  EXPECT_EQ(report.latency_us(), 100);
  EXPECT_EQ(experience_->Stats("local", {})->attempts(), 0);
}

TEST_F(CoordinatorTest, ComparesTwoCandidates) {
  StartCoordinator();
  v1::CompareRequest request;
  request.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  *request.mutable_a() = CandidateOf("100");
  *request.mutable_b() = CandidateOf("200");
  const auto context = As(kRed);
  auto reader = stub().Compare(context.get(), request);
  v1::EvaluateResponse response;
  while (reader->Read(&response)) {
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_EQ(response.report().latency_us(), 100);
}

TEST_F(CoordinatorTest, TellsWhyATaskIsNotValid) {
  StartCoordinator();
  v1::EvaluateRequest request = EvaluateRequest("100");
  request.mutable_task()->mutable_kernelbench()->set_source("not a task");
  const auto context = As(kRed);
  auto reader = stub().Evaluate(context.get(), request);
  v1::EvaluateResponse response;
  while (reader->Read(&response)) {
  }
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("no class Model"));
}

TEST_F(CoordinatorTest, CancelsAnEvaluationWhoseCallerHangsUp) {
  StartCoordinator();
  const auto context = As(kRed);
  auto reader = stub().Evaluate(context.get(), EvaluateRequest("hang"));
  ASSERT_TRUE(Eventually([&] { return !worker_.runs().empty(); }));
  context->TryCancel();
  v1::EvaluateResponse response;
  while (reader->Read(&response)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(Eventually([&] { return !worker_.cancelled().empty(); }));
}

TEST_F(CoordinatorTest, ListsAndDrainsCards) {
  StartCoordinator();
  v1::ListCardsResponse cards;
  ASSERT_TRUE(
      Eventually([&] { return stub().ListCards(As(kReader).get(), {}, &cards).ok() && cards.cards_size() == 1; }));
  EXPECT_EQ(cards.cards(0).worker_id(), "host-cpu0");
  v1::DrainCardRequest request;
  v1::DrainCardResponse drained;
  EXPECT_EQ(stub().DrainCard(As(kAdmin).get(), request, &drained).error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_worker_id("nowhere");
  EXPECT_EQ(stub().DrainCard(As(kAdmin).get(), request, &drained).error_code(), StatusCode::NOT_FOUND);
  request.set_worker_id("host-cpu0");
  ASSERT_TRUE(stub().DrainCard(As(kAdmin).get(), request, &drained).ok());
  EXPECT_TRUE(drained.card().draining());
  request.set_undo(true);
  ASSERT_TRUE(stub().DrainCard(As(kAdmin).get(), request, &drained).ok());
  EXPECT_FALSE(drained.card().draining());
}

TEST_F(CoordinatorTest, DrainsQuicklyAndResumesAfterARestart) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1", "hang"));
  ASSERT_TRUE(Eventually([&] { return !worker_.runs().empty(); }));
  grpc::Status watched;
  std::thread watcher([&] { Watch(job_id, 0, &watched); });
  ASSERT_TRUE(Reaches(kRed, job_id, v1::RUNNING_ROUND));
  coordinator_->Drain();
  watcher.join();
  EXPECT_FALSE(watched.ok());
  StartCoordinator();
  EXPECT_EQ(GetJob(kRed, job_id).state(), v1::RUNNING_ROUND);
  v1::CancelJobRequest request;
  request.set_job_id(job_id);
  v1::CancelJobResponse response;
  ASSERT_TRUE(stub().CancelJob(As(kRed).get(), request, &response).ok());
  EXPECT_TRUE(Eventually([&] { return !worker_.cancelled().empty(); }));
}

}  // namespace
}  // namespace kernelsmith::server
