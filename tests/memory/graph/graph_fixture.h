// Facts as the service would log them, folded into the graphs of a world.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/memory/graph/graph_world.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory::testing {

class GraphFixture : public ::testing::Test {
 protected:
  Fact Next(const std::string& team) {
    Fact fact;
    fact.set_team(team);
    fact.set_sequence(++sequence_);
    return fact;
  }

  std::string Record(const v1::RecordAttemptRequest& request, const std::string& team = "local") {
    Fact fact = Next(team);
    *fact.mutable_attempt() = request;
    world_.Fold(fact);
    return CaseItemId(team, request.producer(), request.attempt_id());
  }

  std::string Record(const v1::RecordItemRequest& request, const std::string& team = "local") {
    Fact fact = Next(team);
    *fact.mutable_item() = request;
    world_.Fold(fact);
    return ContentItemId(team, request.producer(), request.item_key());
  }

  // A context for `attempt_id` that held `items`.
  std::string Retrieve(const std::string& attempt_id, const v1::Policy& policy, const std::vector<std::string>& items,
                       const std::string& team = "local") {
    Fact fact = Next(team);
    v1::AssembleContextRequest& request = *fact.mutable_retrieval()->mutable_request();
    request = Context(attempt_id);
    *request.mutable_policy() = policy;
    v1::AssembleContextResponse& response = *fact.mutable_retrieval()->mutable_response();
    response.set_retrieval_id(RetrievalId(team, kProducer, attempt_id));
    for (const std::string& id : items) {
      v1::ItemDecision& decision = *response.add_decisions();
      decision.set_item_id(id);
      decision.set_included(true);
    }
    world_.Fold(fact);
    return response.retrieval_id();
  }

  void Adopt(const std::string& retrieval_id, const std::vector<std::string>& items,
             const std::string& team = "local") {
    Fact fact = Next(team);
    fact.mutable_adoption()->set_retrieval_id(retrieval_id);
    for (const std::string& id : items) {
      v1::AdoptionRecord& record = *fact.mutable_adoption()->add_records();
      record.set_item_id(id);
      record.set_state(v1::ADOPTED);
    }
    world_.Fold(fact);
  }

  void Finish(const v1::CompleteStageRequest& request, const std::string& team = "local") {
    Fact fact = Next(team);
    *fact.mutable_stage() = request;
    world_.Fold(fact);
  }

  // A whole stage of one round: the prompt held `items`, of which `adopted` were adopted.
  void RunStage(const std::string& id, const v1::Policy& policy, const std::vector<std::string>& items,
                const std::vector<std::string>& adopted, const std::string& operator_name = "softmax",
                const std::string& team = "local") {
    const std::string retrieval = Retrieve(id, policy, items, team);
    Adopt(retrieval, adopted, team);
    v1::CompleteStageRequest stage = FinishedStage(id, {retrieval});
    stage.set_operator_name(operator_name);
    *stage.mutable_policy() = policy;
    Finish(stage, team);
  }

  template <typename Request>
  void Happen(const Request& event, const std::string& team = "local") {
    Fact fact = Next(team);
    Set(fact, event);
    world_.Fold(fact);
  }

  // Makes an item of "local" visible to `readers`, or to everyone.
  std::string Promote(const std::string& item_id, const v1::RecordAttemptRequest& attempt,
                      const std::vector<std::string>& readers = {}) {
    Fact fact = Promotion(item_id, readers);
    *fact.mutable_shared_item()->mutable_attempt() = attempt;
    fact.mutable_shared_item()->set_kind(v1::CASE);
    world_.Fold(fact);
    return fact.shared_item().shared_item_id();
  }

  std::string Promote(const std::string& item_id, const v1::RecordItemRequest& item) {
    Fact fact = Promotion(item_id, {});
    *fact.mutable_shared_item()->mutable_item() = item;
    fact.mutable_shared_item()->set_kind(item.content().kind());
    world_.Fold(fact);
    return fact.shared_item().shared_item_id();
  }

  ExperienceGraph& Local() { return world_.Of("local"); }
  ExperienceGraph& Shared() { return world_.Of(kSharedTeam); }
  v1::ItemValues Values(const std::string& id) { return Local().ValuesOf(Local().FindItem(id)); }

  static v1::Policy Preset(const std::string& name) {
    v1::Policy policy;
    policy.set_preset(name);
    return policy;
  }

  GraphWorld world_;
  uint64_t sequence_ = 0;

 private:
  Fact Promotion(const std::string& item_id, const std::vector<std::string>& readers) {
    Fact fact = Next(kSharedTeam);
    storage::v1::SharedItemFact& shared = *fact.mutable_shared_item();
    shared.set_shared_item_id(SharedItemId("local", item_id));
    shared.mutable_provenance()->set_team("local");
    shared.mutable_provenance()->set_item_id(item_id);
    shared.mutable_provenance()->set_reason("it is good");
    for (const std::string& reader : readers) shared.mutable_provenance()->add_readers(reader);
    *shared.mutable_values() = Local().ValuesOf(Local().FindItem(item_id));
    return fact;
  }

  static void Set(Fact& fact, const v1::RetireRequest& event) { *fact.mutable_lifecycle()->mutable_retire() = event; }
  static void Set(Fact& fact, const v1::SupersedeRequest& event) {
    *fact.mutable_lifecycle()->mutable_supersede() = event;
  }
  static void Set(Fact& fact, const v1::RevokeRequest& event) { *fact.mutable_lifecycle()->mutable_revoke() = event; }
  static void Set(Fact& fact, const storage::v1::RuleTextFact& event) { *fact.mutable_rule_text() = event; }
};

// An insight about the idea of requests.h's attempts.
inline v1::RecordItemRequest Insight(const std::string& key, const std::string& text) {
  v1::RecordItemRequest request;
  request.set_producer(kProducer);
  request.set_item_key(key);
  request.mutable_content()->set_kind(v1::INSIGHT);
  request.mutable_content()->set_title("an insight");
  request.mutable_content()->set_text(text);
  request.mutable_content()->set_family("row_reduction");
  request.mutable_content()->mutable_thought()->set_id("vector-exp");
  return request;
}

}  // namespace kernelsmith::memory::testing
