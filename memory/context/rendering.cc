#include "memory/context/rendering.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "memory/context/code_change.h"
#include "memory/context/content_rendering.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestCode = 24'000;  // bytes; a longer source is shown by its change only
constexpr size_t kLongestChange = 8'000;
constexpr size_t kLongestRule = 4'000;

std::string OutcomeOf(const v1::Item& item, bool other_target) {
  if (other_target) {
    return absl::StrCat("measured on another target (", OneLine(item.target().soc()),
                        "): says whether the way works, not how fast it is\n");
  }
  std::string out;
  if (item.case_().latency_us() > 0) absl::StrAppendFormat(&out, "latency: %.3f us\n", item.case_().latency_us());
  if (item.case_().speedup() > 0) absl::StrAppendFormat(&out, "speed-up: %.3f\n", item.case_().speedup());
  absl::StrAppendFormat(&out, "effect against its predecessor: r %.3f, %s; downstream d %.3f\n", item.values().r(),
                        v1::Label_Name(item.values().label()), item.values().d());
  return out;
}

std::string CaseLine(const v1::Item& item, bool other_target) {
  std::string line = absl::StrCat("Item ", item.id(), ": ", OneLine(item.title()));
  if (other_target) {
    absl::StrAppend(&line, ", on another target");
  } else {
    absl::StrAppendFormat(&line, ", r %.2f %s", item.values().r(), v1::Label_Name(item.values().label()));
  }
  if (!item.case_().hypothesis().empty()) absl::StrAppend(&line, "; ", OneLine(item.case_().hypothesis()));
  return absl::StrCat(line, "\n");
}

std::vector<std::string> CaseRenderings(const v1::Item& item, bool other_target) {
  const v1::Case& source = item.case_();
  const std::string fields = Quoted(item, absl::StrCat(Fenced("text", item.text()), OutcomeOf(item, other_target)));
  std::string with_change = fields;
  if (!source.code_before().empty()) {
    const std::string change = CodeChange(source.code_before(), source.code_after());
    if (!change.empty()) {
      absl::StrAppend(&with_change, "change:\n", Fenced("diff", Clipped(change, kLongestChange)));
    }
  }
  std::vector<std::string> renderings;
  if (!source.code_after().empty() && source.code_after().size() <= kLongestCode) {
    renderings.push_back(absl::StrCat(with_change, "code:\n", Fenced("cpp", source.code_after())));
  }
  renderings.push_back(with_change);
  renderings.push_back(fields);
  renderings.push_back(CaseLine(item, other_target));
  return renderings;
}

std::vector<std::string> JournalRenderings(const v1::Item& item, bool other_target) {
  const v1::Journal& journal = item.journal();
  const absl::string_view note =
      other_target ? "written on another target: says whether the way works, not how fast it is\n" : "";
  std::string text = item.text();
  if (other_target && !journal.measurements().empty()) {  // figures of another target must not pass for ours
    v1::Journal without = journal;
    without.clear_measurements();
    text = absl::StrCat(item.title(), "\n", JournalText({}, without));
  }
  const std::string& gist = journal.interpretation().empty() ? journal.strategy() : journal.interpretation();
  return {Quoted(item, absl::StrCat(note, Fenced("text", text))),
          absl::StrCat("Item ", item.id(), ": ", OneLine(item.title()), "; ", OneLine(gist), "\n")};
}

// Drops what is not shorter than the form before it.
std::vector<std::string> Shrinking(std::vector<std::string> renderings) {
  std::vector<std::string> result;
  for (std::string& rendering : renderings) {
    if (result.empty() || rendering.size() < result.back().size()) result.push_back(std::move(rendering));
  }
  return result;
}

}  // namespace

std::vector<std::string> RenderingsOf(const v1::Item& item, bool other_target) {
  if (item.kind() == v1::JOURNAL) return Shrinking(JournalRenderings(item, other_target));
  if (item.has_case_()) return Shrinking(CaseRenderings(item, other_target));
  return Shrinking(ContentRenderings(item, other_target));
}

std::vector<std::string> ChildRenderings(const v1::Item& item, bool other_target) {
  std::vector<std::string> renderings = RenderingsOf(item, other_target);
  const bool has_code =
      item.has_case_() && !item.case_().code_after().empty() && item.case_().code_after().size() <= kLongestCode;
  if (has_code) renderings.erase(renderings.begin());
  return renderings;
}

std::vector<std::string> ResidentRenderings(const v1::Item& item, absl::string_view rule_text) {
  return {Quoted(item, absl::StrCat("a rule that has helped before; it stands in every prompt\n",
                                    Fenced("text", Clipped(std::string(rule_text), kLongestRule))))};
}

}  // namespace kernelsmith::memory
