#include "memory/context/rendering.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "memory/context/code_change.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestCode = 24'000;  // bytes; a longer source is shown by its change only
constexpr size_t kLongestChange = 8'000;
constexpr size_t kLongestSummary = 240;

std::string Heading(const v1::Item& item) {
  return absl::StrCat("Item ", item.id(), ", ", v1::ItemKind_Name(item.kind()), ", trust: ", item.trust(), ".\n");
}

// A fence of more backticks than the text has in a row.
std::string Fenced(absl::string_view language, absl::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return absl::StrCat(fence, language, "\n", text, absl::EndsWith(text, "\n") ? "" : "\n", fence, "\n");
}

std::string OutcomeOf(const v1::Item& item, bool other_target) {
  if (other_target) {
    return absl::StrCat("measured on another target (", item.target().soc(),
                        "): says whether the way works, not how fast it is\n");
  }
  std::string out;
  if (item.case_().latency_us() > 0) absl::StrAppendFormat(&out, "latency: %.3f us\n", item.case_().latency_us());
  if (item.case_().speedup() > 0) absl::StrAppendFormat(&out, "speed-up: %.3f\n", item.case_().speedup());
  absl::StrAppendFormat(&out, "effect against its predecessor: r %.3f, %s; downstream d %.3f\n", item.values().r(),
                        v1::Label_Name(item.values().label()), item.values().d());
  return out;
}

std::vector<std::string> CaseRenderings(const v1::Item& item, bool other_target) {
  const v1::Case& source = item.case_();
  const std::string fields = absl::StrCat(Heading(item), item.text(), OutcomeOf(item, other_target));
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
  std::string summary = absl::StrCat("Item ", item.id(), ": ", item.title());
  if (!other_target) {
    absl::StrAppendFormat(&summary, ", r %.2f %s", item.values().r(), v1::Label_Name(item.values().label()));
  } else {
    absl::StrAppend(&summary, ", on another target");
  }
  if (!source.hypothesis().empty()) absl::StrAppend(&summary, "; ", Clipped(source.hypothesis(), kLongestSummary));
  renderings.push_back(absl::StrCat(summary, "\n"));
  return renderings;
}

std::vector<std::string> JournalRenderings(const v1::Item& item, bool other_target) {
  const v1::Journal& journal = item.journal();
  const std::string note =
      other_target ? "written on another target: says whether the way works, not how fast it is\n" : "";
  std::string text = item.text();
  if (other_target && !journal.measurements().empty()) {  // figures of another target must not pass for ours
    v1::Journal without = journal;
    without.clear_measurements();
    text = absl::StrCat(item.title(), "\n", JournalText({}, without));
  }
  const std::string gist = journal.interpretation().empty() ? journal.strategy() : journal.interpretation();
  return {absl::StrCat(Heading(item), note, text),
          absl::StrCat("Item ", item.id(), ": ", item.title(), "; ", Clipped(gist, kLongestSummary), "\n")};
}

}  // namespace

std::vector<std::string> RenderingsOf(const v1::Item& item, bool other_target) {
  std::vector<std::string> renderings =
      item.kind() == v1::JOURNAL ? JournalRenderings(item, other_target) : CaseRenderings(item, other_target);
  renderings.erase(std::unique(renderings.begin(), renderings.end()), renderings.end());
  return renderings;
}

}  // namespace kernelsmith::memory
