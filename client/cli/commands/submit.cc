#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/task_options.h"
#include "client/cli/follow.h"
#include "common/policies/presets.h"
#include "common/status.h"
#include "kernelsmith/client/task.h"

namespace kernelsmith::client {
namespace {

struct SubmitOptions {
  TaskOptions task;
  std::string name;
  std::string request_id;
  std::string start_from;
  int rounds = 0;
  std::string wall;
  double goal_speedup = 0;
  double goal_latency_us = 0;
  int patience = 0;
  int priority = 0;
  std::string card_kind = "cpu";
  std::string proposer = "catalog";
  std::string endpoint;
  std::string model;
  double temperature = 0;
  uint64_t seed = 0;
  std::string policy;
  bool read_only_memory = false;
  std::string out_folder;
  bool watch = false;
  bool detach = false;
};

absl::Status SetProposer(const SubmitOptions& options, v1::ProposerSpec& spec) {
  if (options.proposer == "catalog") {
    if (!options.endpoint.empty() || !options.model.empty()) {
      return common::InvalidField("proposer", "is catalog, which takes no --endpoint or --model; add --proposer chat");
    }
    spec.mutable_catalog()->set_seed(options.seed);
    return absl::OkStatus();
  }
  if (options.endpoint.empty()) {
    return common::InvalidField("endpoint",
                                "is missing; --proposer chat needs --endpoint NAME, a model endpoint of the "
                                "coordinator's configuration");
  }
  v1::ChatProposer* chat = spec.mutable_chat();
  chat->set_endpoint(options.endpoint);
  chat->set_model(options.model);
  chat->set_temperature(options.temperature);
  return absl::OkStatus();
}

absl::StatusOr<v1::JobSpec> SpecFrom(const SubmitOptions& options) {
  v1::JobSpec spec;
  ASSIGN_OR_RETURN(*spec.mutable_task(), TaskFrom(options.task));
  RETURN_IF_ERROR(CheckOutFolder(options.out_folder));
  RETURN_IF_ERROR(CheckCardKind(options.card_kind));
  spec.set_name(options.name);
  spec.set_card_kind(options.card_kind);
  RETURN_IF_ERROR(SetProposer(options, *spec.mutable_proposer()));
  spec.mutable_budget()->set_rounds(options.rounds);
  if (!options.wall.empty()) {
    ASSIGN_OR_RETURN(const double seconds, ParseSeconds(options.wall, "wall"));
    spec.mutable_budget()->set_wall_s(seconds);
  }
  spec.mutable_goal()->set_speedup_vs_baseline(options.goal_speedup);
  spec.mutable_goal()->set_latency_us(options.goal_latency_us);
  spec.mutable_goal()->set_rounds_without_gain(options.patience);
  spec.mutable_policy()->set_preset(options.policy);
  spec.mutable_policy()->set_read_only(options.read_only_memory);
  spec.set_priority(options.priority);
  if (!options.start_from.empty()) {
    ASSIGN_OR_RETURN(*spec.mutable_start_from(), LoadCandidate(options.start_from));
    RETURN_IF_ERROR(CheckCandidateFits(spec.start_from(), options.card_kind));
  }
  return spec;
}

int Submit(const SubmitOptions& options, const Session& session) {
  const absl::StatusOr<v1::JobSpec> spec = SpecFrom(options);
  if (!spec.ok()) return session.Fail(spec.status());
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::SubmitJobResponse> submitted = client->SubmitJob(*spec, options.request_id);
  if (!submitted.ok()) return session.Fail(submitted.status());
  const v1::Job& job = submitted->job();
  if (options.detach) {
    if (session.json) {
      session.PrintJson(*submitted);
    } else {
      session.out() << "job " << job.id() << " submitted; see it with: kernelsmith watch " << job.id() << std::endl;
    }
    return kExitOk;
  }
  if (session.json) session.PrintJsonLine("submitted", *submitted);
  return FollowJob(session, *client, job, {.from_sequence = 0, .out_folder = options.out_folder});
}

void AddLimits(Command& command, SubmitOptions& options) {
  command.Option("--rounds", options.rounds, "rounds to spend (default: the server's, 30)").Range(1, 100000);
  command.Option("--wall", options.wall, "wall time to spend from the first round, for example 10m");
  command.Option("--goal-speedup", options.goal_speedup, "stop at this speed-up against the baseline").Positive();
  command.Option("--goal-latency-us", options.goal_latency_us, "stop at this latency").Positive();
  command.Option("--patience", options.patience, "stop after so many rounds without a gain").Positive();
  command.Option("--priority", options.priority, "inside the team, -100 to 100; higher goes first").Range(-100, 100);
}

void AddProposer(Command& command, SubmitOptions& options) {
  command.Option("--proposer", options.proposer, "who writes candidates: catalog (built in) or chat (a model)")
      .OneOf({"catalog", "chat"});
  command.Option("--endpoint", options.endpoint, "chat: a model endpoint of the coordinator's configuration");
  command.Option("--model", options.model, "chat: the model's name (default: the endpoint's)");
  command.Option("--temperature", options.temperature, "chat: sampling temperature").NonNegative();
  command.Option("--seed", options.seed, "catalog: order in which it falls back through its moves");
  command.Option("--policy", options.policy, "memory policy (default: combined); `memory policies` lists them")
      .OneOf(common::PolicyPresetNames());
  command.Flag("--read-only-memory", options.read_only_memory, "leave the values in memory as they are");
}

}  // namespace

void AddSubmit(Command& program, Session& session) {
  auto options = std::make_shared<SubmitOptions>();
  Command command = program.Add("submit", "start a job that searches a fast, correct kernel");
  AddTaskOptions(command, options->task);
  command.Option("--start-from", options->start_from,
                 "a kernel to start from, evaluated as round 1: *.cpp, or a folder with kernel.asc and plan.cpp");
  command.Option("--name", options->name, "name of the job (default: the task's)");
  command.Option("--request-id", options->request_id, "the same id again returns the same job");
  command.Option("--card-kind", options->card_kind, "kind of card: cpu (default) or ascend");
  AddLimits(command, *options);
  AddProposer(command, *options);
  command.Option("--out", options->out_folder, "folder for the winning kernel and its evidence");
  const CommandOption watch = command.Flag("--watch", options->watch, "show progress until the job ends (the default)");
  command.Flag("--detach", options->detach, "only submit").Excludes(watch);
  command.Footer(
      "Ctrl-C leaves the job running.\n\nExample:\n  kernelsmith submit configs/tasks/softmax.py --set ROWS=512 "
      "--rounds 12 --out best-softmax");
  command.Run([options, &session] { session.exit_code = Submit(*options, session); });
}

}  // namespace kernelsmith::client
