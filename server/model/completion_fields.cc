#include "server/model/completion_fields.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/model/json_fields.h"

namespace kernelsmith::server {

absl::Status ErrorObject(const nlohmann::json& body) {
  const nlohmann::json& error = Member(body, "error");
  if (error.is_null()) return absl::OkStatus();
  std::string message = error.is_string() ? error.get<std::string>() : StringMember(error, "message");
  if (message.empty()) message = "no message";
  return absl::UnavailableError(absl::StrCat("the model server reports an error: ", absl::Utf8SafeCHexEscape(message)));
}

std::optional<TokenUsage> UsageOf(const nlohmann::json& body) {
  const nlohmann::json& usage = Member(body, "usage");
  if (!Member(usage, "prompt_tokens").is_number_unsigned() &&
      !Member(usage, "completion_tokens").is_number_unsigned()) {
    return std::nullopt;
  }
  return TokenUsage{.prompt = CountMember(usage, "prompt_tokens"),
                    .completion = CountMember(usage, "completion_tokens"),
                    .cached = CountMember(Member(usage, "prompt_tokens_details"), "cached_tokens")};
}

}  // namespace kernelsmith::server
