// Server-sent events from bytes that arrive in arbitrary pieces (WHATWG HTML, section 9.2.6).
//
//   SseParser parser;
//   RETURN_IF_ERROR(parser.Feed(bytes, [&](absl::string_view data) { ... }));   // once per finished event
//
// Lines end with LF, CR or CRLF, also when the pair is split over two pieces; a leading byte order mark, comments and
// the fields event, id and retry are skipped. An event that the stream's end leaves unfinished is not delivered.
#pragma once

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::server {

class SseParser {
 public:
  // `max_event_bytes` bounds a line and the data of an event.
  explicit SseParser(size_t max_event_bytes = size_t{4} << 20) : max_event_bytes_(max_event_bytes) {}

  // Calls `on_data` for every event that these bytes finish. RESOURCE_EXHAUSTED if a line or event is too long; the
  // parser is of no use afterwards.
  absl::Status Feed(absl::string_view bytes, absl::FunctionRef<void(absl::string_view data)> on_data);

 private:
  void EndLine(absl::FunctionRef<void(absl::string_view data)> on_data);

  const size_t max_event_bytes_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;  // an event with empty data differs from no event
  bool after_cr_ = false;  // a LF now belongs to the CR before it
  bool first_line_ = true;
};

}  // namespace kernelsmith::server
