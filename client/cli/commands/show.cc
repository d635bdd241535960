#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/text/attempt_text.h"
#include "client/cli/text/format.h"
#include "client/cli/text/job_text.h"

namespace kernelsmith::client {
namespace {

struct ShowOptions {
  std::string job_id;
  int round = 0;
  bool logs = false;
};

int ShowLogs(const ShowOptions& options, const Session& session, const Client& client) {
  const auto logs = client.GetLogs(options.job_id, options.round);
  if (!logs.ok()) return session.Fail(logs.status());
  if (session.json) {
    auto document = nlohmann::ordered_json::object();
    document["logs"] = nlohmann::ordered_json::array();
    for (const Client::Log& log : *logs) {
      document["logs"].push_back({{"round", log.round}, {"name", log.name}, {"content", Printable(log.content)}});
    }
    session.out() << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
    return kExitOk;
  }
  for (const Client::Log& log : *logs) {
    session.out() << "=== round " << log.round << ", " << log.name << "\n" << Printable(log.content);
    if (!log.content.empty() && log.content.back() != '\n') session.out() << "\n";
  }
  if (logs->empty()) session.out() << "no logs\n";
  session.out() << std::flush;
  return kExitOk;
}

int Show(const ShowOptions& options, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  if (options.logs) return ShowLogs(options, session, *client);
  if (options.round > 0) {
    const absl::StatusOr<v1::Attempt> attempt = client->GetAttempt(options.job_id, options.round);
    if (!attempt.ok()) return session.Fail(attempt.status());
    if (session.json) {
      session.PrintJson(*attempt);
    } else {
      session.out() << AttemptText(*attempt) << std::flush;
    }
    return kExitOk;
  }
  const absl::StatusOr<v1::Job> job = client->GetJob(options.job_id);
  if (!job.ok()) return session.Fail(job.status());
  if (session.json) {
    session.PrintJson(*job);
  } else {
    session.out() << JobSummary(*job) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddShow(Command& program, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  Command command = program.Add("show", "show a job, one of its rounds, or its logs");
  command.Option("job", options->job_id, "the job's id").Required();
  command.Option("--round", options->round, "the round, from 1: proposal, code and verdict").Range(1, 1000000);
  command.Flag("--logs", options->logs, "compiler and candidate output, prompts and replies");
  command.Footer(
      "Examples:\n  kernelsmith show job-0123456789ab\n  kernelsmith show job-0123456789ab --round 3 --logs");
  command.Run([options, &session] { session.exit_code = Show(*options, session); });
}

}  // namespace kernelsmith::client
