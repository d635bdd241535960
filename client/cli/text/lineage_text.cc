#include "client/cli/text/lineage_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/text/format.h"
#include "client/cli/text/lineage_forest.h"
#include "client/cli/text/search_text.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

constexpr size_t kDrawnLevels = 12;

std::string Branch(const ForestEntry& entry) {
  if (entry.depth == 0) return "";
  std::string text;
  for (size_t level = 0; level + 1 < entry.last.size(); ++level) text += entry.last[level] ? "   " : "│  ";
  const bool deeper = entry.depth > entry.last.size();
  absl::StrAppend(&text, entry.last.back() && !deeper ? "└" : "├", entry.cross_job ? "~ " : "─ ");
  if (deeper) absl::StrAppend(&text, "(", entry.depth, ") ");
  return text;
}

}  // namespace

std::string LineageText(const std::vector<v1::LineageNode>& nodes) {
  if (nodes.empty()) return "no attempts\n";
  Table table({"attempt", "operator", "status", "latency", "speed-up", "r", "label", "d", "thought"},
              {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft,
               Align::kRight});
  for (const ForestEntry& entry : ArrangeForest(nodes, kDrawnLevels)) {
    const v1::LineageNode& node = *entry.node;
    table.Add({absl::StrCat(Branch(entry), OneLine(node.attempt_id(), 60)), OneLine(node.operator_name(), 40),
               FormatEnum(v1::EvaluationStatus_Name(node.status())), FormatMicros(node.latency_us()),
               FormatRatio(node.speedup()), absl::StrFormat("%.3f", node.r()), LabelText(node.label()),
               absl::StrFormat("%.3f", node.d()), OneLine(node.thought_id(), 40)});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
