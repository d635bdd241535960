// Export: the team's attempts and items as rows of the exchange format, in sequence order. Import is the other way
// round, row by row (memory/exchange has the state machine, ExperienceService the stream).
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/exchange_rows.h"
#include "common/status.h"
#include "common/version.h"
#include "memory/graph/item_ids.h"
#include "memory/service/content_hash.h"
#include "memory/service/experience.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

// An attempt or item as others may have it: the author's team is the reader's to fill in.
std::optional<v1::ExchangeRow> RowOf(const Fact& fact) {
  v1::ExchangeRow row;
  if (fact.has_attempt()) {
    *row.mutable_attempt() = fact.attempt();
    row.mutable_attempt()->mutable_author()->clear_team();
    return row;
  }
  if (fact.has_item()) {
    *row.mutable_item() = fact.item();
    row.mutable_item()->mutable_author()->clear_team();
    return row;
  }
  return std::nullopt;
}

}  // namespace

absl::Status Experience::Export(const std::string& team, const v1::ExportRequest& request,
                                const std::function<absl::Status(const v1::ExchangeRow&)>& write) const {
  const TeamMemory* memory = teams_.Find(team);
  std::vector<uint64_t> sequences;  // of facts with at least one item that passes
  uint64_t last = 0;
  if (memory != nullptr) {
    const ReaderLock lock(memory->mutex);
    const ExperienceGraph& graph = memory->graph;
    last = graph.counts().last_sequence;
    const ItemConditions conditions = graph.Conditions(
        {.filter = request.filter(),
         .held_out_operators = {request.held_out_operators().begin(), request.held_out_operators().end()}});
    for (int item = 0; item < graph.item_count(); ++item) {
      const uint64_t sequence = graph.facets(item).sequence;
      const bool known = !sequences.empty() && sequences.back() == sequence;
      if (!known && sequence >= request.from_sequence() && graph.Admits(conditions, item))
        sequences.push_back(sequence);
    }
  }
  common::RowChain chain;
  const auto send = [&](v1::ExchangeRow row) {
    row.set_number(chain.next_number());
    RETURN_IF_ERROR(common::SealRow(&row));
    RETURN_IF_ERROR(chain.Add(row));
    return write(row);
  };
  v1::ExchangeRow first;
  v1::ExchangeManifest& manifest = *first.mutable_manifest();
  manifest.set_format(common::kExchangeFormat);
  manifest.set_team(team);
  manifest.set_program_version(std::string(common::Version()));
  manifest.set_exported_at_unix_us(clock_.UnixMicros());
  manifest.set_from_sequence(request.from_sequence());
  manifest.set_to_sequence(last);
  *manifest.mutable_filter() = request.filter();
  *manifest.mutable_held_out_operators() = request.held_out_operators();
  RETURN_IF_ERROR(send(std::move(first)));

  for (const uint64_t sequence : sequences) {
    ASSIGN_OR_RETURN(const Fact fact, store_->Read(team, sequence));
    if (std::optional<v1::ExchangeRow> row = RowOf(fact)) RETURN_IF_ERROR(send(*std::move(row)));
  }
  v1::ExchangeRow closing;
  *closing.mutable_closing() = chain.Closing();
  return send(std::move(closing));
}

bool Experience::IsStoredAs(const std::string& team, const std::string& item_id, const v1::ExchangeRow& row) const {
  uint64_t sequence = 0;
  if (const TeamMemory* memory = teams_.Find(team)) {
    const ReaderLock lock(memory->mutex);
    const int item = memory->graph.FindItem(item_id);
    if (item >= 0) sequence = memory->graph.facets(item).sequence;
  }
  if (sequence == 0) return false;
  const absl::StatusOr<Fact> stored = store_->Read(team, sequence);
  if (!stored.ok()) return false;
  const std::optional<v1::ExchangeRow> exported = RowOf(*stored);
  return exported.has_value() && ContentHash(*exported) == ContentHash(row);
}

absl::StatusOr<ImportSink::Stored> Experience::ImportAttempt(const std::string& team,
                                                             const v1::RecordAttemptRequest& row) {
  RETURN_IF_ERROR(CheckAttempt(row));
  ImportSink::Stored stored{.item_id = CaseItemId(team, row.producer(), row.attempt_id())};
  const std::string& prev = row.prev_attempt_id();
  const bool knows_prev = prev.empty() || KnowsAttempt(team, row.producer(), prev);
  const absl::StatusOr<v1::RecordAttemptResponse> recorded = StoreAttempt(team, row);
  if (recorded.ok()) {
    stored.duplicate = recorded->duplicate();
    if (!knows_prev && !stored.duplicate) {
      stored.note = absl::StrCat("its predecessor '", prev, "' is not recorded here: the attempt counts as a root");
    }
    return stored;
  }
  if (!absl::IsAlreadyExists(recorded.status())) return recorded.status();
  v1::ExchangeRow same;
  *same.mutable_attempt() = row;
  same.mutable_attempt()->mutable_author()->clear_team();
  if (!IsStoredAs(team, stored.item_id, same)) return recorded.status();
  stored.duplicate = true;
  return stored;
}

absl::StatusOr<ImportSink::Stored> Experience::ImportItem(const std::string& team, const v1::RecordItemRequest& row) {
  ImportSink::Stored stored{.item_id = ContentItemId(team, row.producer(), row.item_key())};
  const absl::StatusOr<v1::RecordItemResponse> recorded = RecordItem(team, row);
  if (recorded.ok()) {
    stored.duplicate = recorded->duplicate() || !recorded->near_duplicate_of().empty();
    stored.item_id = recorded->item_id();
    if (!recorded->near_duplicate_of().empty()) stored.note = "an item that says almost the same is here already";
    return stored;
  }
  if (!absl::IsAlreadyExists(recorded.status())) return recorded.status();
  v1::ExchangeRow same;
  *same.mutable_item() = row;
  same.mutable_item()->mutable_author()->clear_team();
  if (!IsStoredAs(team, stored.item_id, same)) return recorded.status();
  stored.duplicate = true;
  return stored;
}

}  // namespace kernelsmith::memory
