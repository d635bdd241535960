// Finished stages: utilities of what their prompts held, and the residents of their target and policy.
#include <algorithm>

#include "memory/graph/experience_graph.h"
#include "memory/graph/stage_credit.h"
#include "memory/values/random.h"

namespace kernelsmith::memory {

void ExperienceGraph::ApplyStage(const Fact& fact, std::vector<SharedUpdate>& updates) {
  const v1::CompleteStageRequest& request = fact.stage();
  const int stage = static_cast<int>(stages_.size());
  if (!stage_by_key_.try_emplace(AttemptKey(request.producer(), request.stage_id()), stage).second) return;
  stages_.push_back({.sequence = fact.sequence()});

  const int policy = policies_.Intern(request.policy());
  const PolicyRules* rules = policies_.rules(policy);
  if (rules == nullptr) return;
  std::vector<StageRound> rounds;
  std::vector<int> retrievals;
  for (const std::string& id : request.retrieval_ids()) {
    const auto found = retrieval_by_id_.find(ParseOrHashId(id));
    if (found == retrieval_by_id_.end() || retrievals_[found->second].scored) continue;
    RetrievalRecord& retrieval = retrievals_[found->second];
    retrieval.scored = true;
    retrievals.push_back(found->second);
    StageRound& round = rounds.emplace_back();
    for (const HeldItem& held : retrieval.items) {
      if (!held.valued) continue;
      round.items.push_back(held.item);
      round.adopted.push_back(held.adopted);
      round.resident.push_back(held.resident);
    }
    if (retrieval.attempt >= 0) {
      round.correct = forest_.node(retrieval.attempt).correct;
      round.latency_us = attempts_[retrieval.attempt].latency_us;
    }
  }
  const StageCredit credit = CreditOf(request, rounds, *rules);
  stages_[stage].z = credit.z;
  ApplyCredit(request, credit, *rules, stage, updates);
  Consolidate(request, credit, policy, retrievals, fact.sequence());
}

void ExperienceGraph::ApplyCredit(const v1::CompleteStageRequest& request, const StageCredit& credit,
                                  const PolicyRules& rules, int stage, std::vector<SharedUpdate>& updates) {
  std::vector<UtilityStep>& changes = stages_[stage].changes;
  for (const CreditTick& tick : credit.ticks) {
    if (tick.item < 0) {
      updates.push_back({.what = SharedUpdate::What::kUtility,
                         .item = shared_refs_[static_cast<size_t>(-1 - tick.item)],
                         .amount = tick.xi,
                         .eta_min = rules.eta_min,
                         .stage_record = stage,
                         .change = static_cast<int>(changes.size())});
      changes.push_back({.item = tick.item, .xi = tick.xi});
      continue;
    }
    ChangeValues(tick.item, [&](LearnedValues& values) {
      changes.push_back(TickUtility(values, tick.xi, rules.eta_min, tick.resident));
      changes.back().item = tick.item;
    });
  }
  for (const int adopted : credit.adopted_items) {
    if (adopted < 0) {
      updates.push_back({.what = SharedUpdate::What::kAdoption,
                         .item = shared_refs_[static_cast<size_t>(-1 - adopted)],
                         .operator_name = request.operator_name()});
    } else {
      const uint32_t operator_name = strings_.Intern(request.operator_name());
      ChangeValues(adopted, [&](LearnedValues& values) { CountAdoption(values, operator_name); });
    }
  }
}

// The stage counts for n_elig, moves the usage of the residents that its prompts held, and rebuilds the set of its
// target and policy.
void ExperienceGraph::Consolidate(const v1::CompleteStageRequest& request, const StageCredit& credit, int policy,
                                  const std::vector<int>& retrievals, uint64_t sequence) {
  const PolicyRules& rules = *policies_.rules(policy);
  if (rules.read_only || !LearnsUtility(rules)) return;
  EligibleStage eligible;
  for (const int index : retrievals) {
    const RetrievalRecord& retrieval = retrievals_[index];
    const bool known =
        std::find(eligible.queries.begin(), eligible.queries.end(), retrieval.query) != eligible.queries.end();
    if (retrieval.query >= 0 && !known) eligible.queries.push_back(retrieval.query);
    eligible.items_known = std::max(eligible.items_known, retrieval.items_known);
    if (retrieval.resident_set >= 0) eligible.resident_set = retrieval.resident_set;
  }
  if (!eligible.queries.empty()) residents_.NoteStage(std::move(eligible));
  if (rules.residents != v1::Policy::GATED && rules.residents != v1::Policy::RANDOM) return;
  const int set = residents_.FindOrAdd(TargetNumber(request.target()), policies_.identity(policy));
  residents_.MoveUsage(set, credit.residents, rules.usage_step);
  residents_.Rebuild(set, rules, request.target(), SeedFrom(request.stage_id(), team_) ^ sequence);
}

void ExperienceGraph::NoteShared(const std::vector<SharedUpdate>& updates) {
  for (const SharedUpdate& update : updates) {
    if (update.what != SharedUpdate::What::kUtility || update.stage_record < 0) continue;
    UtilityStep& step = stages_[update.stage_record].changes[update.change];
    step.eta = update.step.eta;
    step.u_before = update.step.u_before;
    step.u_after = update.step.u_after;
  }
}

void ExperienceGraph::ApplyShared(std::vector<SharedUpdate>& updates) {
  for (SharedUpdate& update : updates) {
    const auto entry = item_by_id_.find(update.item);
    if (entry == item_by_id_.end()) continue;
    ++counts_.shared_updates;
    const int item = entry->second;
    switch (update.what) {
      case SharedUpdate::What::kUtility:
        ChangeValues(item, [&](LearnedValues& values) {
          update.step = TickUtility(values, update.amount, update.eta_min, /*as_resident=*/false);
        });
        break;
      case SharedUpdate::What::kAdoption:
        ChangeValues(item,
                     [&](LearnedValues& values) { CountAdoption(values, strings_.Intern(update.operator_name)); });
        break;
      case SharedUpdate::What::kReward:
        LearnReward(Learned(item), update.stage, update.amount, update.alpha, update.q0);
        if (!update.q_context.empty()) {
          const QContextKey key{item, strings_.Intern(update.q_context), update.stage == v1::REFINING};
          LearnReward(q_by_context_[key], update.amount, update.alpha, update.q0);
        }
        break;
      case SharedUpdate::What::kHarm:
        ++Learned(item).n_harm;
        break;
    }
  }
}

}  // namespace kernelsmith::memory
