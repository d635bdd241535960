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

void AddWatch(CLI::App& program, Session& session) {
  auto options = std::make_shared<WatchCommandOptions>();
  CLI::App* command = program.add_subcommand("watch", "show a job's progress until it ends");
  command->add_option("job", options->job_id, "the job's id")->required();
  command->add_option("--from-sequence", options->from_sequence, "only events after this one (default: all)");
  command->add_option("--out", options->out_folder, "folder for the winning kernel and its evidence");
  command->footer("Ctrl-C leaves the job running.\n\nExample:\n  kernelsmith watch j-0123456789ab");
  command->callback([options, &session] { session.exit_code = Watch(*options, session); });
}

}  // namespace kernelsmith::client
