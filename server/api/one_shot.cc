#include "server/api/one_shot.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "common/ids.h"
#include "common/status.h"
#include "server/synthesis/work_options.h"

namespace kernelsmith::server {
namespace {

// A final record needs inputs that no search round has seen.
uint64_t EpochFor(const OneShotContext& context, const v1::EvaluationOptions& options, const std::string& call_id) {
  if (!options.final()) return InputEpoch(context.now_unix_us);
  const std::string bytes = common::HmacSha256(context.input_secret, call_id);
  uint64_t epoch = 0;
  std::memcpy(&epoch, bytes.data(), sizeof epoch);
  return epoch;
}

absl::StatusOr<WorkResult> Run(const OneShotContext& context, WorkItem item) {
  item.team = context.team;
  return context.queue.Run(
      item, [&](const WorkNotice& notice) { context.tell(notice.text); }, context.cancelled);
}

absl::StatusOr<v1::TaskSpec> Inspect(const OneShotContext& context, const v1::TaskSource& task,
                                     const std::string& card_kind, const std::string& call_id) {
  WorkItem item;
  item.assignment_id = call_id + "/inspect";
  item.card_kind = card_kind;
  *item.work.mutable_inspect()->mutable_task() = task;
  ASSIGN_OR_RETURN(const WorkResult result, Run(context, std::move(item)));
  const v1::InspectResult& inspected = result.state.inspected();
  if (inspected.ok()) return inspected.spec();
  if (inspected.status() == v1::INVALID_TASK) {
    return common::BadState("TASK", task.kernelbench().file_name(), absl::StrCat("is not valid: ", inspected.error()));
  }
  return absl::UnavailableError(absl::StrCat("the task could not be inspected: ", inspected.error()));
}

absl::StatusOr<v1::EvaluateWork> PrepareWork(const OneShotContext& context, const v1::TaskSource& task,
                                             const v1::Candidate& candidate, const v1::EvaluationOptions& options,
                                             const std::string& card_kind, const std::string& call_id) {
  v1::EvaluateWork work;
  ASSIGN_OR_RETURN(*work.mutable_spec(), Inspect(context, task, card_kind, call_id));
  *work.mutable_task() = task;
  *work.mutable_candidate() = candidate;
  *work.mutable_options() = options;
  *work.mutable_options()->mutable_limits() = EffectiveLimits(options.limits(), context.limits);
  work.set_input_secret(context.input_secret);
  work.set_epoch(EpochFor(context, options, call_id));
  return work;
}

absl::StatusOr<v1::EvaluationReport> ReportOf(absl::StatusOr<WorkResult> result) {
  RETURN_IF_ERROR(result.status());
  if (result->state.has_report()) return std::move(*result->state.mutable_report());
  return absl::UnavailableError(absl::StrCat("no worker gave a report after ", result->failures, " failures"));
}

}  // namespace

absl::StatusOr<v1::EvaluationReport> EvaluateOnce(const OneShotContext& context, const v1::EvaluateRequest& request) {
  const std::string call_id = "evaluate-" + common::RandomId();
  WorkItem item;
  item.assignment_id = call_id + "/evaluate";
  item.card_kind = request.card_kind();
  ASSIGN_OR_RETURN(*item.work.mutable_evaluate(), PrepareWork(context, request.task(), request.candidate(),
                                                              request.options(), request.card_kind(), call_id));
  return ReportOf(Run(context, std::move(item)));
}

absl::StatusOr<v1::EvaluationReport> CompareOnce(const OneShotContext& context, const v1::CompareRequest& request) {
  const std::string call_id = "compare-" + common::RandomId();
  WorkItem item;
  item.assignment_id = call_id + "/compare";
  item.card_kind = request.card_kind();
  v1::CompareWork& compare = *item.work.mutable_compare();
  ASSIGN_OR_RETURN(*compare.mutable_a(),
                   PrepareWork(context, request.task(), request.a(), request.options(), request.card_kind(), call_id));
  *compare.mutable_b() = request.b();
  return ReportOf(Run(context, std::move(item)));
}

}  // namespace kernelsmith::server
