#include "memory/retrieval/fusion.h"

#include <algorithm>
#include <unordered_map>

namespace kernelsmith::memory {
namespace {

double Share(int rank) { return rank == 0 ? 0 : 1 / (kFusionConstant + rank); }

}  // namespace

std::vector<FusedHit> Fuse(const std::vector<HalfHit>& lexical, const std::vector<HalfHit>& vector) {
  std::vector<FusedHit> hits;
  std::unordered_map<int, size_t> place;
  hits.reserve(lexical.size() + vector.size());
  place.reserve(lexical.size() + vector.size());
  for (const HalfHit& hit : lexical) {
    place.emplace(hit.item, hits.size());
    hits.push_back({.item = hit.item, .lexical = hit.score, .lexical_rank = static_cast<int>(hits.size()) + 1});
  }
  for (size_t i = 0; i < vector.size(); ++i) {
    const auto [entry, added] = place.emplace(vector[i].item, hits.size());
    if (added) hits.push_back({.item = vector[i].item});
    hits[entry->second].similarity = vector[i].score;
    hits[entry->second].vector_rank = static_cast<int>(i) + 1;
  }
  const double best = 2 * Share(1);
  for (FusedHit& hit : hits) hit.fused = (Share(hit.lexical_rank) + Share(hit.vector_rank)) / best;
  std::sort(hits.begin(), hits.end(), [](const FusedHit& a, const FusedHit& b) {
    return a.fused != b.fused ? a.fused > b.fused : a.item > b.item;
  });
  return hits;
}

}  // namespace kernelsmith::memory
