#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/commands/task_options.h"
#include "client/cli/evaluation_display.h"
#include "client/cli/text/report_text.h"
#include "common/status.h"
#include "kernelsmith/client/task.h"

namespace kernelsmith::client {
namespace {

struct EvalOptions {
  TaskOptions task;
  std::string candidate;
  std::string card_kind = "cpu";
  bool skip_timing = false;
  bool skip_baseline = false;
  bool final = false;
  int samples = 0;
};

absl::StatusOr<v1::EvaluationReport> Run(const EvalOptions& options, const Session& session) {
  v1::EvaluateRequest request;
  ASSIGN_OR_RETURN(*request.mutable_task(), TaskFrom(options.task));
  ASSIGN_OR_RETURN(*request.mutable_candidate(), LoadCandidate(options.candidate));
  RETURN_IF_ERROR(CheckCardKind(options.card_kind));
  RETURN_IF_ERROR(CheckCandidateFits(request.candidate(), options.card_kind));
  request.set_card_kind(options.card_kind);
  request.mutable_options()->set_skip_timing(options.skip_timing);
  request.mutable_options()->set_skip_baseline(options.skip_baseline);
  request.mutable_options()->set_final(options.final);
  request.mutable_options()->set_max_samples(options.samples);
  ASSIGN_OR_RETURN(const Client client, session.ConnectServer());
  return client.Evaluate(request, ActivityPrinter(session), session.surroundings.interrupted);
}

}  // namespace

void AddEval(Command& program, Session& session) {
  auto options = std::make_shared<EvalOptions>();
  Command command = program.Add("eval", "verify and time one kernel, without a job");
  AddTaskOptions(command, options->task);
  command
      .Option("candidate", options->candidate,
              "the kernel: a C++ file with extern \"C\" int ks_kernel, or a folder with kernel.asc and plan.cpp")
      .Required();
  command.Option("--card-kind", options->card_kind, "kind of card: cpu (default) or ascend");
  command.Flag("--skip-timing", options->skip_timing, "only verify");
  command.Flag("--skip-baseline", options->skip_baseline, "do not time the reference's framework");
  command.Flag("--final", options->final, "as for the record: every timed case, fresh inputs");
  command.Option("--samples", options->samples, "timed batches at most (default: 100)").Range(3, 100000);
  command.Footer("Example:\n  kernelsmith eval configs/tasks/softmax.py kernel.cpp --set ROWS=512");
  command.Run(
      [options, &session] { session.exit_code = FinishEvaluation(session, Run(*options, session), ReportText); });
}

}  // namespace kernelsmith::client
