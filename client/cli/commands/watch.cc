#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/follow.h"

namespace kernelsmith::client {
namespace {

struct WatchCommandOptions {
  std::string job_id;
  uint64_t from_sequence = 0;
  std::string out_folder;
};

int Watch(const WatchCommandOptions& options, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Job> job = client->GetJob(options.job_id);
  if (!job.ok()) return session.Fail(job.status());
  return FollowJob(session, *client, *job, {.from_sequence = options.from_sequence, .out_folder = options.out_folder});
}

}  // namespace

void AddWatch(Command& program, Session& session) {
  auto options = std::make_shared<WatchCommandOptions>();
  Command command = program.Add("watch", "show a job's progress until it ends");
  command.Option("job", options->job_id, "the job's id").Required();
  command.Option("--from-sequence", options->from_sequence, "only events after this one (default: all)");
  command.Option("--out", options->out_folder, "folder for the winning kernel and its evidence");
  command.Footer("Ctrl-C leaves the job running.\n\nExample:\n  kernelsmith watch job-0123456789ab");
  command.Run([options, &session] { session.exit_code = Watch(*options, session); });
}

}  // namespace kernelsmith::client
