// Text of the memory as data in a prompt. It was written by models, documents and users, so it stands under a line of
// ours that names the item and how far to trust it, inside a fence that it cannot close.
//
//   Quoted(item, Fenced("text", item.text()));
//   // Item case-0a1b, CASE, trust: measured.
//   // ```text
//   // ...
//   // ```
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// A fence of more backticks than the text has in a row; the text ends with a line break.
std::string Fenced(absl::string_view language, absl::string_view text);

// One line of at most 200 bytes: control characters and runs of blanks become one blank. For titles and names that
// stand outside a fence.
std::string OneLine(absl::string_view text);

// The line that introduces an item, and `body` below it.
std::string Quoted(const v1::Item& item, absl::string_view body);

}  // namespace kernelsmith::memory
