// The graphs of several teams and of "shared", folded together as the service does it, and random facts for them.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "memory/graph/experience_graph.h"
#include "memory/graph/origins.h"

namespace kernelsmith::memory::testing {

struct GraphWorld {
  void Fold(const Fact& fact) {
    const std::vector<std::string> origins = OriginsElsewhere(
        fact,
        [this](const std::string& team, const std::function<void(const ExperienceGraph&)>& visit) { visit(Of(team)); });
    std::vector<SharedUpdate> updates = Of(fact.team()).Apply(fact, origins);
    if (updates.empty()) return;
    Of(kSharedTeam).ApplyShared(updates);
    Of(fact.team()).NoteShared(updates);
  }

  ExperienceGraph& Of(const std::string& team) {
    std::unique_ptr<ExperienceGraph>& graph = graphs[team];
    if (graph == nullptr) graph = std::make_unique<ExperienceGraph>(team);
    return *graph;
  }

  std::string Fingerprint() const {
    std::string all;
    for (const auto& [team, graph] : graphs) all += graph->Fingerprint();
    return all;
  }

  std::map<std::string, std::unique_ptr<ExperienceGraph>> graphs;
};

// Facts of every kind for three teams and "shared". One in ten names something that is not there, is a duplicate, or
// comes in an unusual order.
class RandomFacts {
 public:
  explicit RandomFacts(uint64_t seed) : random_(seed) {}

  Fact Next() {
    Fact fact;
    fact.set_sequence(++sequence_);
    fact.set_team(Pick<std::string>({"red", "green", "blue"}));
    Team& team = teams_[fact.team()];
    switch (Below(20)) {
      case 0:
        MakeItem(team, fact);
        break;
      case 1:
        MakeLifecycle(team, fact);
        break;
      case 2:
        MakeShared(team, fact);
        break;
      case 3:
        MakeRule(team, fact);
        break;
      case 4:
      case 5:
      case 6:
        MakeStage(team, fact);
        break;
      case 7:
      case 8:
      case 9:
      case 10:
        MakeAdoption(team, fact);
        break;
      case 11:
      case 12:
      case 13:
      case 14:
        MakeRetrieval(team, fact);
        break;
      default:
        MakeAttempt(team, fact);
    }
    return fact;
  }

 private:
  struct Team {
    std::vector<std::string> attempts;                     // ids of both producers
    std::vector<std::string> items;                        // ids
    std::vector<std::string> waiting;                      // attempts that have a context and no record
    std::vector<std::string> unanswered;                   // retrievals without adoption
    std::vector<std::string> unscored;                     // retrievals without a stage
    std::map<std::string, std::vector<std::string>> held;  // by retrieval
    int numbers = 0;
  };

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool Rarely() { return Below(10) == 0; }

  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  // Mostly one of the newest, so that chains grow.
  std::string PickRecent(const std::vector<std::string>& from) {
    const size_t reach = Rarely() ? from.size() : std::min<size_t>(from.size(), 40);
    return from[from.size() - 1 - Below(reach)];
  }

  std::string Producer() { return Pick<std::string>({"p", "p", "p", "q"}); }

  v1::Target Target() {
    v1::Target target;
    target.set_architecture(Pick<std::string>({"cpu-x86_64", "ascend-a2"}));
    target.set_toolchain(Pick<std::string>({"cann 8.0.RC1", "cann 8.5.0", "g++ 12.2.0"}));
    return target;
  }

  v1::Policy Policy() {
    v1::Policy policy;
    policy.set_preset(Pick<std::string>({"combined", "sage", "sage", "sage_uniform", "sage_random_resident",
                                         "evokernel", "memrl", "value_memory", "kope", "static_rag", "unknown"}));
    if (Below(2) == 0) policy.set_gate_operators(1);
    if (Below(2) == 0) policy.set_gate_adoptions(1);
    if (Rarely()) policy.set_read_only(true);
    if (Rarely()) policy.set_q_by_family(true);
    if (Rarely()) policy.add_held_out_operators("gelu");
    policy.set_resident_budget(Pick<int64_t>({40, 200, 10'000}));
    return policy;
  }

  std::string Operator() { return Pick<std::string>({"softmax", "gelu", "matmul", "add", "layer_norm"}); }

  void MakeAttempt(Team& team, Fact& fact) {
    v1::RecordAttemptRequest& request = *fact.mutable_attempt();
    request.set_producer(Producer());
    if (!team.waiting.empty() && Below(3) != 0) {
      request.set_attempt_id(team.waiting.back());
      request.set_producer("p");
      team.waiting.pop_back();
    } else {
      request.set_attempt_id(absl::StrCat("n", ++team.numbers));
    }
    if (Rarely() && !team.attempts.empty()) request.set_attempt_id(Pick(team.attempts));  // a duplicate
    if (!team.attempts.empty() && Below(5) != 0) request.set_prev_attempt_id(PickRecent(team.attempts));
    if (Rarely()) request.set_prev_attempt_id("not-there");
    if (Rarely() && !team.attempts.empty()) request.set_start_attempt_id(PickRecent(team.attempts));
    *request.mutable_target() = Target();
    request.mutable_author()->set_kind(Pick<std::string>({"catalog", "chat"}));
    request.mutable_author()->set_model(Pick<std::string>({"", "m1"}));
    if (Rarely()) request.set_scope(v1::PRIVATE);
    if (Rarely()) request.mutable_applicability()->set_toolchain_from("8.2");
    v1::Case& source = *request.mutable_case_();
    source.set_operator_name(Operator());
    source.set_family(Pick<std::string>({"elementwise", "row_reduction"}));
    source.mutable_scene()->set_dtype(Pick<v1::DType>({v1::FP32, v1::FP16}));
    source.mutable_thought()->set_id(Pick<std::string>({"", "threads", "vector-exp"}));
    source.mutable_thought()->set_layer(Pick<v1::Layer>({v1::TILING, v1::PIPELINE}));
    source.set_status(Below(3) == 0 ? v1::COMPILE_ERROR : v1::PASSED);
    source.set_stage(Pick<v1::Stage>({v1::STAGE_UNSPECIFIED, v1::DRAFTING, v1::REFINING, v1::REFINING}));
    source.set_session(absl::StrCat("job-", team.numbers / 30));
    source.set_code_after(absl::StrCat("code ", Below(400)));
    if (Below(3) == 0) source.set_code_before(absl::StrCat("code ", Below(400)));
    if (source.status() == v1::PASSED && Below(6) != 0) {
      source.set_latency_us(1 + static_cast<double>(Below(100'000)) / 7);
      source.set_speedup(1 + static_cast<double>(Below(5000)) / 1000);
    }
    if (Below(2) == 0) request.mutable_journal()->set_change("changed");
    team.attempts.push_back(request.attempt_id());
    team.items.push_back(CaseItemId(fact.team(), request.producer(), request.attempt_id()));
    if (Below(4) == 0) team.items.push_back(JournalItemId(fact.team(), request.producer(), request.attempt_id()));
  }

  void MakeItem(Team& team, Fact& fact) {
    v1::RecordItemRequest& request = *fact.mutable_item();
    request.set_producer(Producer());
    request.set_item_key(absl::StrCat("k", Below(2000)));
    v1::ItemContent& content = *request.mutable_content();
    content.set_kind(Pick<v1::ItemKind>({v1::DOCUMENT, v1::RULE, v1::INSIGHT, v1::API_TEMPLATE, v1::BEST_PRACTICE}));
    content.set_title(absl::StrCat("title ", Below(50)));
    content.set_text(absl::StrCat("align the tiles to ", Below(50), " bytes and overlap copies with compute"));
    content.set_name(Pick<std::string>({"DataCopy", "Add", "docs/tiling.md"}));
    content.set_operator_name(Pick<std::string>({"", "gelu"}));
    content.mutable_thought()->set_id("threads");
    if (Below(2) == 0) content.mutable_applicability()->set_toolchain_to("8.1");
    if (!team.items.empty() && Below(2) == 0) content.add_source_item_ids(PickRecent(team.items));
    if (Rarely()) request.set_scope(v1::PRIVATE);
    team.items.push_back(ContentItemId(fact.team(), request.producer(), request.item_key()));
  }

  void MakeLifecycle(Team& team, Fact& fact) {
    if (!shared_.empty() && Below(3) == 0) {
      fact.set_team(kSharedTeam);
      fact.mutable_lifecycle()->mutable_revoke()->set_shared_item_id(Pick(shared_));
      return;
    }
    if (team.items.empty()) return;
    if (Below(2) == 0) {
      v1::SupersedeRequest& request = *fact.mutable_lifecycle()->mutable_supersede();
      request.set_old_item_id(Pick(team.items));
      request.set_new_item_id(Rarely() ? request.old_item_id() : Pick(team.items));
      request.set_reason("newer");
    } else {
      fact.mutable_lifecycle()->mutable_retire()->set_item_id(Rarely() ? "case-nothing" : Pick(team.items));
    }
  }

  void MakeShared(Team& team, Fact& fact) {
    if (team.items.empty()) return;
    storage::v1::SharedItemFact& shared = *fact.mutable_shared_item();
    const std::string from = fact.team();
    fact.set_team(kSharedTeam);
    const std::string item = Pick(team.items);
    shared.set_shared_item_id(SharedItemId(from, item));
    shared.mutable_provenance()->set_team(from);
    shared.mutable_provenance()->set_item_id(item);
    if (Below(2) == 0) shared.mutable_provenance()->add_readers(Pick<std::string>({"red", "green", "blue"}));
    shared.mutable_attempt()->set_producer("p");
    shared.mutable_attempt()->mutable_case_()->set_operator_name(Operator());
    shared.set_kind(v1::CASE);
    shared.mutable_values()->set_label(v1::EFFECTIVE);
    shared.mutable_values()->set_r(1.2);
    shared.mutable_values()->set_d(0.9);
    shared_.push_back(shared.shared_item_id());
  }

  void MakeRule(Team& team, Fact& fact) {
    if (team.items.empty()) return;
    fact.mutable_rule_text()->set_item_id(Pick(team.items));
    fact.mutable_rule_text()->set_text("Tile by rows.");
    fact.mutable_rule_text()->set_tokens(static_cast<int64_t>(1 + Below(60)));
    fact.mutable_rule_text()->set_author("m1");
  }

  void MakeRetrieval(Team& team, Fact& fact) {
    v1::AssembleContextRequest& request = *fact.mutable_retrieval()->mutable_request();
    const bool is_question = !team.waiting.empty() && Rarely();
    request.set_producer("p");
    request.set_attempt_id(is_question ? team.waiting.back() : absl::StrCat("n", ++team.numbers));
    *request.mutable_policy() = Policy();
    *request.mutable_target() = Target();
    request.set_family("row_reduction");
    request.set_stage(v1::REFINING);
    if (Below(2) == 0) request.mutable_filter()->add_families("row_reduction");
    if (Below(2) == 0) request.mutable_filter()->add_excluded_sessions(absl::StrCat("job-", team.numbers / 30));
    const std::string id = is_question ? QuestionId(fact.team(), "p", absl::StrCat("question", ++team.numbers))
                                       : RetrievalId(fact.team(), "p", request.attempt_id());
    fact.mutable_retrieval()->mutable_response()->set_retrieval_id(id);
    for (uint64_t i = Below(7); i > 0 && !team.items.empty(); --i) {
      v1::ItemDecision& decision = *fact.mutable_retrieval()->mutable_response()->add_decisions();
      // The same few again and again, so that some pass the gate.
      decision.set_item_id(Below(3) == 0 ? Pick(team.items)
                                         : team.items[Below(std::min<size_t>(8, team.items.size()))]);
      if (!shared_.empty() && Below(5) == 0) decision.set_item_id(Pick(shared_));
      if (Rarely()) decision.set_item_id("case-00000000000000000000");
      decision.set_included(Below(5) != 0);
      if (decision.included()) team.held[id].push_back(decision.item_id());
    }
    if (!is_question) team.waiting.push_back(request.attempt_id());
    team.unanswered.push_back(id);
    team.unscored.push_back(id);
  }

  void MakeAdoption(Team& team, Fact& fact) {
    fact.mutable_adoption()->set_retrieval_id("retrieval-nothing");
    if (team.unanswered.empty()) return;
    const std::string id = team.unanswered.back();
    fact.mutable_adoption()->set_retrieval_id(id);
    if (!Rarely()) team.unanswered.pop_back();
    for (const std::string& item : team.held[id]) {
      v1::AdoptionRecord& record = *fact.mutable_adoption()->add_records();
      record.set_item_id(item);
      record.set_state(Below(2) == 0 ? v1::ADOPTED : v1::NOT_ADOPTED);
    }
  }

  void MakeStage(Team& team, Fact& fact) {
    v1::CompleteStageRequest& request = *fact.mutable_stage();
    request.set_producer("p");
    request.set_stage_id(absl::StrCat("s", Rarely() ? 1 : ++team.numbers));
    request.set_stage(Pick<v1::Stage>({v1::DRAFTING, v1::REFINING}));
    request.set_operator_name(Operator());
    *request.mutable_target() = Target();
    *request.mutable_policy() = Policy();
    request.set_passed(Below(3) != 0);
    request.set_first_us(1000);
    request.set_best_us(static_cast<double>(Below(1000)));
    for (uint64_t i = Below(4); i > 0 && !team.unscored.empty(); --i) {
      request.add_retrieval_ids(team.unscored.back());
      if (!Rarely()) team.unscored.pop_back();
    }
    if (Rarely()) request.add_retrieval_ids("retrieval-nothing");
  }

  std::mt19937_64 random_;
  uint64_t sequence_ = 0;
  std::map<std::string, Team> teams_;
  std::vector<std::string> shared_;
};

}  // namespace kernelsmith::memory::testing
