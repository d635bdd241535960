#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/follow.h"
#include "client/cli/text/format.h"
#include "client/cli/text/report_text.h"

namespace kernelsmith::client {
namespace {

struct BestOptions {
  std::string job_id;
  std::string out_folder;
};

int Best(const BestOptions& options, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Job> job = client->GetJob(options.job_id);
  if (!job.ok()) return session.Fail(job.status());
  if (job->incumbent_round() == 0) {
    const bool ended = HasEnded(job->state());
    session.Fail(absl::FailedPreconditionError(
        ended ? "job " + job->id() + " ended without a correct kernel; `kernelsmith extend` gives it more rounds"
              : "job " + job->id() + " has no correct kernel yet; `kernelsmith watch` shows its progress"));
    return ended ? kExitFailed : kExitRefused;
  }
  if (!options.out_folder.empty()) {
    const absl::Status saved = SaveKernel(session, *client, job->id(), options.out_folder);
    return saved.ok() ? static_cast<int>(kExitOk) : session.Fail(saved);
  }
  const absl::StatusOr<v1::Attempt> attempt = client->GetAttempt(job->id(), job->incumbent_round());
  if (!attempt.ok()) return session.Fail(attempt.status());
  if (session.json) {
    session.PrintJson(*attempt);
    return kExitOk;
  }
  session.err() << "round " << attempt->round() << "\n" << ReportText(attempt->report());
  for (const v1::SourceFile& file : attempt->candidate().files()) session.out() << Printable(file.content());
  session.out() << std::flush;
  return kExitOk;
}

}  // namespace

void AddBest(Command& program, Session& session) {
  auto options = std::make_shared<BestOptions>();
  Command command = program.Add("best", "fetch a job's best kernel, or write it with its evidence");
  command.Option("job", options->job_id, "the job's id").Required();
  command.Option("--out", options->out_folder,
                 "folder for the kernel, report, task, lineage and a README (default: print the kernel)");
  command.Footer("Example:\n  kernelsmith best job-0123456789ab --out best-softmax");
  command.Run([options, &session] { session.exit_code = Best(*options, session); });
}

}  // namespace kernelsmith::client
