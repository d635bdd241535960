#include "client/cli/text/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::client {

size_t DisplayWidth(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Table::Table(std::vector<std::string> headings, std::vector<Align> alignment)
    : headings_(std::move(headings)), alignment_(std::move(alignment)) {}

void Table::Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::Render() const {
  std::vector<const std::vector<std::string>*> lines;
  if (!headings_.empty()) lines.push_back(&headings_);
  for (const auto& row : rows_) lines.push_back(&row);
  std::vector<size_t> widths;
  for (const auto* line : lines) {
    if (widths.size() < line->size()) widths.resize(line->size(), 0);
    for (size_t i = 0; i < line->size(); ++i) widths[i] = std::max(widths[i], DisplayWidth((*line)[i]));
  }
  std::string text;
  for (const auto* line : lines) {
    std::string rendered;
    for (size_t i = 0; i < line->size(); ++i) {
      const std::string padding(widths[i] - DisplayWidth((*line)[i]), ' ');
      const bool right = i < alignment_.size() && alignment_[i] == Align::kRight;
      absl::StrAppend(&rendered, i == 0 ? "" : "  ", right ? padding : "", (*line)[i], right ? "" : padding);
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(rendered), "\n");
  }
  return text;
}

}  // namespace kernelsmith::client
