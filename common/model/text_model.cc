#include "common/model/text_model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "common/model/api_key.h"
#include "common/model/http_post.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

constexpr int kDefaultCompletionTokens = 1024;
constexpr absl::Duration kDefaultTimeout = absl::Seconds(60);
constexpr size_t kLongestReply = size_t{4} << 20;
constexpr size_t kShownOfReply = 200;
constexpr int kTimedOut = 408;
constexpr int kOverloaded = 429;

// Empty unless a string.
std::string StringAt(const nlohmann::json& body, const char* pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!body.contains(place) || !body.at(place).is_string()) return "";
  return body.at(place).get<std::string>();
}

std::string Shown(const std::string& reply, const std::string& key) {
  return WithoutKey(reply.substr(0, kShownOfReply), key);
}

std::string RequestBody(const config::v1::ModelEndpoint& endpoint, absl::string_view instructions,
                        absl::string_view material) {
  const nlohmann::ordered_json body = {
      {"model", endpoint.model()},
      {"messages",
       {{{"role", "system"}, {"content", std::string(instructions)}},
        {{"role", "user"}, {"content", std::string(material)}}}},
      {"temperature", 0},
      {"max_completion_tokens",
       endpoint.max_completion_tokens() > 0 ? endpoint.max_completion_tokens() : kDefaultCompletionTokens}};
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TextModel>> TextModel::Create(const config::v1::ModelEndpoint& endpoint) {
  if (!absl::StartsWith(endpoint.base_url(), "http://") && !absl::StartsWith(endpoint.base_url(), "https://")) {
    return InvalidField("base_url",
                        "does not begin with http:// or https://; give for example \"http://127.0.0.1:8000/v1\"");
  }
  if (endpoint.model().empty()) return InvalidField("model", "is empty; name the model that the server serves");
  if (!std::isfinite(endpoint.total_timeout_s()) || endpoint.total_timeout_s() < 0) {
    return InvalidField("total_timeout_s", "is not a number from 0");
  }
  RETURN_IF_ERROR(LoadApiKey(endpoint).status());
  return std::unique_ptr<TextModel>(new TextModel(endpoint));
}

absl::StatusOr<std::string> TextModel::Write(absl::string_view instructions, absl::string_view material,
                                             const std::function<bool()>& cancelled) const {
  ASSIGN_OR_RETURN(const std::string key, LoadApiKey(endpoint_));
  PostRequest request{
      .url = absl::StrCat(absl::StripSuffix(endpoint_.base_url(), "/"), "/chat/completions"),
      .headers = {"Content-Type: application/json"},
      .body = RequestBody(endpoint_, instructions, material),
      .timeout = endpoint_.total_timeout_s() > 0 ? absl::Seconds(endpoint_.total_timeout_s()) : kDefaultTimeout,
      .longest_reply = kLongestReply,
      .cancelled = cancelled};
  if (!key.empty()) request.headers.push_back(absl::StrCat("Authorization: Bearer ", key));
  const absl::StatusOr<PostReply> reply = Post(request);
  const std::string who = absl::StrCat("the model '", endpoint_.model(), "' at ", endpoint_.base_url());
  if (absl::IsCancelled(reply.status())) return reply.status();
  if (!reply.ok()) return absl::UnavailableError(absl::StrCat(who, ": ", reply.status().message()));
  const bool refused =
      reply->status >= 300 && reply->status < 500 && reply->status != kTimedOut && reply->status != kOverloaded;
  if (refused) {
    return absl::FailedPreconditionError(
        absl::StrCat(who, " refuses with HTTP ", reply->status, ": ", Shown(reply->body, key)));
  }
  if (reply->status != 200) {
    return absl::UnavailableError(
        absl::StrCat(who, " answers with HTTP ", reply->status, ": ", Shown(reply->body, key)));
  }
  absl::StatusOr<std::string> text = TextOfCompletion(reply->body);
  if (!text.ok()) return absl::UnavailableError(absl::StrCat(who, ": ", WithoutKey(text.status().message(), key)));
  return text;
}

absl::StatusOr<std::string> TextOfCompletion(absl::string_view body) {
  const nlohmann::json json = nlohmann::json::parse(body.begin(), body.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::UnavailableError(absl::StrCat("the reply is no JSON object: ", body.substr(0, kShownOfReply)));
  }
  if (StringAt(json, "/choices/0/finish_reason") == "length") {
    return absl::UnavailableError("the answer was cut at max_completion_tokens; allow more of them");
  }
  const std::string content = StringAt(json, "/choices/0/message/content");
  absl::string_view text = content;
  const size_t thought = text.rfind("</think>");
  if (thought != absl::string_view::npos) text.remove_prefix(thought + absl::string_view("</think>").size());
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return absl::UnavailableError("the answer is empty");
  return std::string(text);
}

}  // namespace kernelsmith::common
