#include "memory/retrieval/item_text.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestField = 2000;  // bytes

void Line(std::string& out, absl::string_view name, const std::string& value) {
  if (!value.empty()) absl::StrAppend(&out, name, ": ", Clipped(value, kLongestField), "\n");
}

std::string ParametersOf(const v1::Thought& thought) {
  const std::map<std::string, std::string> sorted(thought.parameters().begin(), thought.parameters().end());
  return absl::StrJoin(sorted, ", ", absl::PairFormatter("="));
}

std::string NameOrId(const v1::Thought& thought) {
  if (!thought.title().empty()) return thought.title();
  return thought.id().empty() ? "no stated idea" : thought.id();
}

}  // namespace

std::string Clipped(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), " [cut]");
}

std::string CaseText(const v1::Case& source) {
  std::string out;
  Line(out, "operator", source.operator_name());
  Line(out, "family", source.family());
  Line(out, "level", source.level());
  Line(out, "shape", source.scene().shape_signature());
  if (source.scene().dtype() != v1::DTYPE_UNSPECIFIED) Line(out, "dtype", v1::DType_Name(source.scene().dtype()));
  Line(out, "tags", absl::StrJoin(source.scene().tags(), ", "));
  if (source.purpose() != v1::PURPOSE_UNSPECIFIED) Line(out, "purpose", v1::Purpose_Name(source.purpose()));
  Line(out, "thought", source.thought().id());
  Line(out, "title", source.thought().title());
  Line(out, "parameters", ParametersOf(source.thought()));
  if (source.thought().layer() != v1::LAYER_UNSPECIFIED) Line(out, "layer", v1::Layer_Name(source.thought().layer()));
  Line(out, "bottleneck", source.thought().bottleneck());
  Line(out, "applies when", source.thought().applies_when());
  Line(out, "why", source.thought().reason());
  Line(out, "hypothesis", source.hypothesis());
  Line(out, "outcome", v1::EvaluationStatus_Name(source.status()));
  Line(out, "feedback", source.feedback());
  for (const v1::Diagnostic& diagnostic : source.diagnostics()) {
    Line(out, "diagnostic", absl::StrCat(diagnostic.text(), diagnostic.rule().empty() ? "" : " ", diagnostic.rule()));
  }
  return out;
}

std::string JournalText(const v1::Case& source, const v1::Journal& journal) {
  std::string out;
  Line(out, "operator", source.operator_name());
  Line(out, "family", source.family());
  Line(out, "strategy", journal.strategy());
  Line(out, "change", journal.change());
  Line(out, "validation", journal.validation());
  Line(out, "measurements", journal.measurements());
  Line(out, "interpretation", journal.interpretation());
  return out;
}

std::string ContentSearchText(const v1::ItemContent& content) {
  std::string out;
  Line(out, "title", content.title());
  Line(out, "name", content.name());
  Line(out, "bundle", content.bundle());
  Line(out, "operator", content.operator_name());
  Line(out, "family", content.family());
  Line(out, "thought", content.thought().id());
  Line(out, "bottleneck", content.bottleneck());
  Line(out, "applies when", content.applicability().applies_when());
  absl::StrAppend(&out, content.text());
  return out;
}

std::string CaseTitle(const v1::Case& source) {
  return absl::StrCat(source.operator_name(), ": ", NameOrId(source.thought()), ", ",
                      v1::EvaluationStatus_Name(source.status()));
}

std::string JournalTitle(const v1::Case& source) {
  return absl::StrCat(source.operator_name(), ": journal of ", NameOrId(source.thought()));
}

}  // namespace kernelsmith::memory
