// Asks a chat model for one text, for example a rule or an insight in words, where a template would do without one.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<TextModel> model, TextModel::Create(endpoint));
//   ASSIGN_OR_RETURN(const std::string text, model->Write("Write one rule.", evidence));
//
// One request to POST <base_url>/chat/completions, not streamed and not repeated: whoever asks has a text to fall back
// to, and decides when to ask again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

// Thread-safe.
class TextModel {
 public:
  // Of the endpoint base_url, model, key, max_completion_tokens (1024 unless set) and total_timeout_s (60 unless set)
  // count. INVALID_ARGUMENT names the field; FAILED_PRECONDITION as LoadApiKey.
  static absl::StatusOr<std::unique_ptr<TextModel>> Create(const config::v1::ModelEndpoint& endpoint);

  // The model's answer to `material` under `instructions`, without what it thought aloud (<think>...</think>) and
  // without white space around it. UNAVAILABLE: no answer, an error of the server, an empty answer or one that was cut
  // at the token limit. FAILED_PRECONDITION: the server refuses (4xx other than 408 and 429). CANCELLED: `cancelled`
  // said so. No message holds the key.
  absl::StatusOr<std::string> Write(absl::string_view instructions, absl::string_view material,
                                    const std::function<bool()>& cancelled = {}) const;

  // As configured, for the author of the text.
  const std::string& model() const { return endpoint_.model(); }

 private:
  explicit TextModel(config::v1::ModelEndpoint endpoint) : endpoint_(std::move(endpoint)) {}

  const config::v1::ModelEndpoint endpoint_;
};

// The text of a chat completion that is not streamed, as Write returns it. UNAVAILABLE as there. Pure.
absl::StatusOr<std::string> TextOfCompletion(absl::string_view body);

}  // namespace kernelsmith::common
