// Retrieve: find under the teams' locks, then read the texts of the few chosen from the log; on request the retrieval
// is recorded, because a proposer's own question needs its adoption record like a prompt.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "memory/graph/item_ids.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"
#include "memory/values/random.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDefaultLimit = 10;

void FillParts(const FoundItem& found, v1::ScoreParts& parts) {
  const FusedHit& hit = found.pool.hit;
  parts.set_lexical(hit.lexical);
  parts.set_lexical_rank(hit.lexical_rank);
  parts.set_similarity(hit.similarity);
  parts.set_vector_rank(hit.vector_rank);
  parts.set_fused(hit.fused);
  parts.set_u(found.pool.u);
  parts.set_q(found.pool.q);
  parts.set_d(found.pool.d);
  parts.set_explored(found.ranked.explored);
}

}  // namespace

absl::StatusOr<std::vector<v1::Item>> Experience::ReadItems(const std::vector<ItemState>& states) const {
  std::vector<v1::Item> items(states.size());
  for (const bool shared : {false, true}) {
    std::vector<uint64_t> sequences;
    std::vector<size_t> places;
    std::string team;
    for (size_t i = 0; i < states.size(); ++i) {
      if ((states[i].team == kSharedTeam) != shared) continue;
      team = states[i].team;
      sequences.push_back(states[i].sequence);
      places.push_back(i);
    }
    if (places.empty()) continue;
    ASSIGN_OR_RETURN(std::vector<Fact> facts, store_->ReadMany(team, sequences));
    for (size_t i = 0; i < places.size(); ++i) {
      const v1::Item& known = states[places[i]].item;
      v1::Item& item = items[places[i]];
      item = ItemOf(std::move(facts[i]), known.kind(), known.values());
      if (known.has_lifecycle()) *item.mutable_lifecycle() = known.lifecycle();
      if (known.has_provenance()) *item.mutable_provenance() = known.provenance();
    }
  }
  return items;
}

absl::StatusOr<Experience::FullRetrieval> Experience::ReadRetrieval(const std::string& team,
                                                                    const RetrievalQuery& query) const {
  const absl::Time begin = absl::Now();
  const FoundItems found = FindItems({teams_, *keeper_, embedder_.get()}, team, query);
  FullRetrieval result{.candidates = found.candidates,
                       .lexical_only = found.lexical_only,
                       .lexical_only_reason = found.lexical_only_reason};
  std::vector<ItemState> states;
  for (const FoundItem& item : found.items) {
    states.push_back(StateOf(*teams_.Find(item.shared ? kSharedTeam : team), item.item));
  }
  ASSIGN_OR_RETURN(std::vector<v1::Item> items, ReadItems(states));
  for (size_t i = 0; i < items.size(); ++i) {
    const FoundItem& item = found.items[i];
    FullItem& full = result.items.emplace_back();
    full.failure = item.pool.failure;
    full.other_target = item.pool.other_target;
    full.family = item.family;
    *full.ranked.mutable_item() = std::move(items[i]);
    full.ranked.set_relevance(item.pool.hit.fused);
    full.ranked.set_score(item.ranked.score);
    full.ranked.set_rank(static_cast<int32_t>(i) + 1);
    full.ranked.set_reason(ReasonFor(item.pool, item.ranked, query.rules, !query.text.empty()));
    FillParts(item, *full.ranked.mutable_parts());
  }
  metrics_.ObserveRetrieval(absl::Now() - begin);
  return result;
}

absl::StatusOr<v1::RetrieveResponse> Experience::RetrieveBy(const std::string& team, const v1::RetrieveRequest& request,
                                                            bool exact) const {
  RETURN_IF_ERROR(CheckRetrieve(request));
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  const uint64_t seed = request.seed() != 0 ? request.seed() : SeedFrom(request.producer(), request.retrieval_key());
  ASSIGN_OR_RETURN(FullRetrieval found,
                   ReadRetrieval(team, {.text = request.query(),
                                        .filter = request.filter(),
                                        .rules = rules,
                                        .target = request.target(),
                                        .stage = request.stage(),
                                        .producer = request.producer(),
                                        .limit = request.limit() == 0 ? kDefaultLimit : request.limit(),
                                        .progress = request.progress(),
                                        .seed = seed,
                                        .exact = exact}));
  v1::RetrieveResponse response;
  response.set_candidates(found.candidates);
  response.set_lexical_only(found.lexical_only);
  response.set_lexical_only_reason(found.lexical_only_reason);
  response.set_seed(seed);
  for (FullItem& item : found.items) {
    if (request.brief()) *item.ranked.mutable_item() = Brief(std::move(*item.ranked.mutable_item()));
    *response.add_items() = std::move(item.ranked);
  }
  return response;
}

absl::StatusOr<v1::RetrieveResponse> Experience::RetrieveExact(const std::string& team,
                                                               const v1::RetrieveRequest& request) {
  return RetrieveBy(team, request, true);
}

absl::StatusOr<v1::RetrieveResponse> Experience::Retrieve(const std::string& team, const v1::RetrieveRequest& request) {
  if (request.retrieval_key().empty()) return RetrieveBy(team, request, false);
  const std::string id = QuestionId(team, request.producer(), request.retrieval_key());
  if (const uint64_t sequence = RecordedRetrieval(team, id)) {
    ASSIGN_OR_RETURN(const v1::AssembleContextResponse stored, StoredContext(team, sequence));
    v1::RetrieveResponse response;
    response.set_retrieval_id(id);
    response.set_duplicate(true);
    response.set_seed(stored.seed());
    *response.mutable_items() = stored.items();
    return response;
  }
  ASSIGN_OR_RETURN(v1::RetrieveResponse response, RetrieveBy(team, request, false));
  response.set_retrieval_id(id);
  return RecordQuestion(team, request, std::move(response));
}

absl::StatusOr<v1::RetrieveResponse> Experience::RecordQuestion(const std::string& team,
                                                                const v1::RetrieveRequest& request,
                                                                v1::RetrieveResponse response) {
  Fact fact = NewFact(team, FactKeyOf("question", request.producer(), request.retrieval_key()), "");
  v1::AssembleContextRequest& asked = *fact.mutable_retrieval()->mutable_request();
  asked.set_producer(request.producer());
  asked.set_attempt_id(request.attempt_id());
  asked.set_query(request.query());
  *asked.mutable_filter() = request.filter();
  *asked.mutable_policy() = request.policy();
  *asked.mutable_target() = request.target();
  asked.set_stage(request.stage());
  v1::AssembleContextResponse& answered = *fact.mutable_retrieval()->mutable_response();
  answered.set_retrieval_id(response.retrieval_id());
  answered.set_seed(response.seed());
  for (const v1::RankedItem& ranked : response.items()) {
    v1::RankedItem& slim = *answered.add_items();
    slim = ranked;
    *slim.mutable_item() = WithoutContent(ranked.item());
    v1::ItemDecision& decision = *answered.add_decisions();
    decision.set_item_id(ranked.item().id());
    decision.set_included(true);
    decision.set_tier(v1::WARM);
    decision.set_reason(absl::StrCat("in: asked for; ", ranked.reason()));
    decision.set_relevance(ranked.relevance());
    decision.set_score(ranked.score());
  }
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  return result.duplicate ? Retrieve(team, request) : response;
}

}  // namespace kernelsmith::memory
