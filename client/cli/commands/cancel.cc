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

void AddCancel(CLI::App& program, Session& session) {
  auto options = std::make_shared<CancelOptions>();
  CLI::App* command = program.add_subcommand("cancel", "stop a job and what it runs");
  command->add_option("job", options->job_id, "the job's id")->required();
  command->add_option("--reason", options->reason, "kept in the job's log");
  command->footer("Example:\n  kernelsmith cancel j-0123456789ab --reason 'wrong shape'");
  command->callback([options, &session] { session.exit_code = Cancel(*options, session); });
}

}  // namespace kernelsmith::client
