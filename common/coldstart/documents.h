// Markdown documents as items of the experience memory, for a start without experience: sections by heading, and API
// templates by exact name. Pure; the command-line program loads what this makes.
//
//   ASSIGN_OR_RETURN(std::vector<v1::ItemContent> items, SplitDocument("ascend_c/cheat-sheet.md", text, {}));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::common {

// What one item may hold, on the wire too.
inline constexpr size_t kMostItemBytes = 256 * 1024;

struct DocumentOptions {
  std::string bundle;            // of API templates, for example "ascend_c"; empty: sections are never templates
  int split_level = 3;           // headings to this level begin an item; deeper ones stay in it
  size_t most_bytes = 8 * 1024;  // of an item; about 2 700 tokens
};

// DOCUMENT items in the order of the text, whose name is "path#heading > heading", and API_TEMPLATE items for sections
// about one API (api_template.h), with the name and the bundle. Title, text and language are set, and trust "document".
//
// A section is kept whole if it fits in most_bytes; else it is cut at deeper headings, then at blank lines, and the
// pieces are numbered in their name. Code fences, indented code and API templates are never cut, so such an item may
// be larger. A heading with nothing below it makes no item. Names are unique: a repeated one gets a number.
//
// INVALID_ARGUMENT names the path: no text, no UTF-8, or code that alone exceeds kMostItemBytes.
absl::StatusOr<std::vector<v1::ItemContent>> SplitDocument(absl::string_view path, absl::string_view text,
                                                           const DocumentOptions& options);

}  // namespace kernelsmith::common
