// A reply from the bytes of its HTTP body: server-sent chunks, or one JSON object if the server does not stream. The
// first byte that is no white space decides. Pure.
//
//   CompletionStream stream(16 << 20);
//   RETURN_IF_ERROR(stream.Feed(bytes));            // as often as bytes arrive; stop once stream.done()
//   ASSIGN_OR_RETURN(ChatReply reply, stream.Finish());
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/model/chat_completion.h"
#include "server/model/sse_parser.h"

namespace kernelsmith::server {

class CompletionStream {
 public:
  explicit CompletionStream(size_t max_bytes) : max_bytes_(max_bytes), parser_(max_bytes) {}

  // RESOURCE_EXHAUSTED: the body is longer than `max_bytes`. INVALID_ARGUMENT: an event is not JSON (with its number
  // and the offset in it). UNAVAILABLE: the server reports an error inside the stream.
  absl::Status Feed(absl::string_view bytes);

  // [DONE] was seen: nothing of interest follows.
  bool done() const { return done_; }

  // The reply after the last byte. DATA_LOSS: the stream was cut (neither a finish_reason nor [DONE]).
  // INVALID_ARGUMENT: the body is neither a stream nor a chat completion.
  absl::StatusOr<ChatReply> Finish() const;

 private:
  absl::Status OnEvent(absl::string_view data);

  enum class Form { kUnknown, kWhole, kEvents };

  const size_t max_bytes_;
  size_t bytes_ = 0;
  Form form_ = Form::kUnknown;
  std::string whole_;
  SseParser parser_;
  int events_ = 0;
  bool done_ = false;
  ChatReply reply_;
};

}  // namespace kernelsmith::server
