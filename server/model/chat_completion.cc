#include "server/model/chat_completion.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/model/completion_fields.h"
#include "server/model/json_fields.h"

namespace kernelsmith::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

}  // namespace

std::string RequestBody(const ChatRequest& request) {
  ordered_json body;
  body["model"] = request.model;
  body["messages"] = ordered_json::array();
  for (const ChatMessage& message : request.messages) {
    body["messages"].push_back({{"role", message.role}, {"content", message.content}});
  }
  body["temperature"] = request.temperature;
  body["max_completion_tokens"] = request.max_completion_tokens;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  return JsonText(body);
}

std::string CompletionBody(const ChatReply& reply) {
  ordered_json body;
  body["id"] = reply.id;
  body["object"] = "chat.completion";
  body["model"] = reply.model;
  ordered_json choice = {{"index", 0}, {"message", {{"role", "assistant"}, {"content", reply.text}}}};
  choice["finish_reason"] = reply.finish_reason.empty() ? ordered_json() : ordered_json(reply.finish_reason);
  body["choices"] = ordered_json::array({choice});
  if (reply.usage.has_value()) {
    body["usage"] = {{"prompt_tokens", reply.usage->prompt},
                     {"completion_tokens", reply.usage->completion},
                     {"prompt_tokens_details", {{"cached_tokens", reply.usage->cached}}}};
  }
  return JsonText(body);
}

absl::StatusOr<ChatReply> ParseCompletion(absl::string_view body) {
  ASSIGN_OR_RETURN(const json completion, ParseJson(body, "the model server's reply"));
  RETURN_IF_ERROR(ErrorObject(completion));
  const json& choice = Element(Member(completion, "choices"), 0);
  const json& message = Member(choice, "message");
  if (!message.is_object()) {
    return absl::InvalidArgumentError("the model server's reply has no choices[0].message");
  }
  return ChatReply{.text = StringMember(message, "content"),
                   .finish_reason = StringMember(choice, "finish_reason"),
                   .model = StringMember(completion, "model"),
                   .id = StringMember(completion, "id"),
                   .usage = UsageOf(completion)};
}

}  // namespace kernelsmith::server
