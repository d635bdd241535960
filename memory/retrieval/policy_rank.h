// How a policy orders a pool that relevance chose, and why each item stands where it does. Pure.
//
//   const std::vector<Ranked> order = RankPool(pool, rules, {.slots = 8, .epsilon = 0.1, .seed = 7});
//   pool[order[0].index], order[0].score, order[0].explored
//
// The pool comes best relevance first (equal: the newer first); equal scores keep that order. Evidence of another
// target vouches that a way works, not how fast it is: its label and d take no part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/retrieval/fusion.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

// What the policies look at of one item.
struct PoolItem {
  FusedHit hit;                    // hit.fused is the relevance s
  std::vector<std::string> terms;  // of the query that it holds
  double u = 0;
  double q = 0;  // of the stage in question
  double d = 1;  // 1 where it has none
  v1::Label label = v1::LABEL_UNSPECIFIED;
  double confidence = 0.8;    // c
  bool has_outcome = false;   // of an attempt: label and d mean something
  bool failure = false;       // the attempt was not correct
  bool other_target = false;  // measured elsewhere
};

struct RankOptions {
  int slots = 10;      // places to fill
  double epsilon = 0;  // share of them taken at random from the pool
  uint64_t seed = 0;
};

struct Ranked {
  int index = -1;    // into the pool
  double score = 0;  // what the policy orders by; under the label rule d*c within its bucket
  bool explored = false;
};

std::vector<Ranked> RankPool(const std::vector<PoolItem>& pool, const PolicyRules& rules, const RankOptions& options);

// One line: which terms and vectors found it, what value moved it, what it is evidence for.
std::string ReasonFor(const PoolItem& item, const Ranked& ranked, const PolicyRules& rules, bool has_query);

}  // namespace kernelsmith::memory
