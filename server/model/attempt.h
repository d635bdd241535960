// One request of a model call and what it means. The rules are pure; AskOnce does the transfer.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/model/chat_completion.h"
#include "server/model/http_post.h"

namespace kernelsmith::server {

struct Attempt {
  absl::Status status;
  std::string outcome;        // as ModelCallLedger.outcome
  bool retryable = false;     // another request may do better
  bool maybe_billed = false;  // the server may have worked on it
  HttpHeaders headers;
  ChatReply reply;  // if ok
};

// Sends `request` and reads the reply, streamed or not, of at most `max_reply_bytes`. `api_key` is what messages must
// not hold.
Attempt AskOnce(const HttpRequest& request, const HttpLimits& limits, size_t max_reply_bytes, absl::string_view api_key,
                const CancelCheck& cancelled);

// The verdict on a reply with a status other than 200. `body` is its first part.
Attempt JudgeStatus(const HttpHead& head, absl::string_view body);

// The verdict on a transfer that brought no whole reply. `stream` is what the reply's parser says.
Attempt JudgeBreak(const HttpResult& result, const absl::Status& stream);

}  // namespace kernelsmith::server
