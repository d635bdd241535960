// Candidates by relevance, re-ranked by the policy, each with the reason for its place.
//
//   const Retrieval found = FindItems(graph, index, {.text = "softmax rows", .rules = rules, .target = target, .limit =
//   8});
//
// The pool is chosen by relevance alone, after the exact filters; the policy only re-orders the pool. Evidence of
// another target vouches that a way works, not how fast it is: its label and d take no part in the rank, and its reason
// says so.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/experience_graph.h"
#include "memory/retrieval/inverted_index.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

struct RetrievalQuery {
  std::string text;  // empty: every item is equally relevant, and the policy's values and recency decide
  v1::Filter filter;
  PolicyRules rules;
  v1::Target target;  // empty fields match every target
  int limit = 10;     // items returned
};

struct RetrievedItem {
  int item = -1;
  double relevance = 0;       // s
  double score = 0;           // what the policy orders by; under `kope` d*c within the label's bucket
  bool failure = false;       // the attempt was not correct
  bool other_target = false;  // measured elsewhere
  std::string reason;
};

struct Retrieval {
  std::vector<RetrievedItem> items;  // best first
  int64_t candidates = 0;            // items that passed the filters
};

// Empty for a policy that retrieves nothing.
Retrieval FindItems(const ExperienceGraph& graph, const InvertedIndex& index, const RetrievalQuery& query);

}  // namespace kernelsmith::memory
