#include "server/synthesis/context_request.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/synthesis/feedback_text.h"
#include "server/synthesis/task_text.h"

namespace kernelsmith::server {
namespace {

// Rounds that the overview of the job lists at most.
constexpr size_t kOverviewRounds = 20;

// Cases of a family tell each other apart by what was measured rather than by their words, so the catalog lets the
// policy rank many of them.
constexpr int kCatalogPool = 200;

// Of the API templates that `kernelsmith memory load docs/knowledge/ascend_c` stores.
constexpr char kAscendApis[] = "ascend_c";

void AddBlock(absl::string_view name, std::string text, bool stable, v1::AssembleContextRequest& request) {
  if (text.empty()) return;
  v1::RequiredBlock& block = *request.add_required();
  block.set_name(std::string(name));
  block.set_text(std::move(text));
  block.set_stable(stable);
}

const PastRound* Find(const std::vector<PastRound>& past, int round) {
  const auto found = std::find_if(past.begin(), past.end(), [&](const PastRound& each) { return each.round == round; });
  return found == past.end() ? nullptr : &*found;
}

std::string TargetText(const std::string& card_kind, const v1::Target& target) {
  std::string text = absl::StrCat("card kind ", card_kind, "\n");
  if (!target.architecture().empty()) absl::StrAppend(&text, "architecture ", target.architecture(), "\n");
  if (!target.soc().empty()) absl::StrAppend(&text, "processor ", target.soc(), "\n");
  if (!target.toolchain().empty()) absl::StrAppend(&text, "compiler ", target.toolchain(), "\n");
  return text;
}

std::string CodeText(const PastRound& round) {
  std::string text = absl::StrCat("round ", round.round);
  if (round.report.latency_us() > 0) absl::StrAppendFormat(&text, ", %.3f us", round.report.latency_us());
  absl::StrAppend(&text, "\n", CandidateText(round.candidate), "\n");
  return text;
}

std::string OverviewLine(const PastRound& round, const v1::TaskSpec& task) {
  std::string line = absl::StrCat("round ", round.round);
  if (round.start_round > 0) absl::StrAppend(&line, " from ", round.start_round);
  if (!round.proposal.thought().title().empty()) absl::StrAppend(&line, ", ", round.proposal.thought().title());
  absl::StrAppend(&line, ": ");
  if (!round.proposal.error().empty()) {
    absl::StrAppend(&line, "no candidate: ", round.proposal.error());
  } else if (round.report.status() == v1::PASSED && round.report.latency_us() > 0) {
    absl::StrAppendFormat(&line, "correct, %.3f us", round.report.latency_us());
  } else {
    absl::StrAppend(&line, FeedbackLine(round.report, task));
  }
  return absl::StrCat(line, "\n");
}

std::string FeedbackBlock(const std::vector<PastRound>& past, const v1::TaskSpec& task) {
  if (past.empty()) return "";
  const PastRound& latest = past.back();
  std::string text = absl::StrCat("Latest attempt, round ", latest.round, ":\n");
  if (latest.proposal.error().empty()) {
    absl::StrAppend(&text, FeedbackText(latest.report, task));
  } else {
    absl::StrAppend(&text, "no candidate: ", latest.proposal.error(), "\n");
  }
  if (past.size() > 1) absl::StrAppend(&text, "\nAll attempts:\n");
  for (size_t i = past.size() > kOverviewRounds ? past.size() - kOverviewRounds : 0; past.size() > 1 && i < past.size();
       ++i) {
    absl::StrAppend(&text, OverviewLine(past[i], task));
  }
  return text;
}

std::string Latest(const std::vector<PastRound>& past, const v1::TaskSpec& task) {
  if (past.empty()) return "";
  std::string error = LatestError(past.back().report, task);
  return error.empty() ? past.back().proposal.thought().bottleneck() : error;
}

// The catalog reads structured cases of the operator's family and no prose, and has the code of earlier rounds as it
// is. Those of its own job it has in the history, measured against each other; their places go to what other jobs
// taught.
void NarrowForCatalog(const JobHistory& history, v1::AssembleContextRequest& request) {
  request.mutable_filter()->add_kinds(v1::CASE);
  request.mutable_filter()->add_families(history.task->family());
  request.mutable_filter()->add_excluded_sessions(history.job_id);
  if (request.policy().pool() == 0) request.mutable_policy()->set_pool(kCatalogPool);
}

}  // namespace

v1::AssembleContextRequest BuildContextRequest(const JobHistory& history, const RoundState& round,
                                               const std::vector<PastRound>& past, const v1::Target& target,
                                               const PromptLimits& limits, const std::string& producer) {
  const v1::TaskSpec& task = *history.task;
  v1::AssembleContextRequest request;
  request.set_producer(producer);
  request.set_attempt_id(round.started.attempt_id());
  AddBlock("specification", SpecificationText(task, history.spec.card_kind()), true, request);
  AddBlock("target", TargetText(history.spec.card_kind(), target), false, request);
  const bool chat = history.spec.proposer().has_chat();
  const PastRound* start = Find(past, round.started.start_round());
  if (start != nullptr && chat) {
    AddBlock(start->round == history.incumbent_round ? "incumbent" : "start code", CodeText(*start), false, request);
  }
  AddBlock("feedback", FeedbackBlock(past, task), false, request);
  request.mutable_budget()->set_window(limits.window);
  request.mutable_budget()->set_system(SystemTokens(history.spec.card_kind()));
  request.mutable_budget()->set_generation(limits.generation);
  request.set_query(QueryText(task, Latest(past, task)));
  *request.mutable_policy() = history.spec.policy();
  if (chat && history.spec.card_kind() == "ascend") request.set_api_bundle(kAscendApis);
  if (!chat) NarrowForCatalog(history, request);
  *request.mutable_target() = target;
  request.set_operator_name(task.operator_name());
  request.set_family(task.family());
  request.set_stage(round.started.stage());
  request.set_session(history.job_id);
  if (const RoundState* begun = history.round(round.started.start_round())) {
    request.set_start_attempt_id(begun->started.attempt_id());
  }
  if (history.budget.rounds() > 0) {
    request.set_progress(std::min(1.0, static_cast<double>(round.number() - 1) / history.budget.rounds()));
  }
  if (!past.empty()) request.set_bottleneck(past.back().proposal.thought().bottleneck());
  return request;
}

v1::Target LatestTarget(const std::vector<PastRound>& past) {
  for (auto round = past.rbegin(); round != past.rend(); ++round) {
    if (round->report.environment().has_target()) return round->report.environment().target();
  }
  return {};
}

}  // namespace kernelsmith::server
