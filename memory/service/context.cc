// AssembleContext: retrieve, pack, record the retrieval, answer. A repeat gets the recorded answer.
#include "common/status.h"
#include "memory/context/assembly.h"
#include "memory/context/rendering.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {

absl::StatusOr<v1::AssembleContextResponse> Experience::AssembleContext(const std::string& team,
                                                                        const v1::AssembleContextRequest& request) {
  RETURN_IF_ERROR(CheckContext(request));
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  const std::string retrieval_id = RetrievalId(team, request.producer(), request.attempt_id());
  uint64_t stored = 0;
  if (TeamMemory* memory = FindTeam(team)) {
    ReaderLock lock(memory->mutex);
    if (const RetrievalRecord* known = memory->graph.FindRetrieval(retrieval_id)) stored = known->sequence;
  }
  if (stored != 0) return StoredContext(team, stored);

  ASSIGN_OR_RETURN(FullRetrieval found, ReadRetrieval(team, {.text = request.query(),
                                                             .filter = request.filter(),
                                                             .rules = rules,
                                                             .target = request.target(),
                                                             .limit = rules.pool}));
  std::vector<OfferedItem> offers;
  for (FullItem& item : found.items) {
    OfferedItem& offer = offers.emplace_back();
    offer.renderings = RenderingsOf(item.ranked.item(), item.other_target);
    offer.failure = item.failure;
    offer.cold = !request.family().empty() && item.family != request.family();
    offer.ranked = std::move(item.ranked);
  }
  ASSIGN_OR_RETURN(v1::AssembleContextResponse response, AssembleBlocks(request, rules, offers, token_counter_));
  response.set_retrieval_id(retrieval_id);

  // The record keeps each text once: required texts in the response's blocks, items by reference to their attempts.
  Fact fact = NewFact(team, FactKeyOf("retrieval", request.producer(), request.attempt_id()), "");
  *fact.mutable_retrieval()->mutable_request() = request;
  for (v1::RequiredBlock& block : *fact.mutable_retrieval()->mutable_request()->mutable_required()) block.clear_text();
  v1::AssembleContextResponse& record = *fact.mutable_retrieval()->mutable_response();
  record = response;
  for (v1::RankedItem& item : *record.mutable_items()) *item.mutable_item() = WithoutContent(item.item());
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  if (result.duplicate) return StoredContext(team, result.sequence);
  return response;
}

absl::StatusOr<v1::AssembleContextResponse> Experience::StoredContext(const std::string& team,
                                                                      uint64_t sequence) const {
  ASSIGN_OR_RETURN(Fact fact, store_->Read(team, sequence));
  v1::AssembleContextResponse response = std::move(*fact.mutable_retrieval()->mutable_response());
  std::vector<uint64_t> sequences;
  for (const v1::RankedItem& item : response.items()) sequences.push_back(item.item().sequence());
  ASSIGN_OR_RETURN(const std::vector<Fact> attempts, store_->ReadMany(team, sequences));
  for (int i = 0; i < response.items_size(); ++i) {
    v1::Item& item = *response.mutable_items(i)->mutable_item();
    item = ItemOf(attempts[i], item.kind(), item.values());
  }
  response.set_duplicate(true);
  return response;
}

}  // namespace kernelsmith::memory
