// One retrieval: exact filters first, then the pool by words and vectors fused, then the policy's order with its
// exploration. It reads the team's own items and those that other teams share with it.
//
//   const FoundItems found = FindItems(sources, "local", {.text = "softmax rows", .rules = rules, .limit = 8});
//
// The pool is chosen by relevance alone, the K best of what passes the filters; the policy only re-orders it. No lock
// is held over more than one graph or index at a time, and none while texts are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/embedding/embedder.h"
#include "memory/retrieval/policy_rank.h"
#include "memory/retrieval/search/index_keeper.h"
#include "memory/service/team_registry.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

// What a retrieval reads. Everything outlives it.
struct RetrievalSources {
  const TeamRegistry& teams;
  IndexKeeper& keeper;
  Embedder* embedder = nullptr;  // null: words alone
};

struct RetrievalQuery {
  std::string text;  // empty: the newest items are equally relevant, and the policy's values decide
  v1::Filter filter;
  PolicyRules rules;
  v1::Target target;                        // empty fields match every target
  v1::Stage stage = v1::STAGE_UNSPECIFIED;  // whose Q counts
  std::string family;                       // for Q that is kept by family
  std::string producer;                     // reads its own private items too
  std::string session;                      // the job that asks: own history is its attempts
  int limit = 10;                           // items returned
  double progress = 0;                      // share of the job's rounds that are over
  uint64_t seed = 0;                        // of the exploration
  bool exact = false;                       // scan all vectors, to measure recall
  // Of a prompt: its residents are in the prompt anyway and not retrieved. Null: nobody is left out.
  const v1::Policy* residents_of = nullptr;
};

struct FoundItem {
  bool shared = false;  // of the pseudo-team "shared"
  int item = -1;        // number in its graph
  PoolItem pool;
  Ranked ranked;
  std::string family;
};

struct FoundItems {
  std::vector<FoundItem> items;  // in the policy's order
  int64_t candidates = 0;        // items that passed the filters
  bool lexical_only = false;
  std::string lexical_only_reason;
};

// Empty for a policy that retrieves nothing.
FoundItems FindItems(const RetrievalSources& sources, const std::string& team, const RetrievalQuery& query);

// What is known of an item now: id, kind, values, scope, lifecycle and provenance; and where its text lies. REQUIRES:
// `item` is a number of the graph.
struct ItemState {
  v1::Item item;
  std::string team;  // of the log
  uint64_t sequence = 0;
};
ItemState StateOf(const TeamMemory& memory, int item);

}  // namespace kernelsmith::memory
