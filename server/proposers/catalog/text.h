// Lines of a candidate with indentation by two spaces a level.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {

class Text {
 public:
  // One line at the current level.
  template <typename... Parts>
  void Line(const Parts&... parts) {
    text_.append(2 * level_, ' ');
    absl::StrAppend(&text_, parts..., "\n");
  }
  // A line that opens a block, and the one that closes it.
  template <typename... Parts>
  void Open(const Parts&... parts) {
    Line(parts...);
    ++level_;
  }
  void Close(const std::string& line = "}") {
    --level_;
    Line(line);
  }
  // Without indentation: preprocessor lines and prepared blocks.
  void Raw(const std::string& text) { text_ += text; }

  const std::string& str() const { return text_; }

 private:
  std::string text_;
  size_t level_ = 0;
};

}  // namespace kernelsmith::server
