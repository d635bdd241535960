#include "server/model/completion_stream.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/model/completion_fields.h"
#include "server/model/json_fields.h"

namespace kernelsmith::server {

absl::Status CompletionStream::Feed(absl::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > max_bytes_) {
    return absl::ResourceExhaustedError(absl::StrCat("the reply is longer than the limit of ", max_bytes_, " bytes"));
  }
  if (form_ == Form::kUnknown) {
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
    if (text.empty()) return absl::OkStatus();
    form_ = text.front() == '{' ? Form::kWhole : Form::kEvents;
  }
  if (form_ == Form::kWhole) {
    whole_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status status;
  RETURN_IF_ERROR(parser_.Feed(bytes, [&](absl::string_view data) {
    if (status.ok() && !done_) status = OnEvent(data);
  }));
  return status;
}

absl::Status CompletionStream::OnEvent(absl::string_view data) {
  ++events_;
  if (absl::StripAsciiWhitespace(data) == "[DONE]") {
    done_ = true;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const nlohmann::json chunk, ParseJson(data, absl::StrCat("event ", events_, " of the reply")));
  RETURN_IF_ERROR(ErrorObject(chunk));
  if (reply_.id.empty()) reply_.id = StringMember(chunk, "id");
  if (reply_.model.empty()) reply_.model = StringMember(chunk, "model");
  if (auto usage = UsageOf(chunk)) reply_.usage = usage;
  const nlohmann::json& choice = Element(Member(chunk, "choices"), 0);
  reply_.text += StringMember(Member(choice, "delta"), "content");
  if (std::string reason = StringMember(choice, "finish_reason"); !reason.empty()) reply_.finish_reason = reason;
  return absl::OkStatus();
}

absl::StatusOr<ChatReply> CompletionStream::Finish() const {
  if (form_ == Form::kWhole) return ParseCompletion(whole_);
  if (done_ || !reply_.finish_reason.empty()) return reply_;
  if (form_ == Form::kEvents && events_ == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the reply's ", bytes_, " bytes are neither JSON nor a stream of events"));
  }
  return absl::DataLossError(absl::StrCat("the reply was cut after ", events_, " events and ", reply_.text.size(),
                                          " bytes of text: neither a finish_reason nor [DONE] came"));
}

}  // namespace kernelsmith::server
