#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/text/format.h"

namespace kernelsmith::client {
namespace {

struct CancelOptions {
  std::string job_id;
  std::string reason = "cancelled from the command line";
};

int Cancel(const CancelOptions& options, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Job> job = client->CancelJob(options.job_id, options.reason);
  if (!job.ok()) return session.Fail(job.status());
  if (session.json) {
    session.PrintJson(*job);
  } else {
    session.out() << "job " << job->id() << " is " << FormatEnum(v1::JobState_Name(job->state())) << std::endl;
  }
  return kExitOk;
}

}  // namespace

void AddCancel(Command& program, Session& session) {
  auto options = std::make_shared<CancelOptions>();
  Command command = program.Add("cancel", "stop a job and what it runs");
  command.Option("job", options->job_id, "the job's id").Required();
  command.Option("--reason", options->reason, "kept in the job's log");
  command.Footer("Example:\n  kernelsmith cancel job-0123456789ab --reason 'wrong shape'");
  command.Run([options, &session] { session.exit_code = Cancel(*options, session); });
}

}  // namespace kernelsmith::client
