#include "server/model/attempt.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/model/api_key.h"
#include "server/model/clip_utf8.h"
#include "server/model/completion_fields.h"
#include "server/model/completion_stream.h"
#include "server/model/json_fields.h"

namespace kernelsmith::server {
namespace {

constexpr size_t kErrorBodyBytes = 4096;
constexpr size_t kExcerptBytes = 300;
constexpr size_t kMessageBytes = 600;

// What the server says about its refusal: the message of its error object, or the first bytes.
std::string Explanation(absl::string_view body) {
  if (body.empty()) return "no explanation";
  if (const auto json = ParseJson(body, "body"); json.ok()) {
    const nlohmann::json& error = Member(*json, "error");
    for (const std::string& message :
         {StringMember(error, "message"), StringMember(*json, "message"), StringMember(*json, "detail"),
          error.is_string() ? error.get<std::string>() : std::string()}) {
      if (!message.empty()) return absl::Utf8SafeCHexEscape(ClipUtf8(message, kExcerptBytes));
    }
  }
  return absl::CHexEscape(body.substr(0, kExcerptBytes));
}

std::string Advice(int status) {
  switch (status) {
    case 401:
    case 403:
      return "; check the endpoint's api_key_file or api_key_env";
    case 404:
      return "; check the endpoint's base_url and the model's name";
    case 400:
    case 413:
    case 422:
      return "; check the model's name, context_window and max_completion_tokens";
    default:
      return status < 400 ? "; set the endpoint's base_url to the final address" : "";
  }
}

}  // namespace

Attempt JudgeStatus(const HttpHead& head, absl::string_view body) {
  Attempt attempt;
  attempt.headers = head.headers;
  attempt.retryable = IsRetryableReply(head.status, head.headers);
  attempt.outcome = attempt.retryable ? "overloaded" : "rejected";
  const std::string message =
      absl::StrCat("HTTP ", head.status, ": ", Explanation(body), attempt.retryable ? "" : Advice(head.status));
  attempt.status = attempt.retryable || head.status >= 500 ? absl::UnavailableError(message)
                                                           : absl::FailedPreconditionError(message);
  return attempt;
}

Attempt JudgeBreak(const HttpResult& result, const absl::Status& stream) {
  Attempt attempt;
  attempt.headers = result.head.headers;
  attempt.maybe_billed = result.sent;
  attempt.status = absl::UnavailableError(result.detail);
  switch (result.end) {
    case HttpEnd::kNoConnection:
      attempt.outcome = "no_connection";
      attempt.retryable = true;
      return attempt;
    case HttpEnd::kUntrusted:
      attempt.outcome = "rejected";
      attempt.status = absl::FailedPreconditionError(result.detail);
      return attempt;
    case HttpEnd::kNoAnswer:
      attempt.outcome = "no_answer";
      attempt.retryable = true;
      return attempt;
    case HttpEnd::kFirstByteTimeout:
    case HttpEnd::kIdleTimeout:
    case HttpEnd::kTotalTimeout:
      attempt.outcome = "timeout";
      attempt.retryable = !result.answered;
      return attempt;
    case HttpEnd::kCancelled:
      attempt.outcome = "cancelled";
      attempt.status = absl::CancelledError(result.detail);
      return attempt;
    case HttpEnd::kCut:
      attempt.outcome = "cut";
      attempt.status = absl::UnavailableError(absl::StrCat("the reply was cut: ", result.detail));
      return attempt;
    case HttpEnd::kComplete:
    case HttpEnd::kStopped:
      break;
  }
  attempt.status = absl::UnavailableError(stream.message());
  attempt.outcome = absl::IsResourceExhausted(stream) ? "too_long" : absl::IsDataLoss(stream) ? "cut" : "malformed";
  return attempt;
}

Attempt AskOnce(const HttpRequest& request, const HttpLimits& limits, size_t max_reply_bytes, absl::string_view api_key,
                const CancelCheck& cancelled) {
  CompletionStream stream(max_reply_bytes);
  absl::Status stream_status;
  std::string error_body;
  const HttpResult result = PostOnce(
      request, limits,
      [&](const HttpHead& head, absl::string_view bytes) {
        if (head.status != 200) {
          absl::StrAppend(&error_body, bytes.substr(0, kErrorBodyBytes - error_body.size()));
          return error_body.size() < kErrorBodyBytes;
        }
        stream_status = stream.Feed(bytes);
        return stream_status.ok() && !stream.done();
      },
      cancelled);
  Attempt attempt;
  const bool whole = result.end == HttpEnd::kComplete || result.end == HttpEnd::kStopped;
  if (result.head.status != 0 && result.head.status != 200 && result.end != HttpEnd::kCancelled) {
    attempt = JudgeStatus(result.head, common::WithoutKey(error_body, api_key));
  } else {
    absl::StatusOr<ChatReply> reply = stream_status.ok() ? stream.Finish() : stream_status;
    // A transfer that ends badly after the finish_reason has lost nothing.
    if (reply.ok() && (whole || !reply->finish_reason.empty())) {
      attempt.outcome = "ok";
      attempt.reply = *std::move(reply);
      attempt.headers = result.head.headers;
    } else {
      attempt = JudgeBreak(result, reply.status());
    }
  }
  if (!attempt.status.ok()) {
    const std::string message = common::WithoutKey(attempt.status.message(), api_key);
    attempt.status = absl::Status(attempt.status.code(), ClipUtf8(message, kMessageBytes));
  }
  return attempt;
}

}  // namespace kernelsmith::server
