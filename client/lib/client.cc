#include "kernelsmith/client/client.h"

#include <utility>

#include "client/lib/client_channel.h"
#include "common/ids.h"

namespace kernelsmith::client {

using v1::Coordinator;

Client::Client(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

absl::StatusOr<Client> Client::Connect(const ConnectOptions& options) {
  ASSIGN_OR_RETURN(auto opened, ServiceChannel<Coordinator>::Open(options));
  return Client(std::make_unique<Channel>(Channel{std::move(*opened)}));
}

const std::string& Client::address() const { return channel_->connection.address(); }

bool HasEnded(v1::JobState state) {
  return state == v1::SUCCEEDED || state == v1::EXHAUSTED || state == v1::FAILED || state == v1::CANCELLED;
}

absl::StatusOr<v1::SubmitJobResponse> Client::SubmitJob(const v1::JobSpec& spec, const std::string& request_id) const {
  v1::SubmitJobRequest request;
  request.set_request_id(request_id.empty() ? common::RandomId() : request_id);
  *request.mutable_spec() = spec;
  return channel_->Call(&Coordinator::Stub::SubmitJob, request);
}

absl::StatusOr<v1::Job> Client::ExtendJob(const std::string& job_id, const v1::Budget& extra,
                                          const std::string& request_id) const {
  v1::ExtendJobRequest request;
  request.set_job_id(job_id);
  request.set_request_id(request_id.empty() ? common::RandomId() : request_id);
  *request.mutable_extra() = extra;
  ASSIGN_OR_RETURN(v1::ExtendJobResponse response, channel_->Call(&Coordinator::Stub::ExtendJob, request));
  return std::move(*response.mutable_job());
}

absl::StatusOr<v1::Job> Client::GetJob(const std::string& job_id) const {
  v1::GetJobRequest request;
  request.set_job_id(job_id);
  ASSIGN_OR_RETURN(v1::GetJobResponse response, channel_->Call(&Coordinator::Stub::GetJob, request));
  return std::move(*response.mutable_job());
}

absl::StatusOr<v1::ListJobsResponse> Client::ListJobs(const v1::ListJobsRequest& request) const {
  return channel_->Call(&Coordinator::Stub::ListJobs, request);
}

absl::StatusOr<v1::Job> Client::CancelJob(const std::string& job_id, const std::string& reason) const {
  v1::CancelJobRequest request;
  request.set_job_id(job_id);
  request.set_reason(reason);
  ASSIGN_OR_RETURN(v1::CancelJobResponse response, channel_->Call(&Coordinator::Stub::CancelJob, request));
  return std::move(*response.mutable_job());
}

absl::StatusOr<v1::Attempt> Client::GetAttempt(const std::string& job_id, int round) const {
  v1::GetAttemptRequest request;
  request.set_job_id(job_id);
  request.set_round(round);
  ASSIGN_OR_RETURN(v1::GetAttemptResponse response, channel_->Call(&Coordinator::Stub::GetAttempt, request));
  return std::move(*response.mutable_attempt());
}

absl::StatusOr<std::vector<v1::Card>> Client::ListCards() const {
  ASSIGN_OR_RETURN(v1::ListCardsResponse response,
                   channel_->Call(&Coordinator::Stub::ListCards, v1::ListCardsRequest()));
  return std::vector<v1::Card>(response.cards().begin(), response.cards().end());
}

absl::StatusOr<v1::Card> Client::DrainCard(const std::string& worker_id, bool undo) const {
  v1::DrainCardRequest request;
  request.set_worker_id(worker_id);
  request.set_undo(undo);
  ASSIGN_OR_RETURN(v1::DrainCardResponse response, channel_->Call(&Coordinator::Stub::DrainCard, request));
  return std::move(*response.mutable_card());
}

absl::StatusOr<v1::ListDeadLettersResponse> Client::ListDeadLetters(const v1::ListDeadLettersRequest& request) const {
  return channel_->Call(&Coordinator::Stub::ListDeadLetters, request);
}

absl::StatusOr<v1::Job> Client::ReplayDeadLetter(const std::string& id) const {
  v1::ReplayDeadLetterRequest request;
  request.set_id(id);
  ASSIGN_OR_RETURN(v1::ReplayDeadLetterResponse response,
                   channel_->Call(&Coordinator::Stub::ReplayDeadLetter, request));
  return std::move(*response.mutable_job());
}

}  // namespace kernelsmith::client
