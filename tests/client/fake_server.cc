#include "tests/client/fake_server.h"

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kernelsmith::client {
namespace {

grpc::Status NotFound(const std::string& what) { return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no ", what)}; }

}  // namespace

void FakeCoordinator::AddJob(const v1::Job& job, std::vector<v1::JobEvent> events, std::vector<v1::Attempt> attempts) {
  common::MutexLock lock(mutex_);
  jobs_[job.id()] = {.job = job, .events = std::move(events), .attempts = std::move(attempts)};
}

void FakeCoordinator::FailNext(const std::string& method, const grpc::Status& status) {
  common::MutexLock lock(mutex_);
  failures_[method].push_back(status);
}

void FakeCoordinator::BreakNextWatch(int after_events, const grpc::Status& status) {
  common::MutexLock lock(mutex_);
  breaks_.push_back({.after_events = after_events, .status = status});
}

void FakeCoordinator::HoldWatches(bool hold) {
  common::MutexLock lock(mutex_);
  hold_ = hold;
}

void FakeCoordinator::SetSubmitted(const v1::Job& job) {
  common::MutexLock lock(mutex_);
  submitted_ = job;
}

void FakeCoordinator::SetReport(const v1::EvaluationReport& report, std::vector<std::string> activities) {
  common::MutexLock lock(mutex_);
  report_ = report;
  activities_ = std::move(activities);
}

void FakeCoordinator::SetCards(std::vector<v1::Card> cards) {
  common::MutexLock lock(mutex_);
  cards_ = std::move(cards);
}

void FakeCoordinator::SetLogs(std::vector<v1::GetLogsResponse> logs) {
  common::MutexLock lock(mutex_);
  logs_ = std::move(logs);
}

void FakeCoordinator::SetArtifact(const std::string& digest, const std::string& content) {
  common::MutexLock lock(mutex_);
  artifacts_[digest] = content;
}

int FakeCoordinator::Calls(const std::string& method) {
  common::MutexLock lock(mutex_);
  return calls_[method];
}

std::vector<std::string> FakeCoordinator::SubmitRequestIds() {
  common::MutexLock lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& request : submits_) ids.push_back(request.request_id());
  return ids;
}

v1::SubmitJobRequest FakeCoordinator::LastSubmit() {
  common::MutexLock lock(mutex_);
  return submits_.empty() ? v1::SubmitJobRequest() : submits_.back();
}

v1::ExtendJobRequest FakeCoordinator::LastExtend() {
  common::MutexLock lock(mutex_);
  return last_extend_;
}

v1::EvaluateRequest FakeCoordinator::LastEvaluate() {
  common::MutexLock lock(mutex_);
  return last_evaluate_;
}

std::vector<uint64_t> FakeCoordinator::WatchedFrom() {
  common::MutexLock lock(mutex_);
  return watched_from_;
}

std::string FakeCoordinator::LastToken() {
  common::MutexLock lock(mutex_);
  return last_token_;
}

int FakeCoordinator::OpenWatches() {
  common::MutexLock lock(mutex_);
  return open_watches_;
}

grpc::Status FakeCoordinator::Enter(const std::string& method, const grpc::ServerContext& context) {
  common::MutexLock lock(mutex_);
  ++calls_[method];
  const auto token = context.client_metadata().find("authorization");
  last_token_ = token == context.client_metadata().end() ? "" : std::string(token->second.data(), token->second.size());
  auto& failures = failures_[method];
  if (failures.empty()) return grpc::Status::OK;
  grpc::Status status = failures.front();
  failures.pop_front();
  return status;
}

grpc::Status FakeCoordinator::SubmitJob(grpc::ServerContext* context, const v1::SubmitJobRequest* request,
                                        v1::SubmitJobResponse* response) {
  {
    common::MutexLock lock(mutex_);
    submits_.push_back(*request);
    *response->mutable_job() = submitted_;
  }
  return Enter("SubmitJob", *context);
}

grpc::Status FakeCoordinator::ExtendJob(grpc::ServerContext* context, const v1::ExtendJobRequest* request,
                                        v1::ExtendJobResponse* response) {
  if (grpc::Status status = Enter("ExtendJob", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  last_extend_ = *request;
  const auto found = jobs_.find(request->job_id());
  if (found == jobs_.end()) return NotFound("job " + request->job_id());
  *response->mutable_job() = found->second.job;
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                     v1::GetJobResponse* response) {
  if (grpc::Status status = Enter("GetJob", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const auto found = jobs_.find(request->job_id());
  if (found == jobs_.end()) return NotFound("job " + request->job_id());
  *response->mutable_job() = found->second.job;
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                                       v1::ListJobsResponse* response) {
  if (grpc::Status status = Enter("ListJobs", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  for (const auto& [id, known] : jobs_) {
    bool wanted = request->states().empty();
    for (const int state : request->states()) wanted = wanted || state == known.job.state();
    if (wanted) *response->add_jobs() = known.job;
  }
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::WatchJob(grpc::ServerContext* context, const v1::WatchJobRequest* request,
                                       grpc::ServerWriter<v1::WatchJobResponse>* writer) {
  if (grpc::Status status = Enter("WatchJob", *context); !status.ok()) return status;
  std::vector<v1::JobEvent> events;
  Break broken{.after_events = -1, .status = grpc::Status::OK};
  {
    common::MutexLock lock(mutex_);
    watched_from_.push_back(request->from_sequence());
    const auto found = jobs_.find(request->job_id());
    if (found == jobs_.end()) return NotFound("job " + request->job_id());
    events = found->second.events;
    if (!breaks_.empty()) {
      broken = breaks_.front();
      breaks_.pop_front();
    }
    ++open_watches_;
  }
  int written = 0;
  for (const v1::JobEvent& event : events) {
    if (event.sequence() != 0 && event.sequence() <= request->from_sequence()) continue;
    if (written == broken.after_events) break;
    v1::WatchJobResponse response;
    *response.mutable_event() = event;
    writer->Write(response);
    ++written;
  }
  const auto held = [this] {
    common::MutexLock lock(mutex_);
    return hold_;
  };
  while (broken.after_events < 0 && held() && !context->IsCancelled()) absl::SleepFor(absl::Milliseconds(5));
  common::MutexLock lock(mutex_);
  --open_watches_;
  return broken.status;
}

grpc::Status FakeCoordinator::CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                                        v1::CancelJobResponse* response) {
  if (grpc::Status status = Enter("CancelJob", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const auto found = jobs_.find(request->job_id());
  if (found == jobs_.end()) return NotFound("job " + request->job_id());
  found->second.job.set_state(v1::CANCELLED);
  *response->mutable_job() = found->second.job;
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::StreamReport(grpc::ServerWriter<v1::EvaluateResponse>* writer) {
  common::MutexLock lock(mutex_);
  for (const std::string& activity : activities_) {
    v1::EvaluateResponse response;
    response.set_activity(activity);
    writer->Write(response);
  }
  v1::EvaluateResponse response;
  *response.mutable_report() = report_;
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                                       grpc::ServerWriter<v1::EvaluateResponse>* writer) {
  if (grpc::Status status = Enter("Evaluate", *context); !status.ok()) return status;
  {
    common::MutexLock lock(mutex_);
    last_evaluate_ = *request;
  }
  return StreamReport(writer);
}

grpc::Status FakeCoordinator::Compare(grpc::ServerContext* context, const v1::CompareRequest*,
                                      grpc::ServerWriter<v1::EvaluateResponse>* writer) {
  if (grpc::Status status = Enter("Compare", *context); !status.ok()) return status;
  return StreamReport(writer);
}

grpc::Status FakeCoordinator::GetAttempt(grpc::ServerContext* context, const v1::GetAttemptRequest* request,
                                         v1::GetAttemptResponse* response) {
  if (grpc::Status status = Enter("GetAttempt", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const auto found = jobs_.find(request->job_id());
  if (found == jobs_.end()) return NotFound("job " + request->job_id());
  const int round = request->round() > 0 ? request->round() : found->second.job.incumbent_round();
  for (const v1::Attempt& attempt : found->second.attempts) {
    if (attempt.round() != round) continue;
    *response->mutable_attempt() = attempt;
    return grpc::Status::OK;
  }
  return NotFound(absl::StrCat("round ", round));
}

grpc::Status FakeCoordinator::GetLogs(grpc::ServerContext* context, const v1::GetLogsRequest*,
                                      grpc::ServerWriter<v1::GetLogsResponse>* writer) {
  if (grpc::Status status = Enter("GetLogs", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  for (const v1::GetLogsResponse& part : logs_) writer->Write(part);
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::GetArtifact(grpc::ServerContext* context, const v1::GetArtifactRequest* request,
                                          grpc::ServerWriter<v1::GetArtifactResponse>* writer) {
  if (grpc::Status status = Enter("GetArtifact", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const auto found = artifacts_.find(request->digest());
  if (found == artifacts_.end()) return NotFound("artifact " + request->digest());
  for (const char c : found->second) {
    v1::GetArtifactResponse response;
    response.set_chunk(std::string(1, c));
    writer->Write(response);
  }
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::ListCards(grpc::ServerContext* context, const v1::ListCardsRequest*,
                                        v1::ListCardsResponse* response) {
  if (grpc::Status status = Enter("ListCards", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  response->mutable_cards()->Add(cards_.begin(), cards_.end());
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::DrainCard(grpc::ServerContext* context, const v1::DrainCardRequest* request,
                                        v1::DrainCardResponse* response) {
  if (grpc::Status status = Enter("DrainCard", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  for (v1::Card& card : cards_) {
    if (card.worker_id() != request->worker_id()) continue;
    card.set_draining(!request->undo());
    *response->mutable_card() = card;
    return grpc::Status::OK;
  }
  return NotFound("worker " + request->worker_id());
}

void FakeCoordinator::SetDeadLetters(std::vector<v1::DeadLetter> letters) {
  common::MutexLock lock(mutex_);
  letters_ = std::move(letters);
}

grpc::Status FakeCoordinator::ListDeadLetters(grpc::ServerContext* context, const v1::ListDeadLettersRequest* request,
                                              v1::ListDeadLettersResponse* response) {
  if (grpc::Status status = Enter("ListDeadLetters", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const size_t begin = request->page_token().empty() ? 0 : std::stoul(request->page_token());
  const size_t end = std::min(letters_.size(), begin + static_cast<size_t>(request->page_size()));
  for (size_t i = begin; i < end; ++i) *response->add_letters() = letters_[i];
  if (end < letters_.size()) response->set_next_page_token(absl::StrCat(end));
  return grpc::Status::OK;
}

grpc::Status FakeCoordinator::ReplayDeadLetter(grpc::ServerContext* context, const v1::ReplayDeadLetterRequest* request,
                                               v1::ReplayDeadLetterResponse* response) {
  if (grpc::Status status = Enter("ReplayDeadLetter", *context); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  for (const v1::DeadLetter& letter : letters_) {
    if (letter.id() != request->id()) continue;
    *response->mutable_job() = jobs_.at(letter.job_id()).job;
    return grpc::Status::OK;
  }
  return NotFound("dead letter " + request->id());
}

FakeServer::FakeServer() { Start(); }

FakeServer::~FakeServer() { Stop(); }

void FakeServer::Stop() {
  coordinator.HoldWatches(false);
  if (server_ != nullptr) server_->Shutdown(absl::ToChronoTime(absl::Now()));
  server_.reset();
}

void FakeServer::Start() {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&coordinator);
  builder.RegisterService(&memory);
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

}  // namespace kernelsmith::client
