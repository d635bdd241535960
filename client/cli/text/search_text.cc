#include "client/cli/text/search_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string Number(double value) { return absl::StrFormat("%.3f", value); }

// "7.120 (#2)"; "-" if this half did not find the item.
std::string Half(double score, int rank) { return rank > 0 ? absl::StrFormat("%.3f (#%d)", score, rank) : "-"; }

std::string Remarks(const v1::RetrieveResponse& found) {
  std::string text;
  if (found.lexical_only()) {
    absl::StrAppend(&text, "words only, without similarity: ", OneLine(found.lexical_only_reason(), 200), "\n");
  }
  return text;
}

}  // namespace

std::string LabelText(v1::Label label) {
  return label == v1::LABEL_UNSPECIFIED ? "-" : FormatEnum(v1::Label_Name(label));
}

std::string SearchText(const v1::RetrieveResponse& found) {
  if (found.items().empty()) return absl::StrCat("nothing found among ", found.candidates(), " items\n");
  Table table({"rank", "item", "kind", "score", "u", "label", "d", "title"},
              {Align::kRight, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kRight});
  for (const v1::RankedItem& ranked : found.items()) {
    const v1::Item& item = ranked.item();
    table.Add({absl::StrCat(ranked.rank()), item.id(), FormatEnum(v1::ItemKind_Name(item.kind())),
               Number(ranked.score()), Number(item.values().u()), LabelText(item.values().label()),
               Number(item.values().d()), OneLine(item.title(), 70)});
  }
  return table.Render() + Remarks(found);
}

std::string ExplainedSearchText(const v1::RetrieveResponse& found) {
  if (found.items().empty()) return absl::StrCat("nothing found among ", found.candidates(), " items\n");
  Table table({"rank", "item", "score", "relevance", "words", "similarity", "fused", "u", "Q", "d", "chance"},
              {Align::kRight, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight, Align::kRight, Align::kRight});
  std::string reasons;
  for (const v1::RankedItem& ranked : found.items()) {
    const v1::ScoreParts& parts = ranked.parts();
    table.Add({absl::StrCat(ranked.rank()), ranked.item().id(), Number(ranked.score()), Number(ranked.relevance()),
               Half(parts.lexical(), parts.lexical_rank()), Half(parts.similarity(), parts.vector_rank()),
               absl::StrFormat("%.4f", parts.fused()), Number(parts.u()), Number(parts.q()), Number(parts.d()),
               parts.explored() ? "yes" : ""});
    absl::StrAppend(&reasons, ranked.rank(), ". ", OneLine(ranked.item().title(), 70), ": ",
                    OneLine(ranked.reason(), 300), "\n");
  }
  return absl::StrCat(table.Render(), "\n", reasons, Remarks(found), found.candidates(),
                      " items passed the filters; seed ", found.seed(), "\n");
}

}  // namespace kernelsmith::client
