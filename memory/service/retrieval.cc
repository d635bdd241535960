#include "memory/service/retrieval.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/item_filter.h"

namespace kernelsmith::memory {
namespace {

// Each half of the search looks this far down, or as far as the pool is large.
constexpr int kDepth = 100;
// Without a query so many of the newest items stand for all.
constexpr int kNewest = 1000;

// A query as the policy rules it: own history asks for no words and for the attempts of its job alone.
RetrievalQuery Resolved(RetrievalQuery query) {
  if (query.rules.rank == RankRule::kOwnHistory) {
    query.text.clear();
    query.filter.clear_sessions();
    query.filter.add_sessions(query.session);
  }
  return query;
}

// The newest allowed items, all equally relevant.
std::vector<FusedHit> Newest(const ItemFilter& filter, int item_count, size_t limit) {
  std::vector<FusedHit> hits;
  if (filter.passes_everything()) {
    for (int item = item_count - 1; item >= 0 && hits.size() < limit; --item)
      hits.push_back({.item = item, .fused = 1});
    return hits;
  }
  const ItemBitmap& allowed = *filter.allowed();
  for (auto rank = static_cast<uint32_t>(filter.count()); rank > 0 && hits.size() < limit; --rank) {
    uint32_t item = 0;
    allowed.select(rank - 1, &item);
    hits.push_back({.item = static_cast<int>(item), .fused = 1});
  }
  return hits;
}

PoolItem PoolItemOf(const ExperienceGraph& graph, const RetrievalQuery& query, const FusedHit& hit,
                    std::vector<std::string> terms) {
  PoolItem out{.hit = hit, .terms = std::move(terms)};
  const int item = hit.item;
  if (const LearnedValues* learned = graph.learned(item)) out.u = learned->u;
  if (LearnsQ(query.rules)) out.q = graph.QOf(item, query.stage, query.rules, query.target, query.family);
  const Facets& facets = graph.facets(item);
  out.label = graph.LabelOfItem(item);
  out.has_outcome = out.label != v1::LABEL_UNSPECIFIED;
  out.d = graph.DownstreamOf(item, WeightsOf(query.rules));
  out.confidence = facets.confidence;
  out.failure = facets.failed;
  out.other_target = graph.IsOtherTarget(item, query.target);
  return out;
}

// What one memory has to offer, best relevance first.
void Gather(TeamMemory& memory, bool shared, const std::string& reader, const RetrievalQuery& query,
            const Vector* vector, IndexKeeper& keeper, int pool_size, FoundItems& found) {
  std::optional<ItemFilter> filter;
  int item_count = 0;
  {
    const ReaderLock lock(memory.mutex);
    item_count = memory.graph.item_count();
    const bool has_residents = !shared && query.residents_of != nullptr;
    filter.emplace(ItemQuery{.filter = query.filter,
                             .held_out_operators = query.rules.held_out_operators,
                             .target = query.target,
                             .producer = query.producer,
                             .reader_team = shared ? reader : ""},
                   memory.graph,
                   has_residents ? memory.graph.FindResidents(query.target, *query.residents_of) : nullptr);
  }
  found.candidates += filter->count();
  if (filter->count() == 0) return;

  const int depth = std::max(kDepth, pool_size);
  SearchOutcome outcome;
  if (query.text.empty()) {
    outcome.hits = Newest(*filter, item_count, std::max(depth, kNewest));
  } else {
    keeper.Await(shared ? kSharedTeam : reader, static_cast<uint32_t>(item_count));
    outcome = memory.index->Search({.text = query.text,
                                    .vector = vector,
                                    .allowed = filter->allowed(),
                                    .limit = depth,
                                    .kept = pool_size,
                                    .exact = query.exact});
  }
  const ReaderLock lock(memory.mutex);
  for (const FusedHit& hit : outcome.hits) {
    FoundItem& item = found.items.emplace_back();
    item.shared = shared;
    item.item = hit.item;
    item.pool = PoolItemOf(memory.graph, query, hit, outcome.TermsOf(hit));
    item.family = memory.graph.strings().Text(memory.graph.facets(hit.item).family);
  }
}

// The vector of the query's text, or why there is none.
std::optional<Vector> QueryVector(const RetrievalSources& sources, const RetrievalQuery& query, FoundItems& found) {
  if (sources.embedder == nullptr) {
    found.lexical_only = true;
    found.lexical_only_reason = "no embedder is configured";
    return std::nullopt;
  }
  if (query.text.empty()) return std::nullopt;
  absl::StatusOr<Vector> vector = sources.embedder->EmbedQuery(query.text);
  if (vector.ok()) return *std::move(vector);
  found.lexical_only = true;
  found.lexical_only_reason = absl::StrCat("the embedder does not answer: ", vector.status().message());
  return std::nullopt;
}

}  // namespace

FoundItems FindItems(const RetrievalSources& sources, const std::string& team, const RetrievalQuery& asked) {
  FoundItems found;
  if (asked.rules.rank == RankRule::kNone) return found;
  const RetrievalQuery query = Resolved(asked);
  const int pool_size = std::max(PoolSize(query.rules, query.progress), query.limit);
  const std::optional<Vector> vector = QueryVector(sources, query, found);

  for (const bool shared : {false, true}) {
    if (TeamMemory* memory = sources.teams.Find(shared ? kSharedTeam : team)) {
      Gather(*memory, shared, team, query, vector ? &*vector : nullptr, sources.keeper, pool_size, found);
    }
  }
  // Own items stand before shared ones of equal relevance; each memory's hits are in order already.
  std::stable_sort(found.items.begin(), found.items.end(),
                   [](const FoundItem& a, const FoundItem& b) { return a.pool.hit.fused > b.pool.hit.fused; });
  if (static_cast<int>(found.items.size()) > pool_size && !query.text.empty()) found.items.resize(pool_size);

  std::vector<PoolItem> pool;
  pool.reserve(found.items.size());
  for (FoundItem& item : found.items) pool.push_back(std::move(item.pool));
  std::vector<FoundItem> ordered;
  for (const Ranked& ranked : RankPool(pool, query.rules,
                                       {.slots = query.limit,
                                       .epsilon = EpsilonAt(query.rules.epsilon, query.rules, query.progress),
                                       .seed = query.seed})) {
    FoundItem& item = ordered.emplace_back(std::move(found.items[ranked.index]));
    item.pool = std::move(pool[ranked.index]);
    item.ranked = ranked;
  }
  found.items = std::move(ordered);
  return found;
}

ItemState StateOf(const TeamMemory& memory, int item) {
  const ReaderLock lock(memory.mutex);
  const ExperienceGraph& graph = memory.graph;
  ItemState state{.team = graph.team(), .sequence = graph.facets(item).sequence};
  state.item.set_id(graph.IdOf(item));
  state.item.set_kind(graph.item(item).kind);
  *state.item.mutable_values() = graph.ValuesOf(item);
  state.item.set_scope(graph.ScopeOf(item));
  const v1::Lifecycle lifecycle = graph.LifecycleOf(item);
  if (lifecycle.retired() || !lifecycle.superseded_by().empty() || lifecycle.supersedes_size() > 0) {
    *state.item.mutable_lifecycle() = lifecycle;
  }
  if (graph.team() == kSharedTeam) *state.item.mutable_provenance() = graph.ProvenanceOf(item);
  state.item.set_sequence(state.sequence);
  return state;
}

}  // namespace kernelsmith::memory
