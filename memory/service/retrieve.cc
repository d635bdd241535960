// Retrieve: rank under the team's lock, then read the texts of the few chosen from the log.
#include "absl/time/clock.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDefaultLimit = 10;

}  // namespace

absl::StatusOr<Experience::FullRetrieval> Experience::ReadRetrieval(const std::string& team,
                                                                    const RetrievalQuery& query) const {
  const absl::Time begin = absl::Now();
  FullRetrieval result;
  std::vector<uint64_t> sequences;
  if (TeamMemory* memory = FindTeam(team)) {
    ReaderLock lock(memory->mutex);
    Retrieval found = FindItems(memory->graph, memory->index, query);
    result.candidates = found.candidates;
    for (RetrievedItem& item : found.items) {
      const ItemRecord& record = memory->graph.item(item.item);
      const AttemptRecord& attempt = memory->graph.attempt(record.attempt);
      FullItem& full = result.items.emplace_back();
      full.failure = item.failure;
      full.other_target = item.other_target;
      full.family = memory->graph.strings().Text(attempt.family);
      full.ranked.mutable_item()->set_kind(record.kind);
      *full.ranked.mutable_item()->mutable_values() = memory->graph.ValuesOf(item.item);
      full.ranked.set_relevance(item.relevance);
      full.ranked.set_score(item.score);
      full.ranked.set_rank(static_cast<int32_t>(result.items.size()));
      full.ranked.set_reason(std::move(item.reason));
      sequences.push_back(attempt.sequence);
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Fact> facts, store_->ReadMany(team, sequences));
  for (size_t i = 0; i < facts.size(); ++i) {
    v1::Item& item = *result.items[i].ranked.mutable_item();
    item = ItemOf(facts[i], item.kind(), item.values());
  }
  metrics_.ObserveRetrieval(absl::Now() - begin);
  return result;
}

absl::StatusOr<v1::RetrieveResponse> Experience::Retrieve(const std::string& team,
                                                          const v1::RetrieveRequest& request) const {
  RETURN_IF_ERROR(CheckRetrieve(request));
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  ASSIGN_OR_RETURN(FullRetrieval found,
                   ReadRetrieval(team, {.text = request.query(),
                                        .filter = request.filter(),
                                        .rules = rules,
                                        .target = request.target(),
                                        .limit = request.limit() == 0 ? kDefaultLimit : request.limit()}));
  v1::RetrieveResponse response;
  response.set_candidates(found.candidates);
  response.set_lexical_only(true);
  for (FullItem& item : found.items) *response.add_items() = std::move(item.ranked);
  return response;
}

}  // namespace kernelsmith::memory
