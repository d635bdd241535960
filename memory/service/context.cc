// AssembleContext: retrieve, pack, record the retrieval, answer. A repeat gets the recorded answer.
#include <iterator>

#include "common/status.h"
#include "memory/context/assembly.h"
#include "memory/context/rendering.h"
#include "memory/graph/item_ids.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"
#include "memory/values/random.h"

namespace kernelsmith::memory {

uint64_t Experience::RecordedRetrieval(const std::string& team, const std::string& retrieval_id) const {
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return 0;
  const ReaderLock lock(memory->mutex);
  const RetrievalRecord* known = memory->graph.FindRetrieval(retrieval_id);
  return known == nullptr ? 0 : known->sequence;
}

absl::StatusOr<v1::AssembleContextResponse> Experience::AssembleContext(const std::string& team,
                                                                        const v1::AssembleContextRequest& request) {
  RETURN_IF_ERROR(CheckContext(request));
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  const std::string retrieval_id = RetrievalId(team, request.producer(), request.attempt_id());
  if (const uint64_t stored = RecordedRetrieval(team, retrieval_id)) return StoredContext(team, stored);

  const uint64_t seed = request.seed() != 0 ? request.seed() : SeedFrom(request.producer(), request.attempt_id());
  RetrievalQuery query{.text = request.query(),
                       .filter = request.filter(),
                       .rules = rules,
                       .target = request.target(),
                       .stage = request.stage(),
                       .family = request.family(),
                       .producer = request.producer(),
                       .session = request.session(),
                       .limit = PoolSize(rules, request.progress()),
                       .progress = request.progress(),
                       .seed = seed,
                       .residents_of = rules.residents == v1::Policy::NO_RESIDENTS ? nullptr : &request.policy()};
  std::vector<OfferedItem> offers;
  const TeamMemory* memory = teams_.Find(team);
  if (memory != nullptr) {
    ASSIGN_OR_RETURN(offers, OfferResidents(*memory, request, rules));
    ASSIGN_OR_RETURN(std::vector<OfferedItem> children, OfferStartChildren(*memory, request));
    offers.insert(offers.end(), std::make_move_iterator(children.begin()), std::make_move_iterator(children.end()));
  }
  ASSIGN_OR_RETURN(std::vector<OfferedItem> templates, OfferApiTemplates(team, request, query));
  offers.insert(offers.end(), std::make_move_iterator(templates.begin()), std::make_move_iterator(templates.end()));
  FullRetrieval found;
  if (rules.packing != v1::Policy::PROPOSER_ASKS) {
    ASSIGN_OR_RETURN(found, ReadRetrieval(team, query));
  }
  for (FullItem& item : found.items) {
    OfferedItem& offer = offers.emplace_back();
    offer.render = [&offers, index = offers.size() - 1, other_target = item.other_target] {
      return RenderingsOf(offers[index].ranked.item(), other_target);
    };
    offer.failure = item.failure;
    offer.cold = !request.family().empty() && item.family != request.family();
    offer.ranked = std::move(item.ranked);
  }
  ASSIGN_OR_RETURN(v1::AssembleContextResponse response, AssembleBlocks(request, rules, offers, *token_counter_));
  response.set_retrieval_id(retrieval_id);
  response.set_seed(seed);
  response.set_lexical_only(found.lexical_only);
  response.set_lexical_only_reason(found.lexical_only_reason);

  // The record keeps each text once: required texts in the response's blocks, items by reference to their facts.
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
  std::vector<ItemState> states;
  for (const v1::RankedItem& ranked : response.items()) {
    states.push_back({.item = ranked.item(),
                      .team = ranked.item().scope() == v1::SHARED ? std::string(kSharedTeam) : team,
                      .sequence = ranked.item().sequence()});
  }
  ASSIGN_OR_RETURN(std::vector<v1::Item> items, ReadItems(states));
  for (int i = 0; i < response.items_size(); ++i) *response.mutable_items(i)->mutable_item() = std::move(items[i]);
  response.set_duplicate(true);
  return response;
}

}  // namespace kernelsmith::memory
