#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/commands/task_options.h"
#include "client/cli/follow.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

struct ExtendOptions {
  std::string job_id;
  int rounds = 0;
  int64_t tokens = 0;
  std::string wall;
  std::string request_id;
  std::string out_folder;
  bool detach = false;
};

absl::StatusOr<v1::Budget> ExtraFrom(const ExtendOptions& options) {
  v1::Budget extra;
  RETURN_IF_ERROR(CheckOutFolder(options.out_folder));
  extra.set_rounds(options.rounds);
  extra.set_tokens(options.tokens);
  if (!options.wall.empty()) {
    ASSIGN_OR_RETURN(const double seconds, ParseSeconds(options.wall, "wall"));
    extra.set_wall_s(seconds);
  }
  if (extra.rounds() == 0 && extra.tokens() == 0 && extra.wall_s() == 0) {
    return common::InvalidField("extra", "is empty; give --rounds, --tokens or --wall");
  }
  return extra;
}

int Extend(const ExtendOptions& options, const Session& session) {
  const absl::StatusOr<v1::Budget> extra = ExtraFrom(options);
  if (!extra.ok()) return session.Fail(extra.status());
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Job> before = client->GetJob(options.job_id);
  if (!before.ok()) return session.Fail(before.status());
  const absl::StatusOr<v1::Job> job = client->ExtendJob(options.job_id, *extra, options.request_id);
  if (!job.ok()) return session.Fail(job.status());
  if (options.detach) {
    if (session.json) {
      session.PrintJson(*job);
    } else {
      session.out() << "job " << job->id() << " may use " << job->rounds_budget()
                    << " rounds; see it with: kernelsmith watch " << job->id() << std::endl;
    }
    return kExitOk;
  }
  return FollowJob(session, *client, *job,
                   {.from_sequence = before->last_sequence(), .out_folder = options.out_folder});
}

}  // namespace

void AddExtend(Command& program, Session& session) {
  auto options = std::make_shared<ExtendOptions>();
  Command command = program.Add("extend", "give a job more budget; an ended job goes on from its best kernel");
  command.Option("job", options->job_id, "the job's id").Required();
  command.Option("--rounds", options->rounds, "rounds to add").Range(1, 100000);
  command.Option("--tokens", options->tokens, "model tokens to add").Positive();
  command.Option("--wall", options->wall, "wall time to add, for example 10m");
  command.Option("--request-id", options->request_id, "the same id again adds nothing");
  command.Option("--out", options->out_folder, "folder for the winning kernel and its evidence");
  command.Flag("--detach", options->detach, "only extend");
  command.Footer("Example:\n  kernelsmith extend job-0123456789ab --rounds 10");
  command.Run([options, &session] { session.exit_code = Extend(*options, session); });
}

}  // namespace kernelsmith::client
