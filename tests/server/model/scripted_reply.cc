#include <regex>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status.h"
#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::server {
namespace {

using nlohmann::json;

constexpr size_t kTokenBytes = 24;  // of text per streamed event

std::string Dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// `text` in pieces that split no UTF-8 character.
std::vector<std::string> Tokens(const std::string& text) {
  std::vector<std::string> tokens;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(begin + kTokenBytes, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    tokens.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return tokens;
}

std::vector<std::string> InPieces(const std::vector<std::string>& pieces, size_t bytes) {
  if (bytes == 0) return pieces;
  std::string whole;
  for (const std::string& piece : pieces) whole += piece;
  std::vector<std::string> result;
  for (size_t begin = 0; begin < whole.size(); begin += bytes) result.push_back(whole.substr(begin, bytes));
  return result;
}

json AdoptionRecords(const std::string& prompt, const char* state) {
  static const std::regex kItem("<ks-item id=\"([^\"]+)\"");
  json records = json::array();
  std::set<std::string> seen;
  for (std::sregex_iterator it(prompt.begin(), prompt.end(), kItem), end; it != end; ++it) {
    if (!seen.insert((*it)[1]).second) continue;
    records.push_back({{"item_id", (*it)[1].str()}, {"state", state}, {"reason", "as the script says"}});
  }
  return records;
}

absl::StatusOr<Fault> FaultFromName(const std::string& name) {
  if (name.empty()) return Fault::kNone;
  if (name == "hold_first_byte") return Fault::kHoldFirstByte;
  if (name == "hold_stream") return Fault::kHoldStream;
  if (name == "cut_stream") return Fault::kCutStream;
  return absl::InvalidArgumentError(
      absl::StrCat("fault '", name, "' is none of hold_first_byte, hold_stream, cut_stream"));
}

absl::StatusOr<ScriptedReply> ReplyFromJson(const json& object) {
  ScriptedReply reply;
  reply.status = object.value("status", 200);
  reply.text = object.value("text", "");
  reply.done_line = object.value("done_line", true);
  reply.piece_bytes = object.value("piece_bytes", size_t{0});
  reply.headers = object.value("headers", std::map<std::string, std::string>());
  if (object.contains("stream")) reply.stream = object["stream"].get<bool>();
  if (object.contains("body")) reply.body = object["body"].get<std::string>();
  if (object.contains("finish_reason")) {
    reply.finish_reason.reset();
    if (!object["finish_reason"].is_null()) reply.finish_reason = object["finish_reason"].get<std::string>();
  }
  if (object.contains("usage")) {
    reply.usage.reset();
    if (!object["usage"].is_null()) reply.usage = object["usage"];
  }
  ASSIGN_OR_RETURN(reply.fault, FaultFromName(object.value("fault", "")));
  return reply;
}

}  // namespace

absl::StatusOr<ModelScript> ModelScriptFromJson(absl::string_view text) {
  try {
    const json script = json::parse(text.begin(), text.end());
    ModelScript result{.repeat_last = script.value("repeat_last", false),
                       .same_reply_for_same_key = script.value("same_reply_for_same_key", false)};
    for (const json& object : script.at("replies")) {
      ASSIGN_OR_RETURN(ScriptedReply reply, ReplyFromJson(object));
      result.replies.push_back(std::move(reply));
    }
    return result;
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("the model script: ", error.what()));
  }
}

std::string WithAdoption(std::string text, const std::string& prompt) {
  return absl::StrReplaceAll(text, {{"{{adopted}}", Dump(AdoptionRecords(prompt, "ADOPTED"))},
                                    {"{{not_adopted}}", Dump(AdoptionRecords(prompt, "NOT_ADOPTED"))}});
}

std::vector<std::string> WirePieces(const ScriptedReply& reply, bool stream, const std::string& text) {
  if (reply.body.has_value()) return InPieces({*reply.body}, reply.piece_bytes);
  if (reply.status != 200) {
    return {Dump({{"error", {{"message", text.empty() ? "scripted failure" : text}, {"type", "scripted"}}}})};
  }
  const json finish = reply.finish_reason.has_value() ? json(*reply.finish_reason) : json();
  json base = {{"id", "scripted-1"}, {"model", "scripted-model"}};
  if (!stream) {
    base["object"] = "chat.completion";
    base["choices"] = json::array(
        {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", finish}}});
    if (reply.usage.has_value()) base["usage"] = *reply.usage;
    return InPieces({Dump(base)}, reply.piece_bytes);
  }
  base["object"] = "chat.completion.chunk";
  std::vector<std::string> events;
  auto add = [&](const json& choices, const json& usage) {
    json event = base;
    event["choices"] = choices;
    if (!usage.is_null()) event["usage"] = usage;
    events.push_back(absl::StrCat("data: ", Dump(event), "\n\n"));
  };
  auto choice = [](const json& delta, const json& reason) {
    return json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", reason}}});
  };
  add(choice({{"role", "assistant"}, {"content", ""}}, nullptr), nullptr);
  for (const std::string& token : Tokens(text)) add(choice({{"content", token}}, nullptr), nullptr);
  if (!finish.is_null()) add(choice(json::object(), finish), nullptr);
  if (reply.usage.has_value()) add(json::array(), *reply.usage);
  if (reply.done_line) events.push_back("data: [DONE]\n\n");
  return InPieces(events, reply.piece_bytes);
}

}  // namespace kernelsmith::server
