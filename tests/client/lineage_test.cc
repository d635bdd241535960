// The forest of attempts: arranged, as text, as a drawing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/cli/text/lineage_forest.h"
#include "client/cli/text/lineage_svg.h"
#include "client/cli/text/lineage_text.h"

namespace kernelsmith::client {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

v1::LineageNode Node(const std::string& id, const std::string& previous) {
  v1::LineageNode node;
  node.set_producer("p");
  node.set_attempt_id(id);
  node.set_prev_attempt_id(previous);
  node.set_status(v1::PASSED);
  return node;
}

// "a0 b1 ...": ids with their depth.
std::vector<std::string> Arranged(const std::vector<v1::LineageNode>& nodes) {
  std::vector<std::string> order;
  for (const ForestEntry& entry : ArrangeForest(nodes, 8)) {
    order.push_back(absl::StrCat(entry.node->attempt_id(), entry.depth, entry.cross_job ? "x" : ""));
  }
  return order;
}

TEST(Forest, ChildrenStandUnderTheirParentInTheOrderGiven) {
  EXPECT_THAT(
      Arranged({Node("a", ""), Node("b", "a"), Node("c", ""), Node("d", "b"), Node("e", "a"), Node("f", "elsewhere")}),
      ElementsAre("a0", "b1", "d2", "e1", "c0", "f0"));
}

TEST(Forest, AnAttemptFromAnotherJobsCodeStandsUnderItsCase) {
  v1::LineageNode far = Node("b", "");
  far.set_cross_job_prev_item_id("case-a");
  v1::LineageNode root = Node("a", "");
  root.set_case_item_id("case-a");
  EXPECT_THAT(Arranged({far, root}), ElementsAre("a0", "b1x"));
  EXPECT_THAT(Arranged({far}), ElementsAre("b0"));
  EXPECT_THAT(LineageText({root, far}), HasSubstr("└~ b"));
  EXPECT_THAT(LineageSvg({root, far}), HasSubstr("class=\"edge cross\""));
}

TEST(Forest, ACycleLosesNoNode) {
  EXPECT_EQ(Arranged({Node("a", "b"), Node("b", "a"), Node("c", "a"), Node("d", "d")}).size(), 4U);
}

TEST(Forest, ALongChainNeedsNoStack) {
  std::vector<v1::LineageNode> nodes = {Node("0", "")};
  for (int i = 1; i < 50000; ++i) nodes.push_back(Node(absl::StrCat(i), absl::StrCat(i - 1)));
  EXPECT_EQ(ArrangeForest(nodes, 8).back().depth, 49999U);
}

TEST(LineageText, IsATreeWithEffectAndLatency) {
  v1::LineageNode b = Node("b", "a");
  b.set_r(1.25);
  b.set_label(v1::EFFECTIVE);
  b.set_d(0.937083);
  b.set_latency_us(12.3);
  const std::string text = LineageText({Node("a", ""), b, Node("c", "b"), Node("d", "a"), Node("e", "d")});
  EXPECT_THAT(text, AllOf(HasSubstr("\na "), HasSubstr("\n├─ b "), HasSubstr("\n│  └─ c "), HasSubstr("\n└─ d "),
                          HasSubstr("\n   └─ e ")));
  EXPECT_THAT(text, AllOf(HasSubstr("1.250"), HasSubstr("effective"), HasSubstr("0.937"), HasSubstr("12.3 us")));
  EXPECT_EQ(LineageText({}), "no attempts\n");
}

TEST(LineageText, DeepLevelsAreNumbers) {
  std::vector<v1::LineageNode> nodes = {Node("0", "")};
  for (int i = 1; i < 40; ++i) nodes.push_back(Node(absl::StrCat(i), absl::StrCat(i - 1)));
  EXPECT_THAT(LineageText(nodes), HasSubstr("├─ (39) 39"));
}

TEST(LineageSvg, IsOneSelfContainedDocument) {
  v1::LineageNode root = Node("a<&\">", "");
  root.set_label(v1::NEGATIVE);
  root.set_thought_id("<script>");
  const std::string svg = LineageSvg({root, Node("b", "a<&\">"), Node("c", "a<&\">")});
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_THAT(svg, AllOf(HasSubstr("a&lt;&amp;&quot;&gt;"), HasSubstr("class=\"negative\""), HasSubstr("</svg>\n")));
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("href"))));
  EXPECT_EQ(svg, LineageSvg({root, Node("b", "a<&\">"), Node("c", "a<&\">")}));
}

TEST(LineageSvg, PlacesAParentInTheMiddleOfItsChildrenAndNoBoxOnAnother) {
  // Children at rows 0 and 1 (y 64 and 126), so the parent at 95; the third box of the column stands below.
  const std::string svg = LineageSvg({Node("a", ""), Node("b", "a"), Node("c", "a"), Node("d", "")});
  EXPECT_THAT(svg, HasSubstr("x=\"20\" y=\"95\" width"));
  EXPECT_THAT(svg, HasSubstr("x=\"260\" y=\"64\" width"));
  EXPECT_THAT(svg, HasSubstr("x=\"260\" y=\"126\" width"));
  EXPECT_THAT(svg, HasSubstr("x=\"20\" y=\"188\" width"));
}

TEST(LineageSvg, OfNothingIsStillADrawing) { EXPECT_THAT(LineageSvg({}), HasSubstr("Lineage of 0 attempts")); }

}  // namespace
}  // namespace kernelsmith::client
