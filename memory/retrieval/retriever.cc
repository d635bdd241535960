#include "memory/retrieval/retriever.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "memory/retrieval/item_filter.h"
#include "memory/values/rank.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kTermsInReason = 6;

// An item of the pool with what the policy looks at.
struct Pooled {
  RetrievedItem found;
  std::vector<std::string> terms;
  LabelPosition position;  // KOPE's order
  double u = 0;
  double d = 1;
};

bool IsOtherTarget(const AttemptRecord& attempt, const v1::Target& target, const StringTable& strings) {
  const auto differs = [&](const std::string& wanted, uint32_t have) {
    return !wanted.empty() && wanted != strings.Text(have);
  };
  return differs(target.architecture(), attempt.architecture) || differs(target.soc(), attempt.soc) ||
         differs(target.toolchain(), attempt.toolchain) || differs(target.driver(), attempt.driver);
}

Pooled PooledItem(const ExperienceGraph& graph, const RetrievalQuery& query, LexicalHit hit) {
  const ItemRecord& item = graph.item(hit.document);
  const AttemptRecord& attempt = graph.attempt(item.attempt);
  const AttemptForest::Node& node = graph.forest().node(item.attempt);
  Pooled pooled{.found = {.item = hit.document, .relevance = hit.score, .failure = !node.correct},
                .terms = std::move(hit.terms),
                .u = item.u};
  pooled.found.other_target = IsOtherTarget(attempt, query.target, graph.strings());
  v1::Label label = node.label;
  pooled.d = node.d;
  if (pooled.found.other_target) {  // it works or it does not; nothing is known of its speed here
    label = node.correct ? v1::PARTIAL : v1::NEGATIVE;
    pooled.d = node.correct ? 1.0 : 0.0;
  }
  pooled.position = {.label = label, .band = 0, .discounted = pooled.d * attempt.confidence};
  return pooled;
}

// The pool, best relevance first.
std::vector<LexicalHit> PoolOf(const ExperienceGraph& graph, const InvertedIndex& index, const RetrievalQuery& query,
                               const ItemFilter& filter) {
  const int size = std::max(query.rules.pool, query.limit);
  if (!query.text.empty()) {
    return index.Search(query.text, size, [&](int item) { return filter.Matches(item); });
  }
  std::vector<LexicalHit> hits;
  for (int item = graph.item_count() - 1; item >= 0; --item) {
    if (filter.Matches(item)) hits.push_back({.document = item, .score = 1.0});
  }
  return hits;
}

int64_t CountCandidates(const ExperienceGraph& graph, const ItemFilter& filter) {
  if (filter.passes_everything()) return graph.item_count();
  int64_t count = 0;
  for (int item = 0; item < graph.item_count(); ++item) count += filter.Matches(item) ? 1 : 0;
  return count;
}

double ScoreOf(const Pooled& pooled, const PolicyRules& rules) {
  switch (rules.rank) {
    case RankRule::kUtility:
      return UtilityRank(pooled.found.relevance, pooled.u, rules.gamma);
    case RankRule::kLabel:
      return pooled.position.discounted;
    case RankRule::kCombined:
      return CombinedRank(pooled.found.relevance, pooled.u, pooled.d, rules.gamma);
    case RankRule::kRelevance:
    case RankRule::kOwnHistory:
    case RankRule::kQGreedy:
    case RankRule::kZScores:
    case RankRule::kNone:
      return pooled.found.relevance;
  }
  return pooled.found.relevance;
}

std::string ReasonOf(const Pooled& pooled, const RetrievalQuery& query) {
  std::vector<std::string> parts;
  if (query.text.empty()) {
    parts.push_back("no query, so by value and recency");
  } else {
    const size_t shown = std::min(kTermsInReason, pooled.terms.size());
    const std::vector<std::string> terms(pooled.terms.begin(),
                                         pooled.terms.begin() + static_cast<std::ptrdiff_t>(shown));
    parts.push_back(absl::StrFormat("matches %s (s %.3f)", absl::StrJoin(terms, ", "), pooled.found.relevance));
  }
  const RankRule rank = query.rules.rank;
  if (rank == RankRule::kUtility || rank == RankRule::kCombined) {
    parts.push_back(absl::StrFormat("utility u %+.3f", pooled.u));
  }
  const bool uses_lineage = rank == RankRule::kLabel || rank == RankRule::kCombined;
  if (pooled.found.other_target) {
    parts.push_back(pooled.found.failure ? "failed on another target: says that it may not work, nothing about speed"
                                         : "from another target: says that it works, not how fast");
  } else if (rank == RankRule::kLabel) {
    parts.push_back(absl::StrFormat("label %s, d*c %.3f, relevance band %d", v1::Label_Name(pooled.position.label),
                                    pooled.position.discounted, pooled.position.band));
  } else if (uses_lineage) {
    parts.push_back(absl::StrFormat("label %s, downstream d %.3f", v1::Label_Name(pooled.position.label), pooled.d));
  }
  if (pooled.found.failure && !pooled.found.other_target) parts.push_back("a failed attempt");
  return absl::StrJoin(parts, "; ");
}

}  // namespace

Retrieval FindItems(const ExperienceGraph& graph, const InvertedIndex& index, const RetrievalQuery& query) {
  Retrieval result;
  if (query.rules.rank == RankRule::kNone) return result;
  const ItemFilter filter(query.filter, query.rules.held_out_operators, graph);
  result.candidates = CountCandidates(graph, filter);

  std::vector<Pooled> pool;
  for (LexicalHit& hit : PoolOf(graph, index, query, filter)) pool.push_back(PooledItem(graph, query, std::move(hit)));
  const double best_relevance = pool.empty() ? 0 : pool.front().found.relevance;
  for (Pooled& pooled : pool) {
    pooled.position.band = RelevanceBand(pooled.found.relevance, best_relevance);
    pooled.found.score = ScoreOf(pooled, query.rules);
  }
  // The pool stands by relevance, then recency; a stable sort keeps that order among equals.
  const bool by_label = query.rules.rank == RankRule::kLabel;
  std::stable_sort(pool.begin(), pool.end(), [by_label](const Pooled& a, const Pooled& b) {
    return by_label ? LeadsByLabel(a.position, b.position) : a.found.score > b.found.score;
  });
  if (static_cast<int>(pool.size()) > query.limit) pool.resize(query.limit);
  for (Pooled& pooled : pool) {
    pooled.found.reason = ReasonOf(pooled, query);
    result.items.push_back(std::move(pooled.found));
  }
  return result;
}

}  // namespace kernelsmith::memory
