// Reciprocal-rank fusion of the two halves of a search (Cormack, Clarke and Büttcher, SIGIR 2009).
//
//   Fuse({{.item = 7, .score = 9.1}, {.item = 3, .score = 8.0}}, {{.item = 3, .score = 0.8}});   // 3 before 7
//
// fused = 1/(10 + rank in the lexical list) + 1/(10 + rank in the vector list), ranks from 1, an absent half adds 0;
// divided by 2/11, so that an item that leads both lists has 1. The paper's constant is 60; a smaller one lets the
// first places count for more, so that the one item that holds a rare name is not outvoted by a dozen that both halves
// find so-so. Items of equal score share a rank, so that what is equally relevant stays so. It is the relevance s of
// every policy.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::memory {

// A hit of one half: BM25 or cosine.
struct HalfHit {
  int item = -1;
  double score = 0;
};

struct FusedHit {
  int item = -1;
  double fused = 0;       // (0, 1]
  double lexical = 0;     // BM25; 0 if that half did not find it
  int lexical_rank = 0;   // from 1; 0 if that half did not find it
  double similarity = 0;  // cosine
  int vector_rank = 0;
  int lexical_place = -1;  // in the lexical list; -1 if that half did not find it
};

constexpr double kFusionConstant = 10;

// Both lists best first. The result best first; equal scores: the later item first.
std::vector<FusedHit> Fuse(const std::vector<HalfHit>& lexical, const std::vector<HalfHit>& vector);

}  // namespace kernelsmith::memory
