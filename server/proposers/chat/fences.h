// Fenced code blocks of a Markdown text (CommonMark 0.31, section 4.5, as far as replies need it). Pure.
//
//   FindFences("```cpp kernel.cpp\nint x;\n```\n").blocks   // {language "cpp", name "kernel.cpp", content "int x;\n"}
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::server {

struct FencedBlock {
  std::string language;  // lower case; empty if none
  std::string name;      // file name: from the opening line, or from a first line "// file: NAME"; empty if none
  std::string content;
  int line = 0;  // of the opening fence, from 1

  friend bool operator==(const FencedBlock&, const FencedBlock&) = default;
};

struct Fences {
  std::vector<FencedBlock> blocks;
  int unclosed_line = 0;  // opening line of a block that the text's end leaves open, which is not in `blocks`; else 0
};

Fences FindFences(absl::string_view text);

}  // namespace kernelsmith::server
