// Markdown as a flat list of sections: each heading (# to ######, or underlined with = or -) with the text up to the
// next one. Code fences are respected: a line in one is never a heading.
//
//   for (const Section& section : ParseSections(text)) ... section.path.back(), section.body
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

struct Section {
  int level = 0;                  // 1 to 6; 0 for the text before the first heading
  std::vector<std::string> path;  // titles from the outermost heading to this one; empty at level 0
  std::string heading;            // the heading's line, as written, with its newline; empty at level 0
  std::string body;               // what follows, up to the next heading of any level
};

// In the order of the text; headings and bodies together are the text (with \r\n as \n, without a byte-order mark).
std::vector<Section> ParseSections(absl::string_view markdown);

// The index behind the last section below sections[index].
size_t EndOfSection(const std::vector<Section>& sections, size_t index);

// A body cut into blocks at blank lines, none of them inside a code fence or between lines of indented code. Together
// they are the body.
struct MarkdownBlock {
  std::string text;
  bool code = false;  // holds a fence or indented code: never to be cut
};
std::vector<MarkdownBlock> SplitBlocks(absl::string_view body);

// What is fenced or indented as code, without the fences.
std::string CodeOf(absl::string_view body);
// Everything else.
std::string ProseOf(absl::string_view body);

}  // namespace kernelsmith::common
