#include "client/cli/text/attempt_text.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "client/cli/text/format.h"
#include "client/cli/text/report_text.h"
#include "client/cli/text/supplied_items.h"

namespace kernelsmith::client {
namespace {

void AppendField(std::string& text, absl::string_view name, absl::string_view value) {
  if (!value.empty()) absl::StrAppend(&text, name, ": ", OneLine(value, 600), "\n");
}

std::string ContextText(const v1::Attempt& attempt) {
  const std::vector<SuppliedItem> items = SuppliedItems(attempt.context());
  if (items.empty()) return "memory supplied nothing\n";
  std::map<std::string, const v1::AdoptionRecord*> adoption;
  for (const auto& record : attempt.proposal().adoption()) adoption[record.item_id()] = &record;
  std::string text = "memory supplied\n";
  for (const SuppliedItem& item : items) {
    absl::StrAppend(&text, "  ", item.id, "  ", OneLine(item.title, 80));
    if (const auto found = adoption.find(item.id); found != adoption.end()) {
      absl::StrAppend(&text, "  ", FormatEnum(v1::AdoptionState_Name(found->second->state())), ": ",
                      OneLine(found->second->reason(), 120));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string AttemptText(const v1::Attempt& attempt) {
  const v1::Proposal& proposal = attempt.proposal();
  std::string text = absl::StrCat("round ", attempt.round(), " of ", attempt.job_id(), ", ",
                                  FormatEnum(v1::Stage_Name(attempt.stage())));
  if (attempt.start_round() > 0) absl::StrAppend(&text, ", from round ", attempt.start_round());
  absl::StrAppend(&text, attempt.became_incumbent() ? ", became the best\n" : "\n");
  AppendField(text, "author", absl::StrCat(proposal.author().kind(), " ", proposal.author().model()));
  AppendField(text, "thought", proposal.thought().title());
  AppendField(text, "hypothesis", proposal.hypothesis());
  AppendField(text, "rationale", proposal.rationale());
  AppendField(text, "error", proposal.error());
  text += ContextText(attempt);
  if (attempt.has_report()) text += ReportText(attempt.report());
  for (const v1::SourceFile& file : attempt.candidate().files()) {
    absl::StrAppend(&text, "--- ", file.name(), "\n", Printable(file.content()));
    if (!file.content().empty() && file.content().back() != '\n') text += "\n";
  }
  return text;
}

}  // namespace kernelsmith::client
