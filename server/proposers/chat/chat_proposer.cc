#include "server/proposers/chat/chat_proposer.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/logging.h"
#include "common/status.h"
#include "server/model/clip_utf8.h"
#include "server/model/json_fields.h"
#include "server/proposers/chat/prompt.h"
#include "server/proposers/chat/reply.h"

namespace kernelsmith::server {
namespace {

constexpr int kTurns = 2;  // the second is the repair
constexpr size_t kMaxModelNameBytes = 200;
constexpr char kNoValidReply[] = "no valid reply";

CallSettings SettingsOf(const v1::ChatProposer& spec) {
  return {
      .model = spec.model(), .temperature = spec.temperature(), .max_completion_tokens = spec.max_completion_tokens()};
}

v1::Author AuthorOf(const ModelClient& client, const CallSettings& settings) {
  const Endpoint& endpoint = client.endpoint();
  v1::Author author;
  author.set_kind("chat");
  author.set_model(settings.model.empty() ? endpoint.model : settings.model);
  nlohmann::ordered_json json;
  json["endpoint"] = endpoint.name;
  json["temperature"] = settings.temperature;
  json["max_completion_tokens"] =
      settings.max_completion_tokens > 0 ? settings.max_completion_tokens : endpoint.max_completion_tokens;
  author.set_settings(JsonText(json));
  return author;
}

v1::ModelCallEnded EventOf(const ModelCallResult& result) {
  v1::ModelCallEnded event;
  const ModelCallLedger& ledger = result.ledger;
  if (!result.status.ok()) event.set_error(std::string(result.status.message()));
  event.set_prompt_tokens(ledger.usage.prompt);
  event.set_completion_tokens(ledger.usage.completion);
  event.set_cached_tokens(ledger.usage.cached);
  event.set_money(ledger.money);
  event.set_begin_unix_us(absl::ToUnixMicros(ledger.begin));
  event.set_end_unix_us(absl::ToUnixMicros(ledger.end));
  event.set_http_attempts(ledger.http_attempts);
  return event;
}

// The reply of one call: from disk if it is there, else from the model.
absl::StatusOr<ModelCallLog::Finished> Ask(ModelClient& client, const PreparedCall& prepared,
                                           const ModelCallLog::Call& call, ModelCallLog& log) {
  ASSIGN_OR_RETURN(const ModelCallLog::Intent intent, log.Begin(call, prepared.body, prepared.reserved_money));
  if (intent.finished.has_value()) return *intent.finished;
  if (intent.repeats_in_doubt) {
    common::LogWarning("model.call_in_doubt", {{"job", call.job_id},
                                               {"round", absl::StrCat(call.round)},
                                               {"call", absl::StrCat(call.call)},
                                               {"intent", intent.intent_id}});
  }
  const ModelCallResult result =
      client.Ask(prepared, intent.intent_id, [&log, &call] { return log.ShouldStop(call.job_id); });
  if (absl::IsCancelled(result.status)) return result.status;
  ASSIGN_OR_RETURN(ModelCallLog::Finished finished,
                   log.End(call, intent.intent_id, EventOf(result), result.reply_body));
  RETURN_IF_ERROR(result.status);
  return finished;
}

void AddCall(const ModelCallLog::Finished& finished, v1::Proposal& proposal) {
  proposal.set_prompt_tokens(proposal.prompt_tokens() + finished.event.prompt_tokens());
  proposal.set_completion_tokens(proposal.completion_tokens() + finished.event.completion_tokens());
  proposal.set_money(proposal.money() + finished.event.money());
  *proposal.add_transcripts() = finished.request;
  *proposal.add_transcripts() = finished.event.reply();
}

void SetAccount(const Account& account, v1::Proposal& proposal) {
  *proposal.mutable_thought() = account.thought;
  proposal.set_hypothesis(account.hypothesis);
  proposal.set_rationale(account.rationale);
  proposal.clear_adoption();
  for (const v1::AdoptionRecord& record : account.adoption) *proposal.add_adoption() = record;
}

// One record for every item, so that memory can be told.
void CompleteAdoption(const std::vector<std::string>& item_ids, v1::Proposal& proposal) {
  std::set<std::string> recorded;
  for (const v1::AdoptionRecord& record : proposal.adoption()) recorded.insert(record.item_id());
  for (const std::string& id : item_ids) {
    if (!recorded.insert(id).second) continue;
    v1::AdoptionRecord& record = *proposal.add_adoption();
    record.set_item_id(id);
    record.set_state(v1::NOT_ADOPTED);
    record.set_reason(kNoValidReply);
  }
}

class ChatModelProposer : public Proposer {
 public:
  explicit ChatModelProposer(const ChatDependencies& dependencies) : dependencies_(dependencies) {}

  absl::StatusOr<ProposalResult> Propose(const ProposalRequest& request) override {
    const v1::ChatProposer& spec = request.spec.proposer().chat();
    ASSIGN_OR_RETURN(ModelClient * client, dependencies_.endpoints.Find(spec.endpoint()));
    ASSIGN_OR_RETURN(const CandidateForm form, CandidateFormOf(request.card_kind));
    const CallSettings settings = SettingsOf(spec);
    std::vector<std::string> item_ids;
    for (const v1::RankedItem& item : request.context.items()) item_ids.push_back(item.item().id());

    ProposalResult result;
    *result.proposal.mutable_author() = AuthorOf(*client, settings);
    std::vector<ChatMessage> messages = RenderPrompt(request, form);
    for (int turn = 1;; ++turn) {
      ASSIGN_OR_RETURN(
          const ModelCallLog::Finished finished,
          Ask(*client, client->Prepare(messages, settings), {request.job_id, request.round, turn}, dependencies_.log));
      AddCall(finished, result.proposal);
      ASSIGN_OR_RETURN(const ChatReply reply, ParseCompletion(finished.reply));
      result.proposal.mutable_author()->set_version(std::string(ClipUtf8(reply.model, kMaxModelNameBytes)));
      ParsedReply parsed = ParseReply(reply.text, reply.finish_reason, item_ids, form);
      SetAccount(parsed.account, result.proposal);
      if (parsed.errors.empty()) {
        result.candidate = std::move(parsed.candidate);
        return result;
      }
      if (turn == kTurns) {
        result.proposal.set_error(absl::StrCat("the model's reply could not be used, nor could the repaired one: ",
                                               absl::StrJoin(parsed.errors, "; ")));
        CompleteAdoption(item_ids, result.proposal);
        return result;
      }
      messages = RenderRepair(std::move(messages), reply.text, parsed.errors);
    }
  }

 private:
  const ChatDependencies dependencies_;
};

}  // namespace

std::unique_ptr<Proposer> MakeChatProposer(const ChatDependencies& dependencies) {
  return std::make_unique<ChatModelProposer>(dependencies);
}

}  // namespace kernelsmith::server
