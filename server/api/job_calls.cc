#include "server/api/job_calls.h"

#include <google/protobuf/util/message_differencer.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/status.h"
#include "server/api/validation.h"
#include "server/synthesis/job_log.h"

namespace kernelsmith::server {
namespace {

constexpr size_t kLongestReason = 500;

std::optional<v1::BudgetExtended> FindExtension(const std::vector<v1::JobEvent>& events,
                                                const std::string& request_id) {
  for (const v1::JobEvent& event : events) {
    if (event.has_budget_extended() && event.budget_extended().request_id() == request_id) {
      return event.budget_extended();
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<v1::SubmitJobResponse> JobCalls::Submit(const std::string& team, const v1::SubmitJobRequest& request) {
  RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  ASSIGN_OR_RETURN(const v1::JobSpec spec, CompleteSpec(request.spec(), config_));
  // A repeat is answered even while no new job is taken.
  if (!store_.FindRequest(team, request.request_id()).ok()) RETURN_IF_ERROR(intake_.Admit(team));
  ASSIGN_OR_RETURN(JobStore::Created created, store_.Create(team, request.request_id(), spec));
  if (!created.duplicate) {
    common::LogInfo("job.submitted", {{"job", created.job.id()}, {"team", team}});
    runner_.Enqueue(created.job);
  }
  v1::SubmitJobResponse response;
  *response.mutable_job() = std::move(created.job);
  response.set_duplicate(created.duplicate);
  return response;
}

absl::StatusOr<v1::ExtendJobResponse> JobCalls::Extend(const std::string& team, const v1::ExtendJobRequest& request) {
  RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  RETURN_IF_ERROR(CheckExtension(request.extra()));
  RETURN_IF_ERROR(store_.Get(team, request.job_id()).status());
  const KeyClaims::Claim claim(extending_, request.job_id());
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store_, request.job_id()));
  const auto known = FindExtension(events, request.request_id());
  if (known && !google::protobuf::util::MessageDifferencer::Equals(known->extra(), request.extra())) {
    return absl::AlreadyExistsError(absl::StrCat("request id '", request.request_id(), "' extended job '",
                                                 request.job_id(), "' by another budget; choose a new id"));
  }
  if (!known) {
    RETURN_IF_ERROR(intake_.CheckDisk());
    v1::JobEvent event;
    *event.mutable_budget_extended()->mutable_extra() = request.extra();
    event.mutable_budget_extended()->set_request_id(request.request_id());
    RETURN_IF_ERROR(store_.Append(request.job_id(), event).status());
  }
  v1::ExtendJobResponse response;
  ASSIGN_OR_RETURN(*response.mutable_job(), store_.Get(team, request.job_id()));
  if (!HasEnded(response.job().state())) runner_.Enqueue(response.job());
  return response;
}

absl::StatusOr<v1::CancelJobResponse> JobCalls::Cancel(const std::string& team, const v1::CancelJobRequest& request) {
  if (request.reason().size() > kLongestReason) {
    return common::InvalidField("reason",
                                absl::StrCat("has ", request.reason().size(), " bytes; at most ", kLongestReason));
  }
  v1::CancelJobResponse response;
  ASSIGN_OR_RETURN(*response.mutable_job(), store_.Get(team, request.job_id()));
  if (!HasEnded(response.job().state())) {
    v1::JobEvent event;
    event.mutable_job_ended()->set_state(v1::CANCELLED);
    event.mutable_job_ended()->set_reason(request.reason().empty() ? absl::StrCat("cancelled by team ", team)
                                                                   : request.reason());
    // It may end by itself at this moment.
    const absl::Status appended = store_.Append(request.job_id(), event).status();
    if (!appended.ok() && !absl::IsFailedPrecondition(appended)) return appended;
    if (appended.ok()) metrics_.JobEnded(v1::CANCELLED);
    ASSIGN_OR_RETURN(*response.mutable_job(), store_.Get(team, request.job_id()));
  }
  if (response.job().state() != v1::CANCELLED) {
    return common::BadState("JOB_STATE", request.job_id(),
                            absl::StrCat("has ended already: ", v1::JobState_Name(response.job().state())));
  }
  runner_.NoticeCancelled(request.job_id());
  return response;
}

absl::StatusOr<v1::ListJobsResponse> JobCalls::List(const std::string& team, const v1::ListJobsRequest& request) const {
  std::vector<v1::JobState> states;
  for (int i = 0; i < request.states_size(); ++i) {
    if (request.states(i) == v1::JOB_STATE_UNSPECIFIED || !v1::JobState_IsValid(request.states(i))) {
      return common::InvalidField(absl::StrCat("states[", i, "]"), "is no state of a job");
    }
    states.push_back(request.states(i));
  }
  ASSIGN_OR_RETURN(JobStore::Page page, store_.List(team, request.page_size(), request.page_token(), states));
  v1::ListJobsResponse response;
  for (v1::Job& job : page.jobs) *response.add_jobs() = std::move(job);
  response.set_next_page_token(page.next_token);
  return response;
}

}  // namespace kernelsmith::server
