#include "common/coldstart/markdown.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace kernelsmith::common {
namespace {

// Lines with their newline.
std::vector<absl::string_view> Lines(absl::string_view text) {
  std::vector<absl::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == absl::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

bool IsBlank(absl::string_view line) { return absl::StripAsciiWhitespace(line).empty(); }
bool IsIndentedCode(absl::string_view line) {
  return !IsBlank(line) && (absl::StartsWith(line, "    ") || absl::StartsWith(line, "\t"));
}

// Follows the fences of a text, line by line.
class FenceReader {
 public:
  // True if the line opens, closes or lies in a fence.
  bool Take(absl::string_view line) {
    absl::string_view rest = line;
    size_t indent = 0;
    while (absl::ConsumePrefix(&rest, " ")) ++indent;
    const char mark = rest.empty() ? '\0' : rest[0];
    size_t length = 0;
    while (length < rest.size() && rest[length] == mark) ++length;
    const bool fence = (mark == '`' || mark == '~') && length >= 3;
    marks_ = fence;
    if (open_ == 0) {
      // An info string with a backtick is inline code, not a fence.
      if (!fence || indent > 3 || (mark == '`' && absl::StrContains(rest.substr(length), "`"))) return marks_ = false;
      mark_ = mark;
      open_ = length;
      return true;
    }
    marks_ = fence && mark == mark_ && length >= open_ && IsBlank(rest.substr(length));
    if (marks_) open_ = 0;
    return true;
  }
  bool inside() const { return open_ > 0; }
  // The line taken last opens or closes a fence.
  bool at_mark() const { return marks_; }

 private:
  char mark_ = '\0';
  size_t open_ = 0;
  bool marks_ = false;
};

// Markup out of a title: code marks, emphasis of the whole, HTML anchors, closing hashes.
std::string TitleOf(absl::string_view text) {
  std::string title;
  bool in_tag = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' && i + 1 < text.size() && (absl::ascii_isalpha(text[i + 1]) || text[i + 1] == '/') &&
        (absl::StartsWith(text.substr(i), "<a ") || absl::StartsWith(text.substr(i), "</a") ||
         absl::StartsWith(text.substr(i), "<span") || absl::StartsWith(text.substr(i), "</span"))) {
      in_tag = true;
    }
    if (!in_tag && c != '`') title += c;
    if (c == '>') in_tag = false;
  }
  absl::string_view stripped = absl::StripAsciiWhitespace(title);
  while (absl::EndsWith(stripped, "#")) stripped = absl::StripTrailingAsciiWhitespace(absl::StripSuffix(stripped, "#"));
  while (stripped.size() > 4 && absl::StartsWith(stripped, "**") && absl::EndsWith(stripped, "**")) {
    stripped = stripped.substr(2, stripped.size() - 4);
  }
  return std::string(stripped);
}

struct Heading {
  int level;
  std::string title;
};

std::optional<Heading> HashHeading(absl::string_view line) {
  size_t indent = 0;
  while (indent < 4 && absl::ConsumePrefix(&line, " ")) ++indent;
  int level = 0;
  while (absl::ConsumePrefix(&line, "#")) ++level;
  if (indent > 3 || level < 1 || level > 6) return std::nullopt;
  if (!line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '\n') return std::nullopt;
  return Heading{level, TitleOf(line)};
}

// The level that a line of = or - gives to the line before it; 0 if it is none.
int Underline(absl::string_view line) {
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  if (text.size() < 2 || absl::StartsWith(line, "    ")) return 0;
  if (std::all_of(text.begin(), text.end(), [](char c) { return c == '='; })) return 1;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '-'; }) ? 2 : 0;
}

bool MayBeUnderlined(absl::string_view line) {
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  return !text.empty() && !IsIndentedCode(line) && !absl::StartsWith(text, "|") && !absl::StartsWith(text, "- ") &&
         !absl::StartsWith(text, "* ") && !absl::StartsWith(text, ">") && !absl::StartsWith(text, "#");
}

std::string Normalised(absl::string_view markdown) {
  absl::ConsumePrefix(&markdown, "\xEF\xBB\xBF");
  return absl::StrReplaceAll(markdown, {{"\r\n", "\n"}});
}

template <typename Keep>
std::string Filtered(absl::string_view body, const Keep& keep) {
  std::string kept;
  FenceReader fences;
  bool after_blank = true;
  bool indented = false;
  for (const absl::string_view line : Lines(body)) {
    const bool fenced = fences.Take(line);
    // Indented code begins after a blank line; the continuation of a list item does not.
    indented = !fenced && IsIndentedCode(line) && (after_blank || indented);
    after_blank = IsBlank(line);
    if (!(fenced && fences.at_mark()) && keep(fenced || indented)) kept.append(line.data(), line.size());
  }
  return kept;
}

}  // namespace

std::vector<Section> ParseSections(absl::string_view markdown) {
  const std::string text = Normalised(markdown);
  std::vector<Section> sections(1);
  std::vector<Heading> open;
  const auto start = [&](Heading heading, std::string line) {
    while (!open.empty() && open.back().level >= heading.level) open.pop_back();
    open.push_back(std::move(heading));
    Section section{.level = open.back().level, .path = {}, .heading = std::move(line), .body = {}};
    for (const Heading& above : open) section.path.push_back(above.title);
    sections.push_back(std::move(section));
  };
  FenceReader fences;
  size_t paragraph_line =
      std::string::npos;  // where the line before begins in the current body, if one may underline it
  for (const absl::string_view line : Lines(text)) {
    std::string& body = sections.back().body;
    if (fences.Take(line)) {
      paragraph_line = std::string::npos;
      body.append(line.data(), line.size());
      continue;
    }
    if (std::optional<Heading> heading = HashHeading(line)) {
      start(*std::move(heading), std::string(line));
      paragraph_line = std::string::npos;
      continue;
    }
    const int underline = Underline(line);
    if (underline > 0 && paragraph_line != std::string::npos) {
      const std::string above = body.substr(paragraph_line);
      body.resize(paragraph_line);
      start({underline, TitleOf(above)}, above + std::string(line));
      paragraph_line = std::string::npos;
      continue;
    }
    // Only a paragraph of one line is a heading when it is underlined.
    const bool first_line = body.empty() || absl::EndsWith(body, "\n\n") || body == "\n";
    paragraph_line = first_line && MayBeUnderlined(line) ? body.size() : std::string::npos;
    body.append(line.data(), line.size());
  }
  if (IsBlank(sections.front().body)) sections.erase(sections.begin());
  return sections;
}

size_t EndOfSection(const std::vector<Section>& sections, size_t index) {
  size_t end = index + 1;
  while (end < sections.size() && sections[end].level > sections[index].level) ++end;
  return end;
}

std::vector<MarkdownBlock> SplitBlocks(absl::string_view body) {
  const std::vector<absl::string_view> lines = Lines(body);
  std::vector<MarkdownBlock> blocks;
  FenceReader fences;
  bool ended = true;  // a blank line came, so that the next line begins a block
  for (const absl::string_view line : lines) {
    const bool fenced = fences.Take(line);
    const bool blank = !fenced && IsBlank(line);
    const bool indented = !fenced && IsIndentedCode(line);
    // Indented code goes on over blank lines.
    const bool continues = indented && !blocks.empty() && blocks.back().code;
    if (blocks.empty() || (ended && !blank && !continues)) blocks.emplace_back();
    blocks.back().text.append(line.data(), line.size());
    blocks.back().code = blocks.back().code || fenced || (indented && ended);
    ended = blank || (ended && blank);
  }
  return blocks;
}

std::string CodeOf(absl::string_view body) {
  return Filtered(body, [](bool code) { return code; });
}

std::string ProseOf(absl::string_view body) {
  return Filtered(body, [](bool code) { return !code; });
}

}  // namespace kernelsmith::common
