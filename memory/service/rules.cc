// Rule texts that a model writes for items that passed the gate.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/rule_prompt.h"

namespace kernelsmith::memory {
namespace {

// Ids of the members that have no recorded rule yet, each once.
void AddWithoutRule(const ExperienceGraph& graph, const std::vector<ResidentSets::Member>& members,
                    std::vector<std::string>& ids) {
  for (const ResidentSets::Member& member : members) {
    if (graph.FindRule(member.item) != nullptr || graph.IsOut(member.item)) continue;
    const std::string id = graph.IdOf(member.item);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
}

}  // namespace

void Experience::DistilRulesWith(std::unique_ptr<common::TextModel> model) {
  rule_model_ = std::move(model);
  const auto failed = [this](const std::string& team, const std::string& item_id, const absl::Status& why) {
    metrics_.CountRuleText("failed");
    common::LogWarning("memory.rule_stays_the_templates",
                       {{"team", team}, {"item", item_id}, {"because", why.ToString()}});
  };
  distiller_ = std::make_unique<RuleDistiller>(RuleDistiller::Calls{
      .pending = [this](const std::string& team) { return PendingRules(team); },
      .ask = [this](const std::string& team, const std::string& item_id,
                    const std::function<bool()>& cancelled) { return AskForRule(team, item_id, cancelled); },
      .record = [this](const std::string& team, const std::string& item_id,
                       const std::string& answer) { return RecordRule(team, item_id, answer); },
      .failed = failed});
  for (const auto& [team, memory] : teams_.All()) distiller_->Wake(team);
}

// Members of the sets before those that did not fit.
std::vector<std::string> Experience::PendingRules(const std::string& team) const {
  std::vector<std::string> ids;
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return ids;
  const ReaderLock lock(memory->mutex);
  const ExperienceGraph& graph = memory->graph;
  const ResidentSets& residents = graph.residents();
  for (int set = 0; set < residents.size(); ++set) AddWithoutRule(graph, residents.set(set).members, ids);
  for (int set = 0; set < residents.size(); ++set) AddWithoutRule(graph, residents.set(set).waiting, ids);
  return ids;
}

absl::StatusOr<std::string> Experience::AskForRule(const std::string& team, const std::string& item_id,
                                                   const std::function<bool()>& cancelled) const {
  ASSIGN_OR_RETURN(const int item, FindOwnItem(team, item_id));
  const ItemState state = StateOf(*teams_.Find(team), item);
  ASSIGN_OR_RETURN(const Fact fact, store_->Read(state.team, state.sequence));
  const std::string template_rule = RuleTextOf(fact, state.item.values());
  const v1::Item whole = ItemOf(fact, state.item.kind(), state.item.values());
  return rule_model_->Write(RuleInstructions(), RuleMaterial(whole, template_rule), cancelled);
}

absl::Status Experience::RecordRule(const std::string& team, const std::string& item_id, const std::string& answer) {
  storage::v1::RuleTextFact rule;
  rule.set_item_id(item_id);
  ASSIGN_OR_RETURN(*rule.mutable_text(), RuleOf(answer));
  rule.set_tokens(std::max<int64_t>(1, token_counter_->Count(rule.text())));
  rule.set_author(rule_model_->model());
  Fact fact = NewFact(team, FactKeyOf("rule", item_id), "");
  *fact.mutable_rule_text() = std::move(rule);
  RETURN_IF_ERROR(Commit(std::move(fact)).status());
  metrics_.CountRuleText("recorded");
  return absl::OkStatus();
}

}  // namespace kernelsmith::memory
