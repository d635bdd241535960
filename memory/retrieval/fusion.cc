#include "memory/retrieval/fusion.h"

#include <algorithm>
#include <unordered_map>

namespace kernelsmith::memory {
namespace {

// Ranks from 1; equal scores share one.
std::vector<int> RanksOf(const std::vector<HalfHit>& hits) {
  std::vector<int> ranks(hits.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    const bool equal = i > 0 && hits[i].score == hits[i - 1].score;
    ranks[i] = equal ? ranks[i - 1] : static_cast<int>(i) + 1;
  }
  return ranks;
}

double Share(int rank) { return rank == 0 ? 0 : 1 / (kFusionConstant + rank); }

}  // namespace

std::vector<FusedHit> Fuse(const std::vector<HalfHit>& lexical, const std::vector<HalfHit>& vector) {
  std::vector<FusedHit> hits;
  std::unordered_map<int, size_t> place;
  hits.reserve(lexical.size() + vector.size());
  place.reserve(lexical.size() + vector.size());
  const std::vector<int> lexical_ranks = RanksOf(lexical);
  for (size_t i = 0; i < lexical.size(); ++i) {
    place.emplace(lexical[i].item, hits.size());
    hits.push_back({.item = lexical[i].item,
                    .lexical = lexical[i].score,
                    .lexical_rank = lexical_ranks[i],
                    .lexical_place = static_cast<int>(i)});
  }
  const std::vector<int> vector_ranks = RanksOf(vector);
  for (size_t i = 0; i < vector.size(); ++i) {
    const auto [entry, added] = place.emplace(vector[i].item, hits.size());
    if (added) hits.push_back({.item = vector[i].item});
    hits[entry->second].similarity = vector[i].score;
    hits[entry->second].vector_rank = vector_ranks[i];
  }
  const double best = 2 * Share(1);
  for (FusedHit& hit : hits) hit.fused = (Share(hit.lexical_rank) + Share(hit.vector_rank)) / best;
  std::sort(hits.begin(), hits.end(), [](const FusedHit& a, const FusedHit& b) {
    return a.fused != b.fused ? a.fused > b.fused : a.item > b.item;
  });
  return hits;
}

}  // namespace kernelsmith::memory
