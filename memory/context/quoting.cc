#include "memory/context/quoting.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestLine = 200;

}  // namespace

std::string Fenced(absl::string_view language, absl::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return absl::StrCat(fence, language, "\n", text, absl::EndsWith(text, "\n") ? "" : "\n", fence, "\n");
}

std::string OneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = absl::ascii_isspace(static_cast<unsigned char>(c)) != 0 || absl::ascii_iscntrl(c) != 0;
    if (!blank) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return Clipped(line, kLongestLine);
}

std::string Quoted(const v1::Item& item, absl::string_view body) {
  std::string origin;
  if (!item.provenance().team().empty()) {
    origin = absl::StrCat(", shared by team ", OneLine(item.provenance().team()));
  }
  return absl::StrCat("Item ", OneLine(item.id()), ", ", v1::ItemKind_Name(item.kind()),
                      ", trust: ", item.trust().empty() ? "unknown" : OneLine(item.trust()), origin, ".\n", body);
}

}  // namespace kernelsmith::memory
