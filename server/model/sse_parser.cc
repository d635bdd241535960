#include "server/model/sse_parser.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace kernelsmith::server {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

}  // namespace

absl::Status SseParser::Feed(absl::string_view bytes, absl::FunctionRef<void(absl::string_view data)> on_data) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      after_cr_ = false;
      continue;
    }
    after_cr_ = false;
    const size_t end = bytes.find_first_of("\r\n");
    const absl::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() + data_.size() > max_event_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("an event of the stream is longer than ", max_event_bytes_, " bytes"));
    }
    line_.append(piece.data(), piece.size());
    if (end == absl::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    EndLine(on_data);
  }
  return absl::OkStatus();
}

void SseParser::EndLine(absl::FunctionRef<void(absl::string_view data)> on_data) {
  absl::string_view line = line_;
  if (first_line_) absl::ConsumePrefix(&line, kByteOrderMark);
  first_line_ = false;
  if (line.empty()) {
    if (has_data_) on_data(data_);
    data_.clear();
    has_data_ = false;
  } else {
    const size_t colon = line.find(':');
    absl::string_view value = colon == absl::string_view::npos ? absl::string_view() : line.substr(colon + 1);
    absl::ConsumePrefix(&value, " ");
    if (line.substr(0, colon) == "data") {
      if (has_data_) data_.push_back('\n');
      data_.append(value.data(), value.size());
      has_data_ = true;
    }
  }
  line_.clear();
}

}  // namespace kernelsmith::server
