#include "client/cli/text/memory_text.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string LabelText(v1::Label label) {
  return label == v1::LABEL_UNSPECIFIED ? "-" : FormatEnum(v1::Label_Name(label));
}

using Key = std::pair<std::string, std::string>;  // producer, attempt

class LineageTable {
 public:
  explicit LineageTable(const std::vector<v1::LineageNode>& nodes) {
    std::set<Key> known;
    for (const auto& node : nodes) known.insert({node.producer(), node.attempt_id()});
    for (const auto& node : nodes) {
      const Key parent(node.producer(), node.prev_attempt_id());
      children_[known.contains(parent) ? parent : Key()].push_back(&node);
    }
  }

  std::string Render() {
    // Depth first with a stack of its own: a chain of attempts may be long.
    std::vector<std::pair<const v1::LineageNode*, int>> stack;
    const auto push = [&](const Key& parent, int depth) {
      const auto found = children_.find(parent);
      if (found == children_.end()) return;
      for (auto node = found->second.rbegin(); node != found->second.rend(); ++node) stack.emplace_back(*node, depth);
    };
    push(Key(), 0);
    while (!stack.empty()) {
      const auto [node, depth] = stack.back();
      stack.pop_back();
      Add(*node, depth);
      push({node->producer(), node->attempt_id()}, depth + 1);
    }
    return table_.Render();
  }

 private:
  void Add(const v1::LineageNode& node, int depth) {
    table_.Add({absl::StrCat(std::string(static_cast<size_t>(depth < 20 ? depth : 20) * 2, ' '), node.attempt_id()),
                node.operator_name(), FormatEnum(v1::EvaluationStatus_Name(node.status())),
                FormatMicros(node.latency_us()), FormatRatio(node.speedup()), absl::StrFormat("%.3f", node.r()),
                LabelText(node.label()), absl::StrFormat("%.3f", node.d()), node.thought_id()});
  }

  std::map<Key, std::vector<const v1::LineageNode*>> children_;
  Table table_{{"attempt", "operator", "status", "latency", "speed-up", "r", "label", "d", "thought"},
               {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft,
                Align::kRight}};
};

}  // namespace

std::string SearchText(const v1::RetrieveResponse& found) {
  if (found.items().empty()) return absl::StrCat("nothing found among ", found.candidates(), " items\n");
  Table table({"rank", "item", "kind", "score", "u", "label", "d", "title"},
              {Align::kRight, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kRight});
  for (const v1::RankedItem& ranked : found.items()) {
    const v1::Item& item = ranked.item();
    table.Add({absl::StrCat(ranked.rank()), item.id(), FormatEnum(v1::ItemKind_Name(item.kind())),
               absl::StrFormat("%.3f", ranked.score()), absl::StrFormat("%.3f", item.values().u()),
               LabelText(item.values().label()), absl::StrFormat("%.3f", item.values().d()),
               OneLine(item.title(), 70)});
  }
  return table.Render();
}

std::string ItemText(const v1::Item& item) {
  const v1::ItemValues& values = item.values();
  std::string text =
      absl::StrCat(item.id(), "  ", FormatEnum(v1::ItemKind_Name(item.kind())), "  ", OneLine(item.title(), 200), "\n");
  absl::StrAppend(&text, "attempt ", item.attempt_id(), " of ", item.producer(), ", recorded ",
                  FormatUtc(item.recorded_at_unix_us()), " UTC, trust: ", item.trust(), "\n");
  absl::StrAppendFormat(&text, "u %.4f, retrieved in %d stages, adopted in %d; r %.4f (%s), d %.4f\n", values.u(),
                        values.n_retrieved(), values.n_adopted(), values.r(), LabelText(values.label()), values.d());
  absl::StrAppend(&text, "\n", Printable(item.text()), "\n");
  return text;
}

std::string LineageText(const std::vector<v1::LineageNode>& nodes) {
  return nodes.empty() ? "no attempts\n" : LineageTable(nodes).Render();
}

std::string StatsText(const v1::StatsResponse& stats) {
  Table table({}, {Align::kLeft, Align::kRight});
  table.Add({"facts", absl::StrCat(stats.facts())});
  table.Add({"attempts", absl::StrCat(stats.attempts())});
  table.Add({"items", absl::StrCat(stats.items())});
  table.Add({"retrievals", absl::StrCat(stats.retrievals())});
  table.Add({"adoptions", absl::StrCat(stats.adoptions())});
  table.Add({"stages", absl::StrCat(stats.stages())});
  table.Add({"harmful adoptions", absl::StrCat(stats.harmful_adoptions())});
  table.Add({"store", FormatBytes(stats.store_bytes())});
  return table.Render();
}

}  // namespace kernelsmith::client
