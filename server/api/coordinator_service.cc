#include "server/api/coordinator_service.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/grpc/errors.h"
#include "common/grpc/identity.h"
#include "common/status.h"
#include "server/api/job_records.h"
#include "server/api/validation.h"

namespace kernelsmith::server {
namespace {

using common::ToGrpc;

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr absl::Duration kWatchStep = absl::Milliseconds(500);  // how often a quiet watch looks whether anyone listens

std::string TeamOf(const grpc::ServerContext& context) { return common::IdentityOf(context).team; }

absl::Status HungUp() { return absl::CancelledError("the caller has hung up"); }

// Answers a call with a result of its response type.
template <typename Response>
grpc::Status Answer(absl::StatusOr<Response> result, Response& response) {
  if (!result.ok()) return ToGrpc(result.status());
  response = *std::move(result);
  return grpc::Status::OK;
}

// Sends `content` in pieces; `fill` puts a piece into a message. An empty content is one empty piece.
template <typename Message, typename Fill>
absl::Status SendChunks(const std::string& content, grpc::ServerWriter<Message>& writer, Fill fill) {
  size_t sent = 0;
  do {
    Message message;
    fill(content.substr(sent, kChunkBytes), message);
    if (!writer.Write(message)) return HungUp();
    sent += kChunkBytes;
  } while (sent < content.size());
  return absl::OkStatus();
}

}  // namespace

absl::Status CoordinatorService::CheckJob(const std::string& team, const std::string& job_id) const {
  if (job_id.empty()) return common::InvalidField("job_id", "is empty");
  return with_.store.Get(team, job_id).status();
}

grpc::Status CoordinatorService::SubmitJob(grpc::ServerContext* context, const v1::SubmitJobRequest* request,
                                           v1::SubmitJobResponse* response) {
  return Answer(with_.jobs.Submit(TeamOf(*context), *request), *response);
}

grpc::Status CoordinatorService::ExtendJob(grpc::ServerContext* context, const v1::ExtendJobRequest* request,
                                           v1::ExtendJobResponse* response) {
  return Answer(with_.jobs.Extend(TeamOf(*context), *request), *response);
}

grpc::Status CoordinatorService::GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                        v1::GetJobResponse* response) {
  return Answer(with_.store.Get(TeamOf(*context), request->job_id()), *response->mutable_job());
}

grpc::Status CoordinatorService::ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                                          v1::ListJobsResponse* response) {
  return Answer(with_.jobs.List(TeamOf(*context), *request), *response);
}

grpc::Status CoordinatorService::WatchJob(grpc::ServerContext* context, const v1::WatchJobRequest* request,
                                          grpc::ServerWriter<v1::WatchJobResponse>* writer) {
  return ToGrpc(StreamEvents(*context, *request, *writer));
}

absl::Status CoordinatorService::StreamEvents(grpc::ServerContext& context, const v1::WatchJobRequest& request,
                                              grpc::ServerWriter<v1::WatchJobResponse>& writer) {
  RETURN_IF_ERROR(CheckJob(TeamOf(context), request.job_id()));
  uint64_t after = request.from_sequence();
  uint64_t transient_cursor = 0;
  while (true) {
    if (context.IsCancelled()) return HungUp();
    if (stopping_) {
      return absl::UnavailableError(
          absl::StrCat("the coordinator is shutting down; watch again from sequence ", after));
    }
    ASSIGN_OR_RETURN(const JobStore::News news,
                     with_.store.WaitForNews(request.job_id(), after, transient_cursor, absl::Now() + kWatchStep));
    for (const v1::JobEvent& event : news.events) {
      v1::WatchJobResponse response;
      *response.mutable_event() = event;
      if (!writer.Write(response)) return HungUp();
    }
    if (news.ended) return absl::OkStatus();
  }
}

grpc::Status CoordinatorService::CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                                           v1::CancelJobResponse* response) {
  return Answer(with_.jobs.Cancel(TeamOf(*context), *request), *response);
}

OneShotContext CoordinatorService::OneShot(grpc::ServerContext& context,
                                           grpc::ServerWriter<v1::EvaluateResponse>& writer) {
  return {.queue = with_.queue,
          .team = TeamOf(context),
          .input_secret = with_.input_secret,
          .limits = with_.limits,
          .now_unix_us = with_.clock.UnixMicros(),
          .tell =
              [&writer](const std::string& activity) {
                v1::EvaluateResponse response;
                response.set_activity(activity);
                writer.Write(response);
              },
          .cancelled = [this, &context] { return stopping_ || context.IsCancelled(); }};
}

grpc::Status CoordinatorService::Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                                          grpc::ServerWriter<v1::EvaluateResponse>* writer) {
  const auto report = [&]() -> absl::StatusOr<v1::EvaluationReport> {
    v1::EvaluateRequest complete = *request;
    RETURN_IF_ERROR(CheckTask(request->task(), "task"));
    ASSIGN_OR_RETURN(*complete.mutable_card_kind(), CompleteCardKind(request->card_kind(), "card_kind"));
    RETURN_IF_ERROR(CheckCandidate(request->candidate(), complete.card_kind(), "candidate"));
    RETURN_IF_ERROR(CheckOptions(request->options(), "options"));
    return EvaluateOnce(OneShot(*context, *writer), complete);
  }();
  if (!report.ok()) return ToGrpc(report.status());
  v1::EvaluateResponse response;
  *response.mutable_report() = *report;
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status CoordinatorService::Compare(grpc::ServerContext* context, const v1::CompareRequest* request,
                                         grpc::ServerWriter<v1::EvaluateResponse>* writer) {
  const auto report = [&]() -> absl::StatusOr<v1::EvaluationReport> {
    v1::CompareRequest complete = *request;
    RETURN_IF_ERROR(CheckTask(request->task(), "task"));
    ASSIGN_OR_RETURN(*complete.mutable_card_kind(), CompleteCardKind(request->card_kind(), "card_kind"));
    RETURN_IF_ERROR(CheckCandidate(request->a(), complete.card_kind(), "a"));
    RETURN_IF_ERROR(CheckCandidate(request->b(), complete.card_kind(), "b"));
    RETURN_IF_ERROR(CheckOptions(request->options(), "options"));
    return CompareOnce(OneShot(*context, *writer), complete);
  }();
  if (!report.ok()) return ToGrpc(report.status());
  v1::EvaluateResponse response;
  *response.mutable_report() = *report;
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status CoordinatorService::GetAttempt(grpc::ServerContext* context, const v1::GetAttemptRequest* request,
                                            v1::GetAttemptResponse* response) {
  if (absl::Status status = CheckJob(TeamOf(*context), request->job_id()); !status.ok()) return ToGrpc(status);
  if (request->round() < 0) return ToGrpc(common::InvalidField("round", "is negative; rounds count from 1"));
  return Answer(LoadAttempt(with_.store, request->job_id(), request->round()), *response->mutable_attempt());
}

grpc::Status CoordinatorService::GetLogs(grpc::ServerContext* context, const v1::GetLogsRequest* request,
                                         grpc::ServerWriter<v1::GetLogsResponse>* writer) {
  return ToGrpc([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckJob(TeamOf(*context), request->job_id()));
    if (request->round() < 0) return common::InvalidField("round", "is negative; rounds count from 1");
    ASSIGN_OR_RETURN(const std::vector<RoundLog> logs, ListLogs(with_.store, request->job_id(), request->round()));
    for (const RoundLog& log : logs) {
      ASSIGN_OR_RETURN(const std::string content, with_.store.content().Get(log.ref.digest()));
      RETURN_IF_ERROR(SendChunks(content, *writer, [&](std::string chunk, v1::GetLogsResponse& message) {
        message.set_round(log.round);
        message.set_name(log.name);
        message.set_chunk(std::move(chunk));
      }));
    }
    return absl::OkStatus();
  }());
}

grpc::Status CoordinatorService::GetArtifact(grpc::ServerContext* context, const v1::GetArtifactRequest* request,
                                             grpc::ServerWriter<v1::GetArtifactResponse>* writer) {
  return ToGrpc([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckJob(TeamOf(*context), request->job_id()));
    if (request->digest().empty()) return common::InvalidField("digest", "is empty");
    ASSIGN_OR_RETURN(const std::set<std::string> digests, DigestsOfJob(with_.store, request->job_id()));
    if (!digests.contains(request->digest())) {
      return absl::NotFoundError(
          absl::StrCat("job '", request->job_id(), "' refers to no artifact '", request->digest(), "'"));
    }
    ASSIGN_OR_RETURN(const std::string content, with_.store.content().Get(request->digest()));
    return SendChunks(content, *writer,
                      [](std::string chunk, v1::GetArtifactResponse& message) { message.set_chunk(std::move(chunk)); });
  }());
}

grpc::Status CoordinatorService::ListCards(grpc::ServerContext* /*context*/, const v1::ListCardsRequest* /*request*/,
                                           v1::ListCardsResponse* response) {
  for (v1::Card& card : with_.queue.Cards()) *response->add_cards() = std::move(card);
  return grpc::Status::OK;
}

grpc::Status CoordinatorService::DrainCard(grpc::ServerContext* /*context*/, const v1::DrainCardRequest* request,
                                           v1::DrainCardResponse* response) {
  if (request->worker_id().empty()) return ToGrpc(common::InvalidField("worker_id", "is empty"));
  return Answer(with_.queue.Drain(request->worker_id(), request->undo()), *response->mutable_card());
}

grpc::Status CoordinatorService::ListDeadLetters(grpc::ServerContext* context,
                                                 const v1::ListDeadLettersRequest* request,
                                                 v1::ListDeadLettersResponse* response) {
  return Answer(with_.dead_letters.List(TeamOf(*context), *request), *response);
}

grpc::Status CoordinatorService::ReplayDeadLetter(grpc::ServerContext* context,
                                                  const v1::ReplayDeadLetterRequest* request,
                                                  v1::ReplayDeadLetterResponse* response) {
  return Answer(with_.dead_letters.Replay(TeamOf(*context), *request), *response);
}

}  // namespace kernelsmith::server
