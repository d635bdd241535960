#include "server/proposers/chat/quote.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/model/clip_utf8.h"

namespace kernelsmith::server {
namespace {

// True if `text` continues a "<" to a mark of ours, however it is spaced or written.
bool ContinuesMark(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "/")) text = absl::StripLeadingAsciiWhitespace(text);
  return absl::StartsWithIgnoreCase(text, "ks-");
}

// Line ends as line feeds, and no other control character but tabs. Comes first: what is dropped may have parted a
// mark.
std::string WithoutControls(absl::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r') {
      if (!absl::StartsWith(text.substr(i + 1), "\n")) result += '\n';
    } else if (c == '\t' || c == '\n' || !absl::ascii_iscntrl(c)) {
      result += text[i];
    }
  }
  return result;
}

std::string Attribute(absl::string_view value) {
  std::string result;
  for (const char c : value) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-_.:/ ", c);
    result.push_back(plain ? c : '_');
  }
  return result;
}

std::string Block(absl::string_view mark, absl::string_view attributes, absl::string_view text) {
  return absl::StrCat("<", mark, attributes, ">\n", text, absl::EndsWith(text, "\n") || text.empty() ? "" : "\n", "</",
                      mark, ">\n");
}

}  // namespace

std::string Neutralised(absl::string_view foreign) {
  const std::string text = WithoutControls(foreign);
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view rest = absl::string_view(text).substr(i + 1);
    if (text[i] == '<' && (absl::StartsWith(rest, "|") || ContinuesMark(rest))) {
      result += "&lt;";
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string NeutralisedItem(absl::string_view text) {
  const std::string neutral = Neutralised(text);
  std::string result;
  for (absl::string_view line : absl::StrSplit(neutral, '\n')) {
    const absl::string_view bare = absl::StripLeadingAsciiWhitespace(line);
    const size_t indent = line.size() - bare.size();
    if (absl::StartsWith(bare, "```") || absl::StartsWith(bare, "~~~")) {
      const size_t fence = std::min(bare.find_first_not_of(bare[0]), bare.size());
      absl::StrAppend(&result, line.substr(0, indent), std::string(fence, '\''), bare.substr(fence), "\n");
    } else {
      absl::StrAppend(&result, line, "\n");
    }
  }
  result.pop_back();  // the split has one piece more than there are line feeds
  return result;
}

std::string QuoteBlock(absl::string_view name, absl::string_view text) {
  return Block("ks-block", absl::StrCat(" name=\"", Attribute(name), "\""), Neutralised(text));
}

std::string QuoteItem(const v1::Item& item, absl::string_view text) {
  std::string shown = NeutralisedItem(ClipUtf8(text, kMaxItemBytes));
  if (text.size() > kMaxItemBytes) {
    absl::StrAppend(&shown, "\n[cut: ", kMaxItemBytes, " of ", text.size(), " bytes are shown]");
  }
  const std::string trust = item.trust().empty() ? "unknown" : item.trust();
  return Block(
      "ks-item",
      absl::StrCat(" id=\"", Attribute(item.id()), "\" kind=\"", absl::AsciiStrToLower(v1::ItemKind_Name(item.kind())),
                   "\" trust=\"", Attribute(trust), "\""),
      shown);
}

}  // namespace kernelsmith::server
