#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/commands/commands.h"
#include "client/cli/text/job_text.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

struct JobsOptions {
  std::vector<std::string> states;
  int limit = 20;
};

absl::StatusOr<v1::ListJobsRequest> RequestFrom(const JobsOptions& options) {
  v1::ListJobsRequest request;
  for (const std::string& name : options.states) {
    const std::string upper = absl::AsciiStrToUpper(name);
    v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
    if (!v1::JobState_Parse(upper == "RUNNING" ? "RUNNING_ROUND" : upper, &state)) {
      return common::InvalidField("state", absl::StrCat("'", name,
                                                        "' is unknown; known are submitted, queued, running, "
                                                        "succeeded, exhausted, failed, cancelled"));
    }
    request.add_states(state);
  }
  return request;
}

absl::StatusOr<v1::ListJobsResponse> List(const Client& client, v1::ListJobsRequest request, int limit) {
  v1::ListJobsResponse all;
  do {
    request.set_page_size(std::min(limit - all.jobs_size(), 500));
    ASSIGN_OR_RETURN(const v1::ListJobsResponse page, client.ListJobs(request));
    all.mutable_jobs()->MergeFrom(page.jobs());
    all.set_next_page_token(page.next_page_token());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && all.jobs_size() < limit);
  return all;
}

int Jobs(const JobsOptions& options, const Session& session) {
  const absl::StatusOr<v1::ListJobsRequest> request = RequestFrom(options);
  if (!request.ok()) return session.Fail(request.status());
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::ListJobsResponse> found = List(*client, *request, options.limit);
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else if (found->jobs().empty()) {
    session.out() << "no jobs; start one with: kernelsmith submit TASK" << std::endl;
  } else {
    session.out() << JobList({found->jobs().begin(), found->jobs().end()}) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddJobs(Command& program, Session& session) {
  auto options = std::make_shared<JobsOptions>();
  Command command = program.Add("jobs", "list the team's jobs, newest first");
  command.Option("--state", options->states, "only jobs in this state; may be repeated");
  command.Option("--limit", options->limit, "how many at most (default: 20)").Range(1, 1000000);
  command.Footer("Example:\n  kernelsmith jobs --state running --state queued");
  command.Run([options, &session] { session.exit_code = Jobs(*options, session); });
}

}  // namespace kernelsmith::client
