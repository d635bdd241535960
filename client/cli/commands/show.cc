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

void AddShow(CLI::App& program, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = program.add_subcommand("show", "show a job, one of its rounds, or its logs");
  command->add_option("job", options->job_id, "the job's id")->required();
  command->add_option("--round", options->round, "the round, from 1: proposal, code and verdict")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--logs", options->logs, "compiler and candidate output, prompts and replies");
  command->footer("Examples:\n  kernelsmith show j-0123456789ab\n  kernelsmith show j-0123456789ab --round 3 --logs");
  command->callback([options, &session] { session.exit_code = Show(*options, session); });
}

}  // namespace kernelsmith::client
