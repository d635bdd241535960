#include "memory/context/code_change.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kContextLines = 2;

std::vector<absl::string_view> LinesOf(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string CodeChange(absl::string_view before, absl::string_view after) {
  const std::vector<absl::string_view> old_lines = LinesOf(before);
  const std::vector<absl::string_view> new_lines = LinesOf(after);
  const size_t shorter = std::min(old_lines.size(), new_lines.size());
  size_t head = 0;
  while (head < shorter && old_lines[head] == new_lines[head]) ++head;
  size_t tail = 0;
  while (tail < shorter - head && old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
    ++tail;
  if (head == old_lines.size() && head == new_lines.size()) return "";

  std::string out;
  for (size_t i = head - std::min(head, kContextLines); i < head; ++i) absl::StrAppend(&out, " ", old_lines[i], "\n");
  for (size_t i = head; i < old_lines.size() - tail; ++i) absl::StrAppend(&out, "-", old_lines[i], "\n");
  for (size_t i = head; i < new_lines.size() - tail; ++i) absl::StrAppend(&out, "+", new_lines[i], "\n");
  const size_t after_change = old_lines.size() - tail;
  for (size_t i = after_change; i < std::min(old_lines.size(), after_change + kContextLines); ++i) {
    absl::StrAppend(&out, " ", old_lines[i], "\n");
  }
  return out;
}

}  // namespace kernelsmith::memory
