#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/text/format.h"
#include "client/cli/text/job_text.h"
#include "client/cli/text/progress.h"
#include "client/cli/text/report_text.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

constexpr size_t kTitleLimit = 60;

std::string Titles(const std::vector<std::string>& titles) {
  return absl::StrJoin(titles, "; ",
                       [](std::string* out, const std::string& title) { out->append(OneLine(title, kTitleLimit)); });
}

std::string RoundName(const JobProgress& progress) {
  return absl::StrCat("round ", progress.round(), "/", progress.rounds_budget());
}

std::string SuppliedLine(const JobProgress& progress) {
  if (progress.supplied() == 0) return "  memory supplied nothing";
  return absl::StrCat("  memory supplied ", progress.supplied(), ": ", Titles(progress.SuppliedTitles()));
}

std::string ModelLine(const v1::ModelCallEnded& call) {
  const double seconds = static_cast<double>(call.end_unix_us() - call.begin_unix_us()) / 1e6;
  if (!call.error().empty()) return absl::StrCat("  model call failed: ", OneLine(call.error(), 200));
  return absl::StrCat("  model answered in ", FormatSeconds(seconds), ", ", call.prompt_tokens(), " + ",
                      call.completion_tokens(), " tokens");
}

std::string ProposedLine(const v1::Proposed& proposed, const JobProgress& progress) {
  const v1::Proposal& proposal = proposed.proposal();
  if (!proposed.has_candidate()) return absl::StrCat("  no candidate: ", OneLine(proposal.error(), 200));
  std::string line = absl::StrCat("  proposed ", progress.thought().empty() ? "a candidate" : progress.thought());
  if (!proposal.hypothesis().empty()) absl::StrAppend(&line, ": ", OneLine(proposal.hypothesis(), 160));
  if (progress.adopted() > 0) {
    absl::StrAppend(&line, "; adopted ", progress.adopted(), " of ", progress.supplied(), ": ",
                    Titles(progress.AdoptedTitles()));
  }
  return line;
}

std::vector<std::string> EvaluationLines(const v1::EvaluationEnded& ended) {
  std::vector<std::string> lines;
  if (!ended.gates().empty()) lines.push_back("  " + GateLine(ended.gates()));
  std::string verdict = absl::StrCat("  ", v1::EvaluationStatus_Name(ended.status()));
  if (ended.latency_us() > 0) absl::StrAppend(&verdict, " ", FormatMicros(ended.latency_us()));
  if (ended.speedup_vs_baseline() > 0) {
    absl::StrAppend(&verdict, ", ", FormatRatio(ended.speedup_vs_baseline()), " against the baseline");
  }
  if (ended.status() != v1::PASSED) absl::StrAppend(&verdict, ": ", OneLine(ended.summary(), 300));
  lines.push_back(std::move(verdict));
  return lines;
}

std::string BestText(const JobProgress& progress) {
  if (progress.best_us() <= 0) return "none correct yet";
  std::string text = absl::StrCat("best ", FormatMicros(progress.best_us()));
  std::vector<std::string> ratios;
  if (progress.first_correct_us() > 0) ratios.push_back(FormatRatio(progress.speedup_vs_first()) + " first");
  if (progress.speedup_vs_baseline() > 0) ratios.push_back(FormatRatio(progress.speedup_vs_baseline()) + " baseline");
  if (!ratios.empty()) absl::StrAppend(&text, " (", absl::StrJoin(ratios, ", "), ")");
  return text;
}

std::string RoundLine(const v1::RoundRecorded& recorded, const JobProgress& progress) {
  std::string line = absl::StrFormat("%s  %-20s %10s  %s", RoundName(progress),
                                     FormatEnum(v1::EvaluationStatus_Name(recorded.status())),
                                     FormatMicros(recorded.latency_us()), BestText(progress));
  if (recorded.became_incumbent()) line += " *";
  if (!progress.thought().empty()) absl::StrAppend(&line, "  ", OneLine(progress.thought(), kTitleLimit));
  if (progress.supplied() > 0) {
    absl::StrAppend(&line, "  [memory ", progress.supplied(), ", adopted ", progress.adopted(), "]");
  }
  return line;
}

std::string ResolvedLine(const v1::TaskSpec& task) {
  std::string line = absl::StrCat("task ", task.name(), ": ", TaskShape(task));
  if (!task.baseline().empty()) absl::StrAppend(&line, "; baseline ", task.baseline());
  return line;
}

std::string StageLine(const v1::StageCompleted& completed) {
  return absl::StrFormat("stage %s complete: score %.3f, %d values in memory changed",
                         FormatEnum(v1::Stage_Name(completed.stage())), completed.z(), completed.utility_changes());
}

std::string EndLine(const v1::JobEnded& ended) {
  return absl::StrCat("job ", FormatEnum(v1::JobState_Name(ended.state())),
                      ended.reason().empty() ? "" : ": " + OneLine(ended.reason(), 200));
}

std::string ReplayedLine(const v1::EvaluationReplayed& replayed) {
  return replayed.round() > 0 ? absl::StrCat("taken up again: round ", replayed.round(), " is evaluated anew")
                              : "taken up again: the task is inspected anew";
}

std::string Extended(const JobProgress& progress) {
  return absl::StrCat("budget extended to ", progress.rounds_budget(), " rounds");
}

}  // namespace

std::vector<std::string> PlainLines(const v1::JobEvent& event, const JobProgress& progress) {
  switch (event.event_case()) {
    case v1::JobEvent::kSubmitted:
      return {absl::StrCat("job ", event.job_id(), " submitted")};
    case v1::JobEvent::kTaskResolved:
      return {ResolvedLine(event.task_resolved().task())};
    case v1::JobEvent::kRoundStarted:
      return {absl::StrCat(RoundName(progress), " ", FormatEnum(v1::Stage_Name(progress.stage())),
                           event.round_started().start_round() > 0
                               ? absl::StrCat(", from round ", event.round_started().start_round())
                               : "")};
    case v1::JobEvent::kContextAssembled:
      return {SuppliedLine(progress)};
    case v1::JobEvent::kModelCallEnded:
      return {ModelLine(event.model_call_ended())};
    case v1::JobEvent::kProposed:
      return {ProposedLine(event.proposed(), progress)};
    case v1::JobEvent::kEvaluationLeased:
      return {absl::StrCat("  ", progress.activity())};
    case v1::JobEvent::kEvaluationRetried:
      return {absl::StrCat("  ", OneLine(progress.activity(), 200))};
    case v1::JobEvent::kEvaluationEnded:
      return EvaluationLines(event.evaluation_ended());
    case v1::JobEvent::kRoundRecorded:
      return {RoundLine(event.round_recorded(), progress)};
    case v1::JobEvent::kStageCompleted:
      return {StageLine(event.stage_completed())};
    case v1::JobEvent::kBudgetExtended:
      return {Extended(progress)};
    case v1::JobEvent::kEvaluationReplayed:
      return {ReplayedLine(event.evaluation_replayed())};
    case v1::JobEvent::kJobEnded:
      return {EndLine(event.job_ended())};
    default:
      return {};
  }
}

std::vector<std::string> ScrollLines(const v1::JobEvent& event, const JobProgress& progress) {
  switch (event.event_case()) {
    case v1::JobEvent::kTaskResolved:
      return {ResolvedLine(event.task_resolved().task())};
    case v1::JobEvent::kContextAssembled:
      if (progress.supplied() == 0) return {};
      return {SuppliedLine(progress)};
    case v1::JobEvent::kProposed:
      if (event.proposed().has_candidate() && progress.adopted() == 0) return {};
      return {ProposedLine(event.proposed(), progress)};
    case v1::JobEvent::kEvaluationRetried:
      return {absl::StrCat("  ", OneLine(progress.activity(), 200))};
    case v1::JobEvent::kEvaluationEnded:
      if (event.evaluation_ended().status() == v1::PASSED) return {};
      return EvaluationLines(event.evaluation_ended());
    case v1::JobEvent::kRoundRecorded:
      return {RoundLine(event.round_recorded(), progress)};
    case v1::JobEvent::kStageCompleted:
      return {StageLine(event.stage_completed())};
    case v1::JobEvent::kBudgetExtended:
      return {Extended(progress)};
    case v1::JobEvent::kEvaluationReplayed:
      return {ReplayedLine(event.evaluation_replayed())};
    case v1::JobEvent::kJobEnded:
      return {EndLine(event.job_ended())};
    default:
      return {};
  }
}

std::string LiveLine(const JobProgress& progress, const LiveLineOptions& options) {
  constexpr int kBarCells = 16;
  constexpr absl::string_view kSpinner = "|/-\\";
  const int budget = std::max(progress.rounds_budget(), 1);
  const int done = std::clamp((std::max(progress.round(), 1) - 1) * kBarCells / budget, 0, kBarCells);
  std::string line = absl::StrCat(std::string(1, kSpinner[static_cast<size_t>(options.frame) % kSpinner.size()]), " [",
                                  std::string(static_cast<size_t>(done), '#'),
                                  std::string(static_cast<size_t>(kBarCells - done), '-'), "] ");
  if (progress.round() > 0) {
    absl::StrAppend(&line, RoundName(progress), " ", FormatEnum(v1::Stage_Name(progress.stage())), " | ");
  }
  absl::StrAppend(&line, OneLine(progress.activity(), 60), " | ", BestText(progress));
  if (progress.supplied() > 0) {
    absl::StrAppend(&line, " | memory ", progress.supplied(), ", adopted ", progress.adopted());
  }
  absl::StrAppend(&line, " | ", FormatSeconds(options.elapsed_s));
  return DisplayWidth(line) < options.width ? line : OneLine(line, options.width > 0 ? options.width - 1 : 0);
}

}  // namespace kernelsmith::client
