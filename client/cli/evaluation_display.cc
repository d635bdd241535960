#include "client/cli/evaluation_display.h"

#include <nlohmann/json.hpp>

#include "client/cli/text/format.h"

namespace kernelsmith::client {

std::function<void(const std::string&)> ActivityPrinter(const Session& session) {
  return [&session](const std::string& activity) {
    if (session.json) {
      session.out() << nlohmann::json{{"activity", activity}}.dump() << std::endl;
    } else {
      session.err() << "  " << OneLine(activity, 200) << std::endl;
    }
  };
}

int FinishEvaluation(const Session& session, const absl::StatusOr<v1::EvaluationReport>& report,
                     const std::function<std::string(const v1::EvaluationReport&)>& text) {
  if (session.surroundings.interrupted.stop_requested()) {
    session.err() << "evaluation cancelled" << std::endl;
    return kExitDetached;
  }
  if (!report.ok()) return session.Fail(report.status());
  if (session.json) {
    session.PrintJsonLine("report", *report);
  } else {
    session.out() << text(*report) << std::flush;
  }
  return ExitCodeOf(report->status());
}

}  // namespace kernelsmith::client
