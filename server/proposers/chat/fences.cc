#include "server/proposers/chat/fences.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kernelsmith::server {
namespace {

struct Fence {
  char mark = '`';
  size_t length = 0;
  absl::string_view info;
};

// Three or more of the same mark after at most three blanks.
std::optional<Fence> FenceOf(absl::string_view line) {
  const size_t indent = line.find_first_not_of(' ');
  if (indent > 3) return std::nullopt;  // a line of blanks alone included: npos
  line.remove_prefix(indent);
  if (line[0] != '`' && line[0] != '~') return std::nullopt;
  const size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  if (length < 3) return std::nullopt;
  const absl::string_view info = absl::StripAsciiWhitespace(line.substr(length));
  if (line[0] == '`' && absl::StrContains(info, '`')) return std::nullopt;  // code inside a line
  return Fence{line[0], length, info};
}

// "cpp kernel.cpp", "cpp:kernel.cpp", "cpp file=kernel.cpp", "cpp title=\"kernel.cpp\"".
void ReadInfo(absl::string_view info, FencedBlock& block) {
  const std::vector<absl::string_view> words = absl::StrSplit(info, absl::ByAnyChar(" \t:{},"), absl::SkipEmpty());
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view word = words[i];
    if (i == 0 && !absl::StrContains(word, '.')) {
      block.language = absl::AsciiStrToLower(word);
      continue;
    }
    if (const size_t equals = word.find('='); equals != absl::string_view::npos) word.remove_prefix(equals + 1);
    absl::ConsumePrefix(&word, "\"");
    absl::ConsumeSuffix(&word, "\"");
    if (block.name.empty() && absl::StrContains(word, '.')) block.name = std::string(word);
  }
}

// "kernel.cpp" of "// file: kernel.cpp".
std::string NameInFirstLine(absl::string_view content) {
  absl::string_view line = absl::StripAsciiWhitespace(content.substr(0, content.find('\n')));
  if (!absl::ConsumePrefix(&line, "//")) return "";
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::StartsWithIgnoreCase(line, "file:")) return "";
  return std::string(absl::StripAsciiWhitespace(line.substr(sizeof("file:") - 1)));
}

}  // namespace

Fences FindFences(absl::string_view text) {
  Fences result;
  std::optional<Fence> open;
  FencedBlock block;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    absl::ConsumeSuffix(&line, "\r");
    const std::optional<Fence> fence = FenceOf(line);
    if (!open.has_value()) {
      if (!fence.has_value()) continue;
      open = fence;
      block = {.line = line_number};
      result.unclosed_line = line_number;
      ReadInfo(fence->info, block);
    } else if (fence.has_value() && fence->mark == open->mark && fence->length >= open->length && fence->info.empty()) {
      if (block.name.empty()) block.name = NameInFirstLine(block.content);
      result.blocks.push_back(std::exchange(block, {}));
      open.reset();
      result.unclosed_line = 0;
    } else {
      absl::StrAppend(&block.content, line, "\n");
    }
  }
  return result;
}

}  // namespace kernelsmith::server
