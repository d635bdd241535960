// Everything the memory knows about one team, folded from the fact log in sequence order. Live facts and replay go
// through the same Apply, so a rebuilt graph equals the live one bit for bit (Fingerprint tells).
//
//   ExperienceGraph graph("local");
//   graph.Apply(fact);
//   const int item = graph.FindItem("case-0123...");   // -1 if there is none
//
// Not thread-safe; see service/team_memory.h. Apply is total: a fact that names what is not there contributes nothing,
// because the service has checked it before it was logged.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
#include "memory/graph/attempt_forest.h"
#include "memory/graph/item_ids.h"
#include "memory/graph/records.h"
#include "memory/graph/string_table.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

bool IsEmpty(const v1::Journal& journal);

class ExperienceGraph {
 public:
  explicit ExperienceGraph(std::string team) : team_(std::move(team)) {}

  // REQUIRES: facts come in sequence order and are of this team.
  void Apply(const Fact& fact);

  const std::string& team() const { return team_; }
  const StringTable& strings() const { return strings_; }
  const AttemptForest& forest() const { return forest_; }
  const GraphCounts& counts() const { return counts_; }

  int attempt_count() const { return static_cast<int>(attempts_.size()); }
  const AttemptRecord& attempt(int index) const { return attempts_[index]; }  // same index as in the forest
  int item_count() const { return static_cast<int>(items_.size()); }
  const ItemRecord& item(int index) const { return items_[index]; }
  int64_t retrieval_count() const { return static_cast<int64_t>(retrievals_.size()); }
  int64_t stage_count() const { return static_cast<int64_t>(stages_.size()); }

  // -1 or null if there is none.
  int FindItem(absl::string_view item_id) const;
  const RetrievalRecord* FindRetrieval(absl::string_view retrieval_id) const;
  const StageRecord* FindStage(absl::string_view producer, absl::string_view stage_id) const;

  // u, counts, r, label and d of an item.
  v1::ItemValues ValuesOf(int item) const;

  // The whole state as text, every number with all its bits. Equal states have equal fingerprints.
  std::string Fingerprint() const;

 private:
  void ApplyAttempt(const Fact& fact);
  void ApplyRetrieval(const Fact& fact);
  void ApplyAdoption(const Fact& fact);
  void ApplyStage(const Fact& fact);
  int AddItem(std::string id, v1::ItemKind kind, int attempt);
  void CountHarm(const RetrievalRecord& retrieval, int attempt);

  const std::string team_;
  StringTable strings_;
  AttemptForest forest_;
  std::vector<AttemptRecord> attempts_;
  std::vector<ItemRecord> items_;
  std::unordered_map<std::string, int> item_by_id_;
  std::unordered_map<std::string, RetrievalRecord> retrievals_;
  std::unordered_map<std::string, StageRecord> stages_;  // by AttemptKey(producer, stage_id)
  GraphCounts counts_;
};

}  // namespace kernelsmith::memory
