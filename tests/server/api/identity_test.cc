// Every call is refused without a token, without the role, and for another team's job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/roles.h"
#include "tests/server/api/api_fixture.h"

namespace kernelsmith::server {
namespace {

using grpc::StatusCode;

class IdentityTest : public ApiTest {
 protected:
  using Call = std::function<grpc::Status(grpc::ClientContext&, const std::string& job_id)>;

  template <typename Request, typename Response>
  Call Unary(grpc::Status (v1::Coordinator::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
             std::function<void(Request&, const std::string&)> fill) {
    return [this, method, fill](grpc::ClientContext& context, const std::string& job_id) {
      Request request;
      fill(request, job_id);
      Response response;
      return (stub().*method)(&context, request, &response);
    };
  }
  template <typename Request, typename Response>
  Call Stream(std::unique_ptr<grpc::ClientReader<Response>> (v1::Coordinator::Stub::*method)(grpc::ClientContext*,
                                                                                             const Request&),
              std::function<void(Request&, const std::string&)> fill) {
    return [this, method, fill](grpc::ClientContext& context, const std::string& job_id) {
      Request request;
      fill(request, job_id);
      auto reader = (stub().*method)(&context, request);
      Response response;
      while (reader->Read(&response)) {
      }
      return reader->Finish();
    };
  }

  struct Entry {
    Call call;
    bool reader_may = false;  // role read is enough
    bool names_a_job = false;
    bool admin_only = false;
  };

  std::map<std::string, Entry> Calls() {
    using Stub = v1::Coordinator::Stub;
    std::map<std::string, Entry> calls;
    calls["SubmitJob"] = {
        Unary<v1::SubmitJobRequest, v1::SubmitJobResponse>(&Stub::SubmitJob, [](auto&, const std::string&) {})};
    calls["ExtendJob"] = {
        Unary<v1::ExtendJobRequest, v1::ExtendJobResponse>(&Stub::ExtendJob,
                                                           [](auto& request, const std::string& job_id) {
                                                             request.set_job_id(job_id);
                                                             request.set_request_id("r");
                                                             request.mutable_extra()->set_rounds(1);
                                                           }),
        false, true};
    calls["GetJob"] = {Unary<v1::GetJobRequest, v1::GetJobResponse>(
                           &Stub::GetJob, [](auto& request, const std::string& job_id) { request.set_job_id(job_id); }),
                       true, true};
    calls["ListJobs"] = {
        Unary<v1::ListJobsRequest, v1::ListJobsResponse>(&Stub::ListJobs, [](auto&, const std::string&) {}), true};
    calls["WatchJob"] = {
        Stream<v1::WatchJobRequest, v1::WatchJobResponse>(
            &Stub::WatchJob, [](auto& request, const std::string& job_id) { request.set_job_id(job_id); }),
        true, true};
    calls["CancelJob"] = {
        Unary<v1::CancelJobRequest, v1::CancelJobResponse>(
            &Stub::CancelJob, [](auto& request, const std::string& job_id) { request.set_job_id(job_id); }),
        false, true};
    calls["Evaluate"] = {
        Stream<v1::EvaluateRequest, v1::EvaluateResponse>(&Stub::Evaluate, [](auto&, const std::string&) {})};
    calls["Compare"] = {
        Stream<v1::CompareRequest, v1::EvaluateResponse>(&Stub::Compare, [](auto&, const std::string&) {})};
    calls["GetAttempt"] = {
        Unary<v1::GetAttemptRequest, v1::GetAttemptResponse>(
            &Stub::GetAttempt, [](auto& request, const std::string& job_id) { request.set_job_id(job_id); }),
        true, true};
    calls["GetLogs"] = {
        Stream<v1::GetLogsRequest, v1::GetLogsResponse>(
            &Stub::GetLogs, [](auto& request, const std::string& job_id) { request.set_job_id(job_id); }),
        true, true};
    calls["GetArtifact"] = {
        Stream<v1::GetArtifactRequest, v1::GetArtifactResponse>(&Stub::GetArtifact,
                                                                [](auto& request, const std::string& job_id) {
                                                                  request.set_job_id(job_id);
                                                                  request.set_digest("sha256:x");
                                                                }),
        true, true};
    calls["ListCards"] = {
        Unary<v1::ListCardsRequest, v1::ListCardsResponse>(&Stub::ListCards, [](auto&, const std::string&) {}), true};
    calls["DrainCard"] = {
        Unary<v1::DrainCardRequest, v1::DrainCardResponse>(&Stub::DrainCard, [](auto&, const std::string&) {}), false,
        false, true};
    calls["ListDeadLetters"] = {Unary<v1::ListDeadLettersRequest, v1::ListDeadLettersResponse>(
                                    &Stub::ListDeadLetters, [](auto&, const std::string&) {}),
                                false, false, true};
    calls["ReplayDeadLetter"] = {
        Unary<v1::ReplayDeadLetterRequest, v1::ReplayDeadLetterResponse>(
            &Stub::ReplayDeadLetter, [](auto& request, const std::string& job_id) { request.set_id(job_id); }),
        false, false, true};
    return calls;
  }
};

TEST_F(IdentityTest, EveryCallIsListedWithARole) {
  EXPECT_EQ(CoordinatorRoles().size(), Calls().size());
  for (const auto& [name, entry] : Calls()) {
    EXPECT_TRUE(CoordinatorRoles().contains("/kernelsmith.v1.Coordinator/" + name)) << name;
  }
}

TEST_F(IdentityTest, EveryCallNeedsAToken) {
  StartCoordinator();
  for (const auto& [name, entry] : Calls()) {
    EXPECT_EQ(entry.call(*As(kNobody), "job-1").error_code(), StatusCode::UNAUTHENTICATED) << name;
    EXPECT_EQ(entry.call(*As("wrong-token"), "job-1").error_code(), StatusCode::UNAUTHENTICATED) << name;
  }
}

TEST_F(IdentityTest, EveryCallNeedsItsRole) {
  StartCoordinator();
  for (const auto& [name, entry] : Calls()) {
    EXPECT_EQ(entry.call(*As(kWorkerToken), "job-1").error_code(), StatusCode::PERMISSION_DENIED) << name;
    const bool reader_denied = entry.call(*As(kReader), "job-1").error_code() == StatusCode::PERMISSION_DENIED;
    EXPECT_EQ(reader_denied, !entry.reader_may) << name;
    const bool submitter_denied = entry.call(*As(kRed), "job-1").error_code() == StatusCode::PERMISSION_DENIED;
    EXPECT_EQ(submitter_denied, entry.admin_only) << name;
  }
}

TEST_F(IdentityTest, AnotherTeamsJobDoesNotExist) {
  StartCoordinator();
  const std::string job_id = Submit(kRed, SubmitRequest("r1"));
  ASSERT_TRUE(Reaches(kRed, job_id, v1::SUCCEEDED));
  for (const auto& [name, entry] : Calls()) {
    if (!entry.names_a_job) continue;
    EXPECT_EQ(entry.call(*As(kBlue), job_id).error_code(), StatusCode::NOT_FOUND) << name;
    EXPECT_EQ(entry.call(*As(kAdmin), job_id).error_code(), StatusCode::NOT_FOUND) << name;
  }
  v1::ListJobsResponse listed;
  ASSERT_TRUE(stub().ListJobs(As(kBlue).get(), {}, &listed).ok());
  EXPECT_EQ(listed.jobs_size(), 0);
  ASSERT_TRUE(stub().ListJobs(As(kReader).get(), {}, &listed).ok());
  EXPECT_EQ(listed.jobs_size(), 1);
}

}  // namespace
}  // namespace kernelsmith::server
