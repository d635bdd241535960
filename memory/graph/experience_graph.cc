#include "memory/graph/experience_graph.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "memory/graph/stage_credit.h"
#include "memory/values/policy.h"
#include "memory/values/utility.h"

namespace kernelsmith::memory {
namespace {

constexpr double kDefaultConfidence = 0.8;
}  // namespace

bool IsEmpty(const v1::Journal& journal) {
  return journal.strategy().empty() && journal.change().empty() && journal.validation().empty() &&
         journal.measurements().empty() && journal.interpretation().empty();
}

void ExperienceGraph::Apply(const Fact& fact) {
  ++counts_.facts;
  counts_.last_sequence = fact.sequence();
  switch (fact.fact_case()) {
    case Fact::kAttempt:
      return ApplyAttempt(fact);
    case Fact::kRetrieval:
      return ApplyRetrieval(fact);
    case Fact::kAdoption:
      return ApplyAdoption(fact);
    case Fact::kStage:
      return ApplyStage(fact);
    case Fact::FACT_NOT_SET:
      return;
  }
}

void ExperienceGraph::ApplyAttempt(const Fact& fact) {
  const v1::RecordAttemptRequest& request = fact.attempt();
  if (forest_.Find(request.producer(), request.attempt_id()) != AttemptForest::kNone) return;
  const v1::Case& source = request.case_();
  const int index = forest_.Add({.producer = request.producer(),
                                 .attempt_id = request.attempt_id(),
                                 .prev = request.prev_attempt_id().empty()
                                             ? AttemptForest::kNone
                                             : forest_.Find(request.producer(), request.prev_attempt_id()),
                                 .correct = source.status() == v1::PASSED,
                                 .speedup = source.speedup()});
  AttemptRecord record{.sequence = fact.sequence(),
                       .operator_name = strings_.Intern(source.operator_name()),
                       .family = strings_.Intern(source.family()),
                       .level = strings_.Intern(source.level()),
                       .session = strings_.Intern(source.session()),
                       .thought = strings_.Intern(source.thought().id()),
                       .bottleneck = strings_.Intern(source.thought().bottleneck()),
                       .proposer_kind = strings_.Intern(request.author().kind()),
                       .architecture = strings_.Intern(request.target().architecture()),
                       .soc = strings_.Intern(request.target().soc()),
                       .toolchain = strings_.Intern(request.target().toolchain()),
                       .driver = strings_.Intern(request.target().driver()),
                       .stage = source.stage(),
                       .purpose = source.purpose(),
                       .layer = source.thought().layer(),
                       .status = source.status(),
                       .step = source.step(),
                       .latency_us = source.latency_us(),
                       .speedup = source.speedup(),
                       .confidence = source.confidence() > 0 ? source.confidence() : kDefaultConfidence};
  record.case_item = AddItem(CaseItemId(team_, request.producer(), request.attempt_id()), v1::CASE, index);
  if (!IsEmpty(request.journal())) {
    record.journal_item = AddItem(JournalItemId(team_, request.producer(), request.attempt_id()), v1::JOURNAL, index);
  }
  attempts_.push_back(record);
  const auto retrieval = retrievals_.find(RetrievalId(team_, request.producer(), request.attempt_id()));
  if (retrieval != retrievals_.end()) CountHarm(retrieval->second, index);
}

int ExperienceGraph::AddItem(std::string id, v1::ItemKind kind, int attempt) {
  const int index = item_count();
  item_by_id_.emplace(id, index);
  items_.push_back({.id = std::move(id), .kind = kind, .attempt = attempt});
  return index;
}

void ExperienceGraph::ApplyRetrieval(const Fact& fact) {
  const v1::AssembleContextResponse& response = fact.retrieval().response();
  RetrievalRecord record{.sequence = fact.sequence(),
                         .producer = fact.retrieval().request().producer(),
                         .attempt_id = fact.retrieval().request().attempt_id()};
  for (const v1::ItemDecision& decision : response.decisions()) {
    const int item = decision.included() ? FindItem(decision.item_id()) : -1;
    if (item >= 0) record.items.push_back(item);
  }
  retrievals_.try_emplace(response.retrieval_id(), std::move(record));
}

void ExperienceGraph::ApplyAdoption(const Fact& fact) {
  const auto entry = retrievals_.find(fact.adoption().retrieval_id());
  if (entry == retrievals_.end() || entry->second.has_adoption) return;
  RetrievalRecord& retrieval = entry->second;
  std::unordered_set<std::string> adopted;
  for (const v1::AdoptionRecord& record : fact.adoption().records()) {
    if (record.state() == v1::ADOPTED) adopted.insert(record.item_id());
  }
  retrieval.has_adoption = true;
  for (const int item : retrieval.items) {
    retrieval.adopted.push_back(adopted.contains(items_[item].id));
    ++(retrieval.adopted.back() ? counts_.adoptions : counts_.rejections);
  }
  const int attempt = forest_.Find(retrieval.producer, retrieval.attempt_id);
  if (attempt != AttemptForest::kNone) CountHarm(retrieval, attempt);
}

// Called once both the adoption and the attempt are there, whichever came last.
void ExperienceGraph::CountHarm(const RetrievalRecord& retrieval, int attempt) {
  if (!retrieval.has_adoption || forest_.node(attempt).correct) return;
  counts_.harmful_adoptions += std::count(retrieval.adopted.begin(), retrieval.adopted.end(), true);
}

void ExperienceGraph::ApplyStage(const Fact& fact) {
  const v1::CompleteStageRequest& request = fact.stage();
  const auto [entry, added] = stages_.try_emplace(AttemptKey(request.producer(), request.stage_id()));
  if (!added) return;
  StageRecord& stage = entry->second;
  stage.sequence = fact.sequence();

  const absl::StatusOr<PolicyRules> rules = ResolvePolicy(request.policy());
  if (!rules.ok()) return;
  std::vector<StageRound> rounds;
  for (const std::string& id : request.retrieval_ids()) {
    const auto found = retrievals_.find(id);
    if (found == retrievals_.end() || found->second.scored) continue;
    RetrievalRecord& retrieval = found->second;
    retrieval.scored = true;
    StageRound round{.items = retrieval.items, .adopted = retrieval.adopted};
    round.adopted.resize(round.items.size(), false);
    const int attempt = forest_.Find(retrieval.producer, retrieval.attempt_id);
    if (attempt != AttemptForest::kNone) {
      round.correct = forest_.node(attempt).correct;
      round.latency_us = attempts_[attempt].latency_us;
    }
    rounds.push_back(std::move(round));
  }

  const StageCredit credit = CreditOf(request, rounds, *rules);
  stage.z = credit.z;
  for (const CreditTick& tick : credit.ticks) {
    ItemRecord& item = items_[tick.item];
    const double eta = LearningRate(++item.n_retrieved, rules->eta_min);
    v1::UtilityChange& change = stage.changes.emplace_back();
    change.set_item_id(item.id);
    change.set_xi(tick.xi);
    change.set_eta(eta);
    change.set_u_before(item.u);
    item.u = UpdatedUtility(item.u, tick.xi, eta);
    change.set_u_after(item.u);
  }
  for (const int adopted : credit.adopted_items) {
    ++items_[adopted].n_adopted;
    items_[adopted].adopting_operators.insert(request.operator_name());
  }
}

int ExperienceGraph::FindItem(absl::string_view item_id) const {
  const auto entry = item_by_id_.find(std::string(item_id));
  return entry == item_by_id_.end() ? -1 : entry->second;
}

const RetrievalRecord* ExperienceGraph::FindRetrieval(absl::string_view retrieval_id) const {
  const auto entry = retrievals_.find(std::string(retrieval_id));
  return entry == retrievals_.end() ? nullptr : &entry->second;
}

const StageRecord* ExperienceGraph::FindStage(absl::string_view producer, absl::string_view stage_id) const {
  const auto entry = stages_.find(AttemptKey(producer, stage_id));
  return entry == stages_.end() ? nullptr : &entry->second;
}

v1::ItemValues ExperienceGraph::ValuesOf(int item) const {
  const ItemRecord& record = items_[item];
  v1::ItemValues values;
  values.set_u(record.u);
  values.set_n_retrieved(record.n_retrieved);
  values.set_n_adopted(record.n_adopted);
  for (const std::string& name : record.adopting_operators) values.add_adopting_operators(name);
  const AttemptForest::Node& node = forest_.node(record.attempt);
  values.set_r(node.r);
  values.set_label(node.label);
  values.set_d(node.d);
  return values;
}

}  // namespace kernelsmith::memory
