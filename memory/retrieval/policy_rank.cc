#include "memory/retrieval/policy_rank.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "memory/values/rank.h"
#include "memory/values/selection.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kTermsInReason = 6;

// Label and d as they count for the target in question.
v1::Label LabelFor(const PoolItem& item) {
  if (!item.other_target || !item.has_outcome) return item.label;
  return item.failure ? v1::NEGATIVE : v1::PARTIAL;
}

double DownstreamFor(const PoolItem& item) {
  if (!item.has_outcome) return 1;
  if (!item.other_target) return item.d;
  return item.failure ? 0 : 1;
}

std::vector<double> ScoresOf(const std::vector<PoolItem>& pool, const PolicyRules& rules) {
  std::vector<double> scores(pool.size());
  if (rules.rank == RankRule::kZScores) {
    std::vector<double> similarity;
    std::vector<double> q;
    for (const PoolItem& item : pool) {
      similarity.push_back(item.hit.fused);
      q.push_back(item.q);
    }
    return ZScoreRank(similarity, SpreadOf(similarity), q);
  }
  for (size_t i = 0; i < pool.size(); ++i) {
    const PoolItem& item = pool[i];
    switch (rules.rank) {
      case RankRule::kUtility:
        scores[i] = UtilityRank(item.hit.fused, item.u, rules.gamma);
        break;
      case RankRule::kLabel:
        scores[i] = DownstreamFor(item) * item.confidence;
        break;
      case RankRule::kCombined:
        scores[i] = CombinedRank(item.hit.fused, item.u, DownstreamFor(item), rules.gamma);
        break;
      case RankRule::kQGreedy:
        scores[i] = item.q;
        break;
      case RankRule::kOwnHistory:
      case RankRule::kRelevance:
      case RankRule::kZScores:
      case RankRule::kNone:
        scores[i] = item.hit.fused;
        break;
    }
  }
  return scores;
}

double BestRelevance(const std::vector<PoolItem>& pool) {
  double best = 0;
  for (const PoolItem& item : pool) best = std::max(best, item.hit.fused);
  return best;
}

}  // namespace

std::vector<Ranked> RankPool(const std::vector<PoolItem>& pool, const PolicyRules& rules, const RankOptions& options) {
  const std::vector<double> scores = ScoresOf(pool, rules);
  std::vector<int> order(pool.size());
  std::iota(order.begin(), order.end(), 0);
  if (rules.rank == RankRule::kLabel) {
    const double best = BestRelevance(pool);
    const auto position = [&](int i) {
      return LabelPosition{
          .label = LabelFor(pool[i]), .band = RelevanceBand(pool[i].hit.fused, best), .discounted = scores[i]};
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return LeadsByLabel(position(a), position(b)); });
  } else {
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  }
  std::vector<Ranked> ranked;
  for (const Pick& pick : EpsilonGreedyOrder(order, options.slots, options.epsilon, options.seed)) {
    ranked.push_back({.index = pick.index, .score = scores[pick.index], .explored = pick.explored});
  }
  return ranked;
}

std::string ReasonFor(const PoolItem& item, const Ranked& ranked, const PolicyRules& rules, bool has_query) {
  std::vector<std::string> parts;
  if (!has_query) parts.emplace_back("no query, so by value and recency");
  if (item.hit.lexical_rank > 0) {
    const size_t shown = std::min(kTermsInReason, item.terms.size());
    const std::vector<std::string> terms(item.terms.begin(), item.terms.begin() + static_cast<std::ptrdiff_t>(shown));
    parts.push_back(absl::StrFormat("matches %s (words: place %d)", absl::StrJoin(terms, ", "), item.hit.lexical_rank));
  }
  if (item.hit.vector_rank > 0) {
    parts.push_back(absl::StrFormat("cosine %.3f (place %d)", item.hit.similarity, item.hit.vector_rank));
  }
  if (has_query) parts.push_back(absl::StrFormat("s %.3f", item.hit.fused));
  const RankRule rank = rules.rank;
  if (rank == RankRule::kUtility || rank == RankRule::kCombined) {
    parts.push_back(absl::StrFormat("utility u %+.3f", item.u));
  }
  if (rank == RankRule::kQGreedy || rank == RankRule::kZScores) parts.push_back(absl::StrFormat("Q %+.3f", item.q));
  if (item.has_outcome && item.other_target) {
    parts.emplace_back(item.failure ? "failed on another target: says that it may not work, nothing about speed"
                                    : "from another target: says that it works, not how fast");
  } else if (item.has_outcome && rank == RankRule::kLabel) {
    parts.push_back(absl::StrFormat("label %s, d*c %.3f", v1::Label_Name(item.label), ranked.score));
  } else if (item.has_outcome && rank == RankRule::kCombined) {
    parts.push_back(absl::StrFormat("label %s, downstream d %.3f", v1::Label_Name(item.label), item.d));
  }
  if (item.failure && !item.other_target) parts.emplace_back("a failed attempt");
  if (ranked.explored) parts.emplace_back("drawn by chance, to learn its value");
  return absl::StrJoin(parts, "; ");
}

}  // namespace kernelsmith::memory
