#include "memory/graph/rule_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::memory {
namespace {

std::string ScopeOf(const v1::Case& source, const v1::Target& target) {
  std::vector<std::string> parts;
  parts.push_back(source.family().empty() ? source.operator_name() : source.family());
  if (source.scene().dtype() != v1::DTYPE_UNSPECIFIED) parts.push_back(v1::DType_Name(source.scene().dtype()));
  if (!target.architecture().empty()) parts.push_back(absl::StrCat("on ", target.architecture()));
  return absl::StrJoin(parts, ", ");
}

std::string IdeaOf(const v1::Thought& thought) {
  std::string idea = !thought.title().empty() ? thought.title() : !thought.id().empty() ? thought.id() : "the change";
  std::vector<std::string> kind;
  if (thought.layer() != v1::LAYER_UNSPECIFIED) kind.push_back(v1::Layer_Name(thought.layer()));
  if (!thought.bottleneck().empty()) kind.push_back(absl::StrCat("against ", thought.bottleneck()));
  if (!kind.empty()) absl::StrAppend(&idea, " (", absl::StrJoin(kind, ", "), ")");
  const std::map<std::string, std::string> parameters(thought.parameters().begin(), thought.parameters().end());
  if (!parameters.empty()) absl::StrAppend(&idea, " with ", absl::StrJoin(parameters, ", ", absl::PairFormatter("=")));
  return idea;
}

}  // namespace

std::string AttemptRule(const v1::Case& source, const v1::Target& target, v1::Label label, double r) {
  const std::string outcome = source.status() == v1::PASSED
                                  ? absl::StrFormat("%s, %.3g times the speed before", v1::Label_Name(label), r)
                                  : absl::StrCat("a failure: ", v1::EvaluationStatus_Name(source.status()));
  return absl::StrCat(ScopeOf(source, target), ": ", IdeaOf(source.thought()), " was ", outcome, ".");
}

std::string ContentRule(absl::string_view title, absl::string_view text) { return absl::StrCat(title, ": ", text); }

int64_t RuleTokens(int64_t bytes) { return std::max<int64_t>(1, (bytes + 1) / 2); }

}  // namespace kernelsmith::memory
