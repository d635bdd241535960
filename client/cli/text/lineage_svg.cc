#include "client/cli/text/lineage_svg.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/text/format.h"
#include "client/cli/text/lineage_forest.h"
#include "client/cli/text/search_text.h"

namespace kernelsmith::client {
namespace {

// Pixels.
constexpr int kBoxWidth = 190;
constexpr int kBoxHeight = 48;
constexpr int kColumn = kBoxWidth + 50;
constexpr int kRow = kBoxHeight + 14;
constexpr int kMargin = 20;
constexpr int kHeader = 44;  // above the forest: title and legend

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(OneLine(text, 200), {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

const char* ClassOf(v1::Label label) {
  switch (label) {
    case v1::EFFECTIVE:
      return "effective";
    case v1::PARTIAL:
      return "partial";
    case v1::INEFFECTIVE:
      return "ineffective";
    case v1::NEGATIVE:
      return "negative";
    default:
      return "none";
  }
}

constexpr char kStyle[] =
    "<style>text{font:12px "
    "sans-serif;fill:#1a1a1a}.id{font-weight:bold}.edge{fill:none;stroke:#8a8a8a;stroke-width:1.5}"
    ".cross{stroke-dasharray:5 4}rect{stroke:#5a5a5a}.effective{fill:#b7e4c7}.partial{fill:#e3f2d5}"
    ".ineffective{fill:#fdeeba}.negative{fill:#f7c5c0}.none{fill:#e4e4e4}.page{fill:#ffffff;stroke:none}</style>\n";

struct Place {
  int x = 0;
  int y = 0;  // of the box's upper edge
};

// Leaves take rows from the top; a parent stands in the middle between its first and last child.
std::vector<Place> PlaceBoxes(const std::vector<ForestEntry>& forest) {
  std::vector<Place> places(forest.size());
  std::vector<int> first(forest.size(), -1);
  std::vector<int> last(forest.size(), -1);
  int row = 0;
  for (const ForestEntry& entry : forest) row += entry.children == 0 ? 1 : 0;
  // Backwards: children come after their parent, so they have their place before it.
  for (size_t i = forest.size(); i > 0; --i) {
    const ForestEntry& entry = forest[i - 1];
    Place& place = places[i - 1];
    place.x = kMargin + static_cast<int>(entry.depth) * kColumn;
    if (entry.children == 0) {
      place.y = kHeader + kMargin + --row * kRow;
    } else {
      place.y = (first[i - 1] + last[i - 1]) / 2;
    }
    if (entry.parent == ForestEntry::kNone) continue;
    if (last[entry.parent] < 0) last[entry.parent] = place.y;
    first[entry.parent] = place.y;
  }
  return places;
}

void AddEdge(const Place& from, const Place& to, bool cross_job, std::string& svg) {
  const int x0 = from.x + kBoxWidth;
  const int y0 = from.y + kBoxHeight / 2;
  const int y1 = to.y + kBoxHeight / 2;
  const int middle = (x0 + to.x) / 2;
  absl::StrAppendFormat(&svg, "<path class=\"edge%s\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", cross_job ? " cross" : "",
                        x0, y0, middle, y0, middle, y1, to.x, y1);
}

void AddBox(const v1::LineageNode& node, const Place& place, std::string& svg) {
  absl::StrAppendFormat(&svg, "<g><title>%s, round %d of %s&#10;%s, %s&#10;thought: %s</title>",
                        Escaped(node.operator_name()), node.step(), Escaped(node.session()),
                        Escaped(FormatEnum(v1::EvaluationStatus_Name(node.status()))), FormatRatio(node.speedup()),
                        Escaped(node.thought_id().empty() ? "-" : node.thought_id()));
  absl::StrAppendFormat(&svg, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>",
                        ClassOf(node.label()), place.x, place.y, kBoxWidth, kBoxHeight);
  absl::StrAppendFormat(&svg, "<text class=\"id\" x=\"%d\" y=\"%d\">%s</text>", place.x + 8, place.y + 18,
                        Escaped(OneLine(node.attempt_id(), 26)));
  absl::StrAppendFormat(&svg, "<text x=\"%d\" y=\"%d\">%s  r %.2f %s  d %.2f</text></g>\n", place.x + 8, place.y + 37,
                        FormatMicros(node.latency_us()), node.r(), LabelText(node.label()), node.d());
}

void AddLegend(std::string& svg) {
  int x = kMargin;
  for (const v1::Label label : {v1::EFFECTIVE, v1::PARTIAL, v1::INEFFECTIVE, v1::NEGATIVE}) {
    absl::StrAppendFormat(&svg, "<rect class=\"%s\" x=\"%d\" y=\"28\" width=\"12\" height=\"12\"/>", ClassOf(label), x);
    absl::StrAppendFormat(&svg, "<text x=\"%d\" y=\"39\">%s</text>\n", x + 17, LabelText(label));
    x += 100;
  }
}

}  // namespace

std::string LineageSvg(const std::vector<v1::LineageNode>& nodes) {
  const std::vector<ForestEntry> forest = ArrangeForest(nodes, 0);
  const std::vector<Place> places = PlaceBoxes(forest);
  int width = 460;
  int height = kHeader + 2 * kMargin;
  for (const Place& place : places) {
    width = std::max(width, place.x + kBoxWidth + kMargin);
    height = std::max(height, place.y + kBoxHeight + kMargin);
  }
  std::string svg =
      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                      width, height, width, height);
  absl::StrAppend(&svg, kStyle, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
  absl::StrAppendFormat(&svg, "<text class=\"id\" x=\"%d\" y=\"20\">Lineage of %d attempts</text>\n", kMargin,
                        nodes.size());
  AddLegend(svg);
  for (size_t i = 0; i < forest.size(); ++i) {
    if (forest[i].parent != ForestEntry::kNone) AddEdge(places[forest[i].parent], places[i], forest[i].cross_job, svg);
  }
  for (size_t i = 0; i < forest.size(); ++i) AddBox(*forest[i].node, places[i], svg);
  return svg + "</svg>\n";
}

}  // namespace kernelsmith::client
