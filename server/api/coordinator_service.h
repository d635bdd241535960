// The gRPC shell of the coordinator: team from the caller's identity, streams, errors mapped in one place.
//
//   CoordinatorService service({.store = *store, .queue = *queue, ...});
//   GrpcServer::Start({.listen = ..., .method_roles = CoordinatorRoles()}, {&service});
//   service.StopStreams();   // before the server shuts down
#pragma once

#include <atomic>
#include <string>

#include "common/clock.h"
#include "kernelsmith/v1/coordinator.grpc.pb.h"
#include "server/api/dead_letter_calls.h"
#include "server/api/job_calls.h"
#include "server/api/one_shot.h"
#include "server/jobs/job_store.h"
#include "server/scheduling/evaluation_queue.h"

namespace kernelsmith::server {

// Thread-safe.
class CoordinatorService final : public v1::Coordinator::Service {
 public:
  // Everything must outlive the service.
  struct Dependencies {
    JobStore& store;
    EvaluationQueue& queue;
    JobCalls& jobs;
    DeadLetterCalls& dead_letters;
    const common::Clock& clock;
    std::string input_secret;  // 32 bytes
    v1::Limits limits;         // defaults of evaluations
  };
  explicit CoordinatorService(Dependencies dependencies) : with_(std::move(dependencies)) {}

  // Ends every stream with UNAVAILABLE, as soon as it looks.
  void StopStreams() { stopping_ = true; }

  grpc::Status SubmitJob(grpc::ServerContext* context, const v1::SubmitJobRequest* request,
                         v1::SubmitJobResponse* response) override;
  grpc::Status ExtendJob(grpc::ServerContext* context, const v1::ExtendJobRequest* request,
                         v1::ExtendJobResponse* response) override;
  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                      v1::GetJobResponse* response) override;
  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override;
  grpc::Status WatchJob(grpc::ServerContext* context, const v1::WatchJobRequest* request,
                        grpc::ServerWriter<v1::WatchJobResponse>* writer) override;
  grpc::Status CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                         v1::CancelJobResponse* response) override;
  grpc::Status Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                        grpc::ServerWriter<v1::EvaluateResponse>* writer) override;
  grpc::Status Compare(grpc::ServerContext* context, const v1::CompareRequest* request,
                       grpc::ServerWriter<v1::EvaluateResponse>* writer) override;
  grpc::Status GetAttempt(grpc::ServerContext* context, const v1::GetAttemptRequest* request,
                          v1::GetAttemptResponse* response) override;
  grpc::Status GetLogs(grpc::ServerContext* context, const v1::GetLogsRequest* request,
                       grpc::ServerWriter<v1::GetLogsResponse>* writer) override;
  grpc::Status GetArtifact(grpc::ServerContext* context, const v1::GetArtifactRequest* request,
                           grpc::ServerWriter<v1::GetArtifactResponse>* writer) override;
  grpc::Status ListCards(grpc::ServerContext* context, const v1::ListCardsRequest* request,
                         v1::ListCardsResponse* response) override;
  grpc::Status DrainCard(grpc::ServerContext* context, const v1::DrainCardRequest* request,
                         v1::DrainCardResponse* response) override;
  grpc::Status ListDeadLetters(grpc::ServerContext* context, const v1::ListDeadLettersRequest* request,
                               v1::ListDeadLettersResponse* response) override;
  grpc::Status ReplayDeadLetter(grpc::ServerContext* context, const v1::ReplayDeadLetterRequest* request,
                                v1::ReplayDeadLetterResponse* response) override;

 private:
  // NOT_FOUND unless the job is the team's.
  absl::Status CheckJob(const std::string& team, const std::string& job_id) const;
  absl::Status StreamEvents(grpc::ServerContext& context, const v1::WatchJobRequest& request,
                            grpc::ServerWriter<v1::WatchJobResponse>& writer);
  OneShotContext OneShot(grpc::ServerContext& context, grpc::ServerWriter<v1::EvaluateResponse>& writer);

  const Dependencies with_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace kernelsmith::server
