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

struct CompareOptions {
  TaskOptions task;
  std::string a;
  std::string b;
  std::string card_kind = "cpu";
};

absl::StatusOr<v1::EvaluationReport> Run(const CompareOptions& options, const Session& session) {
  v1::CompareRequest request;
  ASSIGN_OR_RETURN(*request.mutable_task(), TaskFrom(options.task));
  ASSIGN_OR_RETURN(*request.mutable_a(), LoadCandidate(options.a));
  ASSIGN_OR_RETURN(*request.mutable_b(), LoadCandidate(options.b));
  RETURN_IF_ERROR(CheckCardKind(options.card_kind));
  RETURN_IF_ERROR(CheckCandidateFits(request.a(), options.card_kind));
  RETURN_IF_ERROR(CheckCandidateFits(request.b(), options.card_kind));
  request.set_card_kind(options.card_kind);
  ASSIGN_OR_RETURN(const Client client, session.ConnectServer());
  return client.Compare(request, ActivityPrinter(session), session.surroundings.interrupted);
}

}  // namespace

void AddCompare(Command& program, Session& session) {
  auto options = std::make_shared<CompareOptions>();
  Command command = program.Add("compare", "time two kernels of one operator, interleaved on one card");
  AddTaskOptions(command, options->task);
  command.Option("a", options->a, "first kernel: *.cpp, or a folder with kernel.asc and plan.cpp").Required();
  command.Option("b", options->b, "second kernel, of the same kind").Required();
  command.Option("--card-kind", options->card_kind, "kind of card: cpu (default) or ascend");
  command.Footer("Example:\n  kernelsmith compare configs/tasks/softmax.py old.cpp new.cpp");
  command.Run([options, &session] {
    session.exit_code = FinishEvaluation(session, Run(*options, session), [](const v1::EvaluationReport& report) {
      return ReportText(report) + ComparisonText(report);
    });
  });
}

}  // namespace kernelsmith::client
