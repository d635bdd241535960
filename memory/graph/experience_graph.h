// Everything the memory knows about one team, folded from the fact log in sequence order. Live facts and replay go
// through the same Apply, so a rebuilt graph equals the live one bit for bit (Fingerprint tells).
//
//   ExperienceGraph graph("local");
//   std::vector<SharedUpdate> updates = graph.Apply(fact);   // see shared_update.h
//   const int item = graph.FindItem("case-0123...");         // -1 if there is none
//   graph.ValuesOf(item);
//
// Items are numbered 0, 1, 2, ... in the order in which they are folded. The graph of the pseudo-team "shared" holds
// what teams have promoted; a team's own graph knows such items by reference only (a negative HeldItem::item).
//
// Apply, ApplyShared and NoteShared need exclusive access; everything else may run from many threads at once; see
// service/team_memory.h. Apply is total: a fact that names what is not there contributes nothing, because the service
// has checked it before it was logged. Facts and their heads (log/head.h) fold to the same state.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "memory/graph/applicability_table.h"
#include "memory/graph/attempt_forest.h"
#include "memory/graph/conflict_index.h"
#include "memory/graph/item_bitmap.h"
#include "memory/graph/item_conditions.h"
#include "memory/graph/item_ids.h"
#include "memory/graph/learned_values.h"
#include "memory/graph/near_duplicate_index.h"
#include "memory/graph/policy_table.h"
#include "memory/graph/records.h"
#include "memory/graph/resident_sets.h"
#include "memory/graph/shared_update.h"
#include "memory/graph/string_table.h"
#include "memory/log/head.h"
#include "memory/values/q_value.h"

namespace kernelsmith::memory {

class ExperienceGraph {
 public:
  explicit ExperienceGraph(std::string team);
  ExperienceGraph(const ExperienceGraph&) = delete;
  ExperienceGraph& operator=(const ExperienceGraph&) = delete;

  // Folds one fact and hands out what it does to items of the graph of "shared". `origins` are the operators that its
  // content stems from in other graphs (OriginsElsewhere).
  // REQUIRES: facts come in sequence order and are of this team.
  std::vector<SharedUpdate> Apply(const Fact& fact, const std::vector<std::string>& origins = {});

  // In the graph of "shared": folds what a team's fact did to its items, and fills the steps of utility ticks. An item
  // that is not there contributes nothing.
  void ApplyShared(std::vector<SharedUpdate>& updates);

  // In the graph of the team: notes the filled steps in the record of the stage.
  void NoteShared(const std::vector<SharedUpdate>& updates);

  const std::string& team() const { return team_; }
  const StringTable& strings() const { return strings_; }
  const AttemptForest& forest() const { return forest_; }
  const GraphCounts& counts() const { return counts_; }
  const FacetIndex& facet_index() const { return index_; }
  const ApplicabilityTable& applicability() const { return applicability_; }
  const ResidentSets& residents() const { return residents_; }

  int attempt_count() const { return static_cast<int>(attempts_.size()); }
  const AttemptRecord& attempt(int index) const { return attempts_[index]; }  // same index as in the forest
  int item_count() const { return static_cast<int>(items_.size()); }
  const ItemRecord& item(int index) const { return items_[index]; }
  // Of an attempt's item: the attempt's record.
  const Facets& facets(int item) const;
  int64_t retrieval_count() const { return static_cast<int64_t>(retrievals_.size()); }
  int64_t stage_count() const { return static_cast<int64_t>(stages_.size()); }

  std::string IdOf(int item) const { return FormatId(items_[item].id); }
  // Of HeldItem::item and UtilityStep::item: an own item's id, or a shared item's.
  std::string IdOfRef(int ref) const;

  // -1 or null if there is none.
  int FindItem(absl::string_view item_id) const;
  const RetrievalRecord* FindRetrieval(absl::string_view retrieval_id) const;
  const StageRecord* FindStage(absl::string_view producer, absl::string_view stage_id) const;
  // The changes of a stage as the API shows them.
  std::vector<v1::UtilityChange> ChangesOf(const StageRecord& stage) const;

  // The operators that an item stems from: its own, those of what it was distilled from, and those of the attempts
  // whose code it goes back to, over any number of steps. By all of them it is held out.
  std::vector<std::string> OriginsOf(int item) const;

  // u, counts, Q, r, label, d and confidence of an item.
  v1::ItemValues ValuesOf(int item) const;
  // Null as long as nothing was learned about it.
  const LearnedValues* learned(int item) const;
  v1::Label LabelOfItem(int item) const;
  double EffectOf(int item) const;                                        // r
  double DownstreamOf(int item) const;                                    // d; 1 where there is none
  double DownstreamOf(int item, const DownstreamWeights& weights) const;  // of a shared item always as promoted
  // Q of an item under a policy: kept by target and family if the policy says so; q0 before the first reward.
  double QOf(int item, v1::Stage stage, const PolicyRules& rules, const v1::Target& target,
             absl::string_view family) const;

  // Scope. Who may see an item at all: of a private one its producer; in the graph of "shared" the readers of an item
  // that is not revoked, and the team that promoted it.
  bool MayRead(int item, absl::string_view producer) const;
  bool IsSharedWith(int item, absl::string_view reader_team) const;
  v1::Scope ScopeOf(int item) const;
  // Empty if nothing has happened to the item.
  v1::Lifecycle LifecycleOf(int item) const;
  bool IsOut(int item) const { return index_.Contains(Facet::kOut, 1, static_cast<uint32_t>(item)); }
  // Empty for an item that was not promoted to here.
  v1::Provenance ProvenanceOf(int item) const;

  ItemConditions Conditions(const ItemQuery& query) const;
  bool Admits(const ItemConditions& conditions, int item) const;
  // The hard filters of a stage's prompt (EligibleStage::queries).
  const ItemConditions& stage_query(int number) const { return stage_queries_[number]; }
  // True if what is known of the item was measured or written for a target other than `target`; empty fields of
  // `target` match every target, and an item without a target is of none other.
  bool IsOtherTarget(int item, const v1::Target& target) const;

  // Feasible attempts of a job that are not retired, oldest first: P(x).
  std::vector<int> StartPoints(absl::string_view session) const;

  // True for the case of a correct attempt: it vouches that its way works, and a refinement may start from it.
  bool Vouches(int item) const {
    return items_[item].kind == v1::CASE && items_[item].attempt >= 0 && !attempts_[items_[item].attempt].failed;
  }

  // Items retrieved in at least `retrievals` stages and never adopted.
  int64_t JunkCount(int64_t retrievals) const;

  // An item, not retired and of the same kind, targets, bundle and name, that says almost what `request` says and that
  // its producer may read; -1 if there is none. `signature` is its ContentSignature.
  int FindNearDuplicate(const v1::RecordItemRequest& request, absl::string_view signature) const;

  // Null if no stage of this target and policy has ended yet.
  const ResidentSets::Set* FindResidents(const v1::Target& target, const v1::Policy& policy) const;
  // The recorded rule text, or null: then rule_text.h makes one.
  const RuleRecord* FindRule(int item) const;
  int64_t RuleTokensOf(int item) const;

  // At most `limit` conflicts among the items that `admit` admits, going on from `from` (0, or `next` of the call
  // before). Looks at about `most_items` items at most; `next` is -1 at the end.
  struct Conflicts {
    std::vector<ItemConflict> conflicts;
    int64_t next = -1;
  };
  Conflicts FindConflicts(const std::function<bool(int)>& admit, int64_t from, int limit,
                          int64_t most_items = 200'000) const;

  // The whole state line by line, every number with all its bits. Equal states have equal lines. The line is good
  // during the call only.
  void Describe(const std::function<void(absl::string_view)>& line) const;
  std::string Fingerprint() const;

 private:
  using CodeHash = std::array<unsigned char, 16>;
  struct Session {
    std::vector<int> feasible;  // attempts
    double best_us = 0;
  };
  static constexpr int kNoRef = 0x7fffffff;  // of an id that names nothing

  // fold_attempt.cc
  void ApplyAttempt(const Fact& fact, std::vector<SharedUpdate>& updates);
  struct Predecessor {
    int attempt = AttemptForest::kNone;
    bool cross_job = false;
    bool comparable = true;
  };
  Predecessor PredecessorOf(const v1::RecordAttemptRequest& request, const FactNotes& notes,
                            const Facets& facets) const;
  void FillFacets(const v1::RecordAttemptRequest& request, Facets& facets);
  void FillTarget(const v1::Target& target, Facets& facets);
  void LearnFromAttempt(const v1::RecordAttemptRequest& request, int attempt, const IdKey& retrieval_key,
                        std::vector<SharedUpdate>& updates);
  double BestBefore(const AttemptRecord& record, int start) const;
  void Reward(int ref, v1::Stage stage, double reward, const PolicyRules& rules, uint32_t context,
              std::vector<SharedUpdate>& updates);

  // fold_retrieval.cc
  void ApplyRetrieval(const Fact& fact);
  void ApplyAdoption(const Fact& fact, std::vector<SharedUpdate>& updates);
  void CountHarm(const RetrievalRecord& retrieval, std::vector<SharedUpdate>& updates);
  int RefOf(absl::string_view item_id);
  int StageQueryOf(const v1::AssembleContextRequest& request);

  // fold_stage.cc
  void ApplyStage(const Fact& fact, std::vector<SharedUpdate>& updates);
  void ApplyCredit(const v1::CompleteStageRequest& request, const StageCredit& credit, const PolicyRules& rules,
                   int stage, std::vector<SharedUpdate>& updates);
  void Consolidate(const v1::CompleteStageRequest& request, const StageCredit& credit, int policy,
                   const std::vector<int>& retrievals, uint64_t sequence);

  // fold_item.cc
  void ApplyItem(const Fact& fact, const std::vector<std::string>& origins);
  void ApplyLifecycle(const Fact& fact);
  void ApplySharedItem(const Fact& fact, const std::vector<std::string>& origins);
  void ApplyRuleText(const Fact& fact);
  void FillFacets(const v1::RecordItemRequest& request, const FactNotes& notes, Facets& facets);
  void IndexContent(int item, const v1::ItemContent& content, bool has_target);
  std::vector<uint32_t> OriginsOf(const v1::ItemContent& content) const;
  uint64_t DuplicateGroup(v1::ItemKind kind, const Facets& facets) const;
  void ShareWith(int item, const v1::Provenance& provenance);
  void Retire(int item, const std::string& reason);
  void Supersede(int old_item, int new_item, const std::string& reason);
  void Revoke(int item, const std::string& reason);
  void TakeOut(int item);

  // fingerprint.cc
  void DescribeAttempts(const std::function<void(absl::string_view)>& line) const;
  void DescribeItems(const std::function<void(absl::string_view)>& line) const;
  void DescribeEvents(const std::function<void(absl::string_view)>& line) const;
  void DescribeLearning(const std::function<void(absl::string_view)>& line) const;

  // origins.cc
  // The operators besides its own; null if there are none.
  const std::vector<uint32_t>* FurtherOrigins(int item) const;
  void AddOriginsOf(int item, std::vector<uint32_t>& origins) const;
  void NoteOrigins(int item, std::vector<uint32_t> origins, const std::vector<std::string>& elsewhere);

  int AddItem(const IdKey& id, v1::ItemKind kind, int attempt, int content);
  // Puts an item into the bitmaps; its record must be complete.
  void Index(int item);
  LearnedValues& Learned(int item);
  // Changes what the gate and the junk count read.
  void ChangeValues(int item, const std::function<void(LearnedValues&)>& change);
  static std::string TargetText(const v1::Target& target);
  uint32_t TargetNumber(const v1::Target& target) { return strings_.Intern(TargetText(target)); }
  static std::string QContextText(const v1::Target& target, absl::string_view family);
  uint32_t QContext(const v1::Target& target, absl::string_view family) {
    return strings_.Intern(QContextText(target, family));
  }

  const std::string team_;
  StringTable strings_;
  PolicyTable policies_;
  ApplicabilityTable applicability_;
  FacetIndex index_;
  AttemptForest forest_;
  std::vector<AttemptRecord> attempts_;
  std::vector<ContentRecord> contents_;
  std::vector<ItemRecord> items_;
  absl::flat_hash_map<IdKey, int> item_by_id_;
  std::vector<LearnedValues> learned_;
  absl::flat_hash_map<QContextKey, StageQ> q_by_context_;
  std::vector<RetrievalRecord> retrievals_;
  absl::flat_hash_map<IdKey, int> retrieval_by_id_;
  absl::flat_hash_map<IdKey, int> first_retrieval_;  // by the attempt it is for (IdKind::kRetrieval)
  std::vector<StageRecord> stages_;
  absl::flat_hash_map<std::string, int> stage_by_key_;  // AttemptKey(producer, stage_id)
  std::vector<IdKey> shared_refs_;                      // reference -1 - i is shared_refs_[i]
  absl::flat_hash_map<IdKey, int> shared_ref_numbers_;
  absl::flat_hash_map<CodeHash, int> latest_code_;  // latest feasible attempt that made this code
  absl::flat_hash_map<uint32_t, Session> sessions_;
  std::vector<ItemConditions> stage_queries_;
  absl::flat_hash_map<std::string, int> stage_query_numbers_;
  absl::flat_hash_map<uint64_t, RewardNormaliser> normalisers_;  // by target and policy identity
  std::map<int, LifecycleRecord> lifecycle_;                     // by item
  std::vector<ProvenanceRecord> provenances_;
  absl::flat_hash_map<int, uint32_t> origins_;  // by item that has further origins: index into origin_sets_
  std::map<std::vector<uint32_t>, uint32_t> origin_set_numbers_;  // operators that an item stems from besides its own
  std::vector<const std::vector<uint32_t>*> origin_sets_;         // keys of the map
  std::map<int, RuleRecord> rules_;                               // by item
  std::vector<int64_t> never_adopted_;                            // items by n_retrieved
  ConflictIndex conflicts_;
  NearDuplicateIndex near_duplicates_;
  ResidentSets residents_{*this};
  GraphCounts counts_;
};

}  // namespace kernelsmith::memory
