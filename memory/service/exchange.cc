// Export: the team's attempts and items as rows of the exchange format, in sequence order. Import is the other way
// round (memory/exchange has the state machine, ExperienceService the stream).
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/exchange_rows.h"
#include "common/status.h"
#include "common/version.h"
#include "memory/graph/item_ids.h"
#include "memory/service/experience.h"

namespace kernelsmith::memory {
namespace {

// An attempt or item as it was sent, without what the server filled in by itself.
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
    v1::Filter filter = request.filter();
    filter.set_include_retired(true);
    const ItemConditions conditions = graph.Conditions(
        {.filter = filter,
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

}  // namespace kernelsmith::memory
