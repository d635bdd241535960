// The coordinator's and the memory's services with scripted answers, on a free port of loopback.
//
//   FakeServer server;
//   server.coordinator.AddJob(job, events, attempts);
//   server.coordinator.FailNext("GetJob", grpc::Status(grpc::StatusCode::UNAVAILABLE, "starting"));
//   Client::Connect({.address = server.address()});
#pragma once

#include <grpcpp/server.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "kernelsmith/v1/coordinator.grpc.pb.h"
#include "tests/client/fake_memory.h"

namespace kernelsmith::client {

// Thread-safe.
class FakeCoordinator final : public v1::Coordinator::Service {
 public:
  void AddJob(const v1::Job& job, std::vector<v1::JobEvent> events = {}, std::vector<v1::Attempt> attempts = {});
  // The next call of this method ends so; may be given several times.
  void FailNext(const std::string& method, const grpc::Status& status);
  // The next WatchJob stream ends with this status after so many events.
  void BreakNextWatch(int after_events, const grpc::Status& status);
  // WatchJob streams stay open after the last event, as for a job that runs.
  void HoldWatches(bool hold);
  void SetSubmitted(const v1::Job& job);  // what SubmitJob answers
  void SetReport(const v1::EvaluationReport& report, std::vector<std::string> activities = {});
  void SetCards(std::vector<v1::Card> cards);
  void SetDeadLetters(std::vector<v1::DeadLetter> letters);  // replaying one answers its job
  void SetLogs(std::vector<v1::GetLogsResponse> logs);
  void SetArtifact(const std::string& digest, const std::string& content);

  int Calls(const std::string& method);
  std::vector<std::string> SubmitRequestIds();
  v1::SubmitJobRequest LastSubmit();
  v1::ExtendJobRequest LastExtend();
  v1::EvaluateRequest LastEvaluate();
  std::vector<uint64_t> WatchedFrom();
  std::string LastToken();
  int OpenWatches();

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
  struct KnownJob {
    v1::Job job;
    std::vector<v1::JobEvent> events;
    std::vector<v1::Attempt> attempts;
  };
  struct Break {
    int after_events;
    grpc::Status status;
  };
  // Counts the call; the scripted failure, if there is one.
  grpc::Status Enter(const std::string& method, const grpc::ServerContext& context);
  grpc::Status StreamReport(grpc::ServerWriter<v1::EvaluateResponse>* writer);

  common::Mutex mutex_;
  std::map<std::string, KnownJob> jobs_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<grpc::Status>> failures_ GUARDED_BY(mutex_);
  std::deque<Break> breaks_ GUARDED_BY(mutex_);
  bool hold_ GUARDED_BY(mutex_) = false;
  int open_watches_ GUARDED_BY(mutex_) = 0;
  v1::Job submitted_ GUARDED_BY(mutex_);
  v1::EvaluationReport report_ GUARDED_BY(mutex_);
  std::vector<std::string> activities_ GUARDED_BY(mutex_);
  std::vector<v1::Card> cards_ GUARDED_BY(mutex_);
  std::vector<v1::DeadLetter> letters_ GUARDED_BY(mutex_);
  std::vector<v1::GetLogsResponse> logs_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> artifacts_ GUARDED_BY(mutex_);
  std::map<std::string, int> calls_ GUARDED_BY(mutex_);
  std::vector<v1::SubmitJobRequest> submits_ GUARDED_BY(mutex_);
  v1::ExtendJobRequest last_extend_ GUARDED_BY(mutex_);
  v1::EvaluateRequest last_evaluate_ GUARDED_BY(mutex_);
  std::vector<uint64_t> watched_from_ GUARDED_BY(mutex_);
  std::string last_token_ GUARDED_BY(mutex_);
};

class FakeServer {
 public:
  FakeServer();
  ~FakeServer();

  FakeCoordinator coordinator;
  FakeMemory memory;
  const std::string& address() const { return address_; }
  // Cuts every connection and listens no more.
  void Stop();
  // Listens again on the same port.
  void Start();

 private:
  std::string address_ = "127.0.0.1:0";
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace kernelsmith::client
