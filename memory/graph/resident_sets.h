// The rules that are always in the prompt (SAGE's residents), one set for each (team, target, policy).
//
//   const int set = sets.FindOrAdd(target, identity);
//   sets.NoteStage({.queries = {...}, .items_known = n, .resident_set = set});   // before the rebuild
//   sets.MoveUsage(set, credit.residents, rules.usage_step);
//   sets.Rebuild(set, rules, target, seed);
//   sets.set(set).members;                                                     // by falling U
//
// The formulas are those of values/residents.h. n_elig is not kept for every item: it is counted from the stages, for
// items that pass the gate, and goes on from where it stopped. An item is resident in a stage if it is a member of the
// set that the stage's prompts held.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/stage_credit.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

class ExperienceGraph;

// A stage that counts for n_elig.
struct EligibleStage {
  absl::InlinedVector<int, 1> queries;  // its hard filters, as numbers of the graph; an item passes if it passes one
  int items_known = 0;                  // items that existed when its last prompt was made
  int resident_set = -1;                // which its prompts held
};

class ResidentSets {
 public:
  struct Member {
    int item = -1;
    double usage = 0;    // p
    int64_t tokens = 0;  // L
    double utility = 0;  // U
  };
  struct Set {
    uint32_t target = 0;          // number of the target
    uint32_t identity = 0;        // of the policy
    std::vector<Member> members;  // in the order of admission: by falling U, unless drawn at random
    std::vector<Member> waiting;  // passed the gate and did not fit, by falling U
    int64_t used_tokens = 0;
    int64_t budget_tokens = 0;

    const Member* Find(int item) const;
  };

  // `graph` must outlive the object; the sets are part of it.
  explicit ResidentSets(const ExperienceGraph& graph) : graph_(graph) {}

  // -1 if there is none.
  int Find(uint32_t target, uint32_t identity) const;
  int FindOrAdd(uint32_t target, uint32_t identity);
  const Set& set(int index) const { return sets_[index].visible; }
  int size() const { return static_cast<int>(sets_.size()); }

  // True if the item is a member of any set; the number of different members of all sets.
  bool IsResident(int item) const { return member_counts_.contains(item); }
  int64_t resident_count() const { return static_cast<int64_t>(member_counts_.size()); }

  // Says that the values, the rule text or the life of an item have changed.
  void Touch(int item) { touched_.push_back(item); }

  void NoteStage(EligibleStage stage) { stages_.push_back(std::move(stage)); }

  // p of the members among `uses`, whose prompts held the set.
  void MoveUsage(int set, const std::vector<ResidentUse>& uses, double step);

  void Rebuild(int set, const PolicyRules& rules, const v1::Target& target, uint64_t seed);

  // n_elig of an item, as far as it was counted; 0 for an item that never passed a gate.
  int64_t CountedEligible(int item) const;
  int64_t stage_count() const { return static_cast<int64_t>(stages_.size()); }

 private:
  struct StoredSet {
    Set visible;
    std::set<int> passing;    // items that pass the gate and may be in a prompt
    size_t touched_seen = 0;  // of touched_
  };
  struct Eligibility {
    int64_t stages = 0;
    size_t counted = 0;  // of stages_
  };

  int64_t Eligible(int item);
  void UpdatePassing(StoredSet& set, const PolicyRules& rules, const v1::Target& target) const;
  void Admit(StoredSet& set, std::vector<Member> candidates, const std::vector<int>& chosen);

  const ExperienceGraph& graph_;
  std::vector<StoredSet> sets_;
  absl::flat_hash_map<uint64_t, int> numbers_;  // by target and identity
  std::vector<EligibleStage> stages_;
  absl::flat_hash_map<int, Eligibility> eligibility_;
  absl::flat_hash_map<int, int> member_counts_;  // sets that an item is a member of
  std::vector<int> touched_;
};

}  // namespace kernelsmith::memory
