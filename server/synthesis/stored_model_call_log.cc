#include "server/synthesis/stored_model_call_log.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/ids.h"
#include "common/status.h"
#include "server/synthesis/job_log.h"

namespace kernelsmith::server {
namespace {

constexpr absl::string_view kBodyType = "application/json";

// What the log holds of one call.
struct Earlier {
  std::optional<v1::ModelCallIntended> intent;  // the newest
  std::optional<v1::ModelCallEnded> end;        // of that intent
};

Earlier Find(const std::vector<v1::JobEvent>& events, const ModelCallLog::Call& call) {
  Earlier earlier;
  for (const v1::JobEvent& event : events) {
    const auto& intended = event.model_call_intended();
    const auto& ended = event.model_call_ended();
    // A round that was abandoned and started anew asks anew.
    if (event.has_round_started() && event.round_started().round() == call.round) earlier = {};
    if (event.has_model_call_intended() && intended.round() == call.round && intended.call() == call.call) {
      earlier = {intended, std::nullopt};
    } else if (event.has_model_call_ended() && ended.round() == call.round && ended.call() == call.call) {
      earlier.end = ended;
    }
  }
  return earlier;
}

absl::Status CheckBudget(const JobHistory& history, double reserved_money) {
  const v1::Budget& budget = history.budget;
  if (budget.tokens() > 0 && history.tokens_used >= budget.tokens()) {
    return absl::OutOfRangeError(absl::StrCat("the budget of ", budget.tokens(), " tokens is used up"));
  }
  // An intent in doubt may have been charged.
  const double spent = history.money_used + history.money_in_flight;
  if (budget.money() > 0 && spent + reserved_money > budget.money()) {
    return absl::OutOfRangeError(
        absl::StrFormat("the next model call may cost %g, and of the budget of %g only %g is left", reserved_money,
                        budget.money(), budget.money() - spent));
  }
  return absl::OkStatus();
}

std::string BodyName(absl::string_view what, const ModelCallLog::Call& call) {
  return absl::StrCat(what, "-", call.round, "-", call.call, ".json");
}

}  // namespace

absl::StatusOr<ModelCallLog::Intent> StoredModelCallLog::Begin(const Call& call, absl::string_view request_body,
                                                               double reserved_money) {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store_, call.job_id));
  const Earlier earlier = Find(events, call);
  Intent intent;
  if (earlier.end && earlier.end->error().empty()) {
    intent.intent_id = earlier.end->intent_id();
    ASSIGN_OR_RETURN(std::string reply, store_.content().Get(earlier.end->reply().digest()));
    intent.finished = Finished{*earlier.end, earlier.intent->request(), std::move(reply)};
    return intent;
  }
  ASSIGN_OR_RETURN(const JobHistory history, FoldAll(events));
  RETURN_IF_ERROR(CheckBudget(history, reserved_money));
  intent.repeats_in_doubt = earlier.intent && !earlier.end;
  intent.intent_id = intent.repeats_in_doubt ? earlier.intent->intent_id() : common::RandomId();

  v1::JobEvent event;
  v1::ModelCallIntended& intended = *event.mutable_model_call_intended();
  intended.set_round(call.round);
  intended.set_call(call.call);
  intended.set_intent_id(intent.intent_id);
  intended.set_repeats_in_doubt(intent.repeats_in_doubt);
  intended.set_reserved_money(reserved_money);
  ASSIGN_OR_RETURN(*intended.mutable_request(),
                   store_.content().Put(request_body, BodyName("prompt", call), kBodyType));
  RETURN_IF_ERROR(store_.Append(call.job_id, event).status());
  if (intent.repeats_in_doubt) metrics_.ModelCallInDoubt();
  return intent;
}

absl::StatusOr<ModelCallLog::Finished> StoredModelCallLog::End(const Call& call, const std::string& intent_id,
                                                               v1::ModelCallEnded outcome,
                                                               absl::string_view reply_body) {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store_, call.job_id));
  const Earlier earlier = Find(events, call);
  if (!earlier.intent || earlier.intent->intent_id() != intent_id || earlier.end) {
    return absl::InternalError(absl::StrCat("model call ", call.call, " of round ", call.round, " of job ", call.job_id,
                                            " ends without an open intent ", intent_id));
  }
  outcome.set_round(call.round);
  outcome.set_call(call.call);
  outcome.set_intent_id(intent_id);
  if (outcome.error().empty()) {
    ASSIGN_OR_RETURN(*outcome.mutable_reply(), store_.content().Put(reply_body, BodyName("reply", call), kBodyType));
  }
  v1::JobEvent event;
  *event.mutable_model_call_ended() = outcome;
  RETURN_IF_ERROR(store_.Append(call.job_id, event).status());
  metrics_.ModelCallEnded(outcome);
  return Finished{outcome, earlier.intent->request(), std::string(reply_body)};
}

}  // namespace kernelsmith::server
