#include "client/cli/text/rules_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/text/format.h"
#include "client/cli/text/search_text.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string SideText(absl::string_view side, const v1::Item& item) {
  const v1::ItemValues& values = item.values();
  return absl::StrFormat("  %s %s  %s\n    u %.3f, adopted in %d of %d stages, r %.3f (%s), d %.3f, harm %d\n", side,
                         item.id(), OneLine(item.title(), 100), values.u(), values.n_adopted(), values.n_retrieved(),
                         values.r(), LabelText(values.label()), values.d(), values.n_harm());
}

}  // namespace

std::string ConflictsText(const v1::ListConflictsResponse& found) {
  if (found.conflicts().empty()) return "no conflicts\n";
  std::string text;
  for (const v1::Conflict& conflict : found.conflicts()) {
    absl::StrAppend(&text, OneLine(conflict.reason(), 300), "\n", SideText("for    ", conflict.for_item()),
                    SideText("against", conflict.against_item()));
  }
  if (!found.next_page_token().empty()) absl::StrAppend(&text, "there are more; see them with --limit\n");
  return text;
}

std::string ResidentsText(const v1::ListResidentsResponse& found) {
  if (found.items().empty()) return "no residents, and no item passes the gate\n";
  Table table({"state", "item", "U", "p", "tokens", "rule"},
              {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  for (const v1::ResidentView& view : found.items()) {
    table.Add({view.resident() ? "resident" : "left out", view.item().id(), absl::StrFormat("%.3e", view.utility()),
               absl::StrFormat("%.3f", view.usage()), absl::StrCat(view.tokens()),
               OneLine(view.rule_text().empty() ? view.item().title() : view.rule_text(), 80)});
  }
  return absl::StrCat(table.Render(), found.used_tokens(), " of ", found.budget_tokens(), " tokens used\n");
}

std::string PoliciesText(const std::vector<v1::Policy>& policies) {
  Table table({"policy", "writes", "rank", "credit", "residents", "start point", "packing"});
  for (const v1::Policy& policy : policies) {
    table.Add({policy.preset(), FormatEnum(v1::Policy::Writes_Name(policy.writes())),
               FormatEnum(v1::Policy::Rank_Name(policy.rank())), FormatEnum(v1::Policy::Credit_Name(policy.credit())),
               FormatEnum(v1::Policy::Residents_Name(policy.residents())),
               FormatEnum(v1::Policy::StartPoint_Name(policy.start_point())),
               FormatEnum(v1::Policy::Packing_Name(policy.packing()))});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
