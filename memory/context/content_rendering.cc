#include "memory/context/content_rendering.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "memory/context/quoting.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestText = 24'000;  // bytes
constexpr size_t kLongestBeginning = 2'000;

void Line(std::string& out, absl::string_view name, absl::string_view value) {
  if (!value.empty()) absl::StrAppend(&out, name, ": ", OneLine(value), "\n");
}

// What a reader must know before the text; every field was given by whoever recorded the item.
std::string FieldsOf(const v1::Item& item) {
  const v1::ItemContent& content = item.content();
  std::string out;
  Line(out, "title", item.title());
  Line(out, "name", content.name());
  Line(out, "bundle", content.bundle());
  Line(out, "operator", content.operator_name());
  Line(out, "family", content.family());
  Line(out, "bottleneck", content.bottleneck());
  if (content.layer() != v1::LAYER_UNSPECIFIED) Line(out, "layer", v1::Layer_Name(content.layer()));
  Line(out, "thought", content.thought().title().empty() ? content.thought().id() : content.thought().title());
  Line(out, "applies", WhereItApplies(item.applicability()));
  return out;
}

}  // namespace

std::string WhereItApplies(const v1::Applicability& applicability) {
  std::vector<std::string> parts;
  const auto list = [&parts](absl::string_view name, const auto& values) {
    if (!values.empty()) parts.push_back(absl::StrCat(name, " ", absl::StrJoin(values, ", ")));
  };
  list("architectures", applicability.architectures());
  list("SoCs", applicability.socs());
  list("toolchains", applicability.toolchains());
  if (!applicability.toolchain_from().empty()) {
    parts.push_back(absl::StrCat("from version ", applicability.toolchain_from()));
  }
  if (!applicability.toolchain_to().empty()) {
    parts.push_back(absl::StrCat("to version ", applicability.toolchain_to()));
  }
  std::vector<std::string> dtypes;
  for (const int dtype : applicability.dtypes()) dtypes.push_back(v1::DType_Name(static_cast<v1::DType>(dtype)));
  list("dtypes", dtypes);
  if (!applicability.applies_when().empty()) parts.push_back(absl::StrCat("when ", applicability.applies_when()));
  return absl::StrJoin(parts, "; ");
}

std::vector<std::string> ContentRenderings(const v1::Item& item, bool other_target) {
  const absl::string_view note =
      other_target ? "learned on another target: says that the way works, not how fast it is\n" : "";
  const std::string fields = FieldsOf(item);
  const auto form = [&](size_t limit) {
    return Quoted(item, absl::StrCat(note, Fenced("text", absl::StrCat(fields, Clipped(item.text(), limit)))));
  };
  std::string line = absl::StrCat("Item ", item.id(), ": ", OneLine(item.title()));
  if (!item.content().name().empty()) absl::StrAppend(&line, " (", OneLine(item.content().name()), ")");
  if (other_target) absl::StrAppend(&line, ", on another target");
  return {form(kLongestText), form(kLongestBeginning), absl::StrCat(line, "; ", OneLine(item.text()), "\n")};
}

}  // namespace kernelsmith::memory
