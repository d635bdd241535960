#include "client/cli/text/memory_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/text/format.h"
#include "client/cli/text/search_text.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string ApplicabilityText(const v1::Applicability& where) {
  std::vector<std::string> parts;
  const auto add = [&parts](const auto& values) {
    if (!values.empty()) parts.push_back(absl::StrJoin(values, " or "));
  };
  add(where.architectures());
  add(where.socs());
  add(where.toolchains());
  if (!where.toolchain_from().empty()) parts.push_back(absl::StrCat("from version ", where.toolchain_from()));
  if (!where.toolchain_to().empty()) parts.push_back(absl::StrCat("to version ", where.toolchain_to()));
  std::vector<std::string> dtypes;
  for (const int dtype : where.dtypes()) dtypes.push_back(FormatEnum(v1::DType_Name(static_cast<v1::DType>(dtype))));
  add(dtypes);
  if (!where.applies_when().empty()) parts.push_back(where.applies_when());
  return parts.empty() ? "" : absl::StrCat("holds for ", OneLine(absl::StrJoin(parts, "; "), 400), "\n");
}

std::string LifecycleText(const v1::Item& item) {
  std::string text;
  const v1::Lifecycle& life = item.lifecycle();
  const std::string reason = life.reason().empty() ? "" : absl::StrCat(": ", OneLine(life.reason(), 200));
  if (life.retired()) absl::StrAppend(&text, "retired", reason, "\n");
  if (!life.superseded_by().empty()) absl::StrAppend(&text, "replaced by ", life.superseded_by(), reason, "\n");
  if (!life.supersedes().empty()) absl::StrAppend(&text, "replaces ", absl::StrJoin(life.supersedes(), ", "), "\n");
  if (item.has_provenance()) {
    const v1::Provenance& from = item.provenance();
    absl::StrAppend(&text, from.revoked() ? "was shared by team " : "shared by team ", from.team(), " with ",
                    from.readers().empty() ? "every team" : absl::StrJoin(from.readers(), ", "), " (its item ",
                    from.item_id(), "): ", OneLine(from.reason(), 200), "\n");
  }
  return text;
}

}  // namespace

std::string ItemText(const v1::Item& item) {
  const v1::ItemValues& values = item.values();
  std::string text =
      absl::StrCat(item.id(), "  ", FormatEnum(v1::ItemKind_Name(item.kind())), "  ", OneLine(item.title(), 200), "\n");
  absl::StrAppend(&text, item.attempt_id().empty() ? "" : absl::StrCat("attempt ", item.attempt_id(), ", "), "by ",
                  item.producer(), ", recorded ", FormatUtc(item.recorded_at_unix_us()), " UTC, trust: ", item.trust(),
                  "\n");
  absl::StrAppendFormat(&text, "u %.4f, retrieved in %d stages, adopted in %d; r %.4f (%s), d %.4f\n", values.u(),
                        values.n_retrieved(), values.n_adopted(), values.r(), LabelText(values.label()), values.d());
  if (values.n_feedback() > 0) {
    absl::StrAppendFormat(&text, "Q %.4f drafting, %.4f refining, after %d rewards\n", values.q_drafting(),
                          values.q_refining(), values.n_feedback());
  }
  if (values.resident()) absl::StrAppend(&text, "resident: its rule is in every prompt\n");
  if (values.n_harm() > 0) absl::StrAppend(&text, "adopted ", values.n_harm(), " times before a failed attempt\n");
  absl::StrAppend(&text, LifecycleText(item), ApplicabilityText(item.applicability()), "\n", Printable(item.text()),
                  "\n");
  return text;
}

std::string InsightText(const v1::ItemContent& content) {
  return absl::StrCat(OneLine(content.title(), 200), "\n", ApplicabilityText(content.applicability()), "\n",
                      Printable(content.text()));
}

std::string RecordedText(const v1::RecordItemResponse& recorded) {
  if (!recorded.near_duplicate_of().empty()) {
    return absl::StrCat("not stored: nearly the same item is there as ", recorded.near_duplicate_of(), "\n");
  }
  return absl::StrCat(recorded.duplicate() ? "was there already as " : "stored as ", recorded.item_id(), "\n");
}

std::string StatsText(const v1::StatsResponse& stats) {
  Table table({}, {Align::kLeft, Align::kRight});
  const auto add = [&table](const char* name, int64_t count) { table.Add({name, absl::StrCat(count)}); };
  add("facts", stats.facts());
  add("attempts", stats.attempts());
  add("items", stats.items());
  add("retired items", stats.retired_items());
  add("shared items", stats.shared_items());
  add("near-duplicates turned away", stats.near_duplicates());
  add("retrievals", stats.retrievals());
  add("adoptions", stats.adoptions());
  add("stages", stats.stages());
  add("harmful adoptions", stats.harmful_adoptions());
  add("never adopted in ten retrievals", stats.junk_items());
  add("resident rules", stats.resident_rules());
  add("index segments", stats.segments());
  add("items not sealed yet", stats.unsealed_items());
  table.Add({"store", FormatBytes(stats.store_bytes())});
  table.Add({"embedder", stats.embedder().empty() ? "-" : OneLine(stats.embedder(), 60)});
  return table.Render();
}

std::string VerifyText(const v1::VerifyProgress& verdict) {
  if (verdict.equal()) return absl::StrCat("equal: ", verdict.facts(), " facts folded again give what is served\n");
  std::string text = absl::StrCat("DIFFERENT: ", verdict.facts(), " facts folded again differ from what is served\n");
  for (const std::string& difference : verdict.differences()) {
    absl::StrAppend(&text, "  ", OneLine(difference, 300), "\n");
  }
  absl::StrAppend(&text, "restart the memory service: it folds the log anew; if it stays so, restore a backup\n");
  return text;
}

}  // namespace kernelsmith::client
