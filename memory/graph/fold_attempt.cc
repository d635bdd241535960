// Attempts: their place in the forest, their items, and what they teach the values of what their prompts held.
#include <algorithm>

#include "absl/strings/strip.h"
#include "memory/graph/experience_graph.h"
#include "memory/graph/rule_text.h"

namespace kernelsmith::memory {
namespace {

constexpr double kDefaultConfidence = 0.8;
constexpr size_t kSha256Digits = 64;

// The first 16 bytes of a SHA-256 in hexadecimal digits, with or without "sha256:"; nothing if it is none.
std::optional<std::array<unsigned char, 16>> CodeHashOf(absl::string_view digits) {
  absl::ConsumePrefix(&digits, "sha256:");
  if (digits.size() != kSha256Digits) return std::nullopt;
  std::array<unsigned char, 16> hash;
  for (size_t i = 0; i < hash.size(); ++i) {
    int byte = 0;
    for (const char c : {digits[2 * i], digits[2 * i + 1]}) {
      const bool is_digit = c >= '0' && c <= '9';
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
      byte = byte * 16 + (is_digit ? c - '0' : lower - 'a' + 10);
    }
    hash[i] = static_cast<unsigned char>(byte);
  }
  return hash;
}

}  // namespace

void ExperienceGraph::FillFacets(const v1::RecordAttemptRequest& request, Facets& facets) {
  const v1::Case& source = request.case_();
  facets.operator_name = strings_.Intern(source.operator_name());
  facets.family = strings_.Intern(source.family());
  facets.level = strings_.Intern(source.level());
  facets.session = strings_.Intern(source.session());
  facets.thought = strings_.Intern(source.thought().id());
  facets.bottleneck = strings_.Intern(source.thought().bottleneck());
  facets.producer = strings_.Intern(request.producer());
  facets.proposer_kind = strings_.Intern(request.author().kind());
  facets.model = strings_.Intern(request.author().model());
  FillTarget(request.target(), facets);
  facets.applicability = applicability_.Intern(request.applicability());
  facets.stage = source.stage();
  facets.purpose = source.purpose();
  facets.layer = source.thought().layer();
  facets.dtype = source.scene().dtype();
  facets.is_private = request.scope() == v1::PRIVATE;
  facets.failed = source.status() != v1::PASSED;
  facets.confidence = source.confidence() > 0 ? source.confidence() : kDefaultConfidence;
}

void ExperienceGraph::FillTarget(const v1::Target& target, Facets& facets) {
  facets.architecture = strings_.Intern(target.architecture());
  facets.soc = strings_.Intern(target.soc());
  facets.toolchain = strings_.Intern(target.toolchain());
  facets.driver = strings_.Intern(target.driver());
}

// A stated predecessor, or the latest feasible attempt that made the code this one started from.
ExperienceGraph::Predecessor ExperienceGraph::PredecessorOf(const v1::RecordAttemptRequest& request,
                                                            const FactNotes& notes, const Facets& facets) const {
  Predecessor result;
  if (!request.prev_attempt_id().empty()) {
    result.attempt = forest_.Find(request.producer(), request.prev_attempt_id());
    return result;
  }
  const std::string& stated = request.case_().start_code_sha256();
  const auto hash = CodeHashOf(stated.empty() ? notes.code_before_sha256() : stated);
  if (!hash.has_value()) return result;
  const auto known = latest_code_.find(*hash);
  if (known == latest_code_.end()) return result;
  const AttemptRecord& prev = attempts_[known->second];
  result.attempt = known->second;
  result.cross_job = true;
  result.comparable = prev.operator_name == facets.operator_name && prev.architecture == facets.architecture &&
                      prev.soc == facets.soc && prev.toolchain == facets.toolchain && prev.driver == facets.driver;
  return result;
}

void ExperienceGraph::ApplyAttempt(const Fact& fact, std::vector<SharedUpdate>& updates) {
  const v1::RecordAttemptRequest& request = fact.attempt();
  if (forest_.Find(request.producer(), request.attempt_id()) != AttemptForest::kNone) return;
  const FactNotes notes = NotesOf(fact);
  const v1::Case& source = request.case_();
  AttemptRecord record;
  FillFacets(request, record);
  record.sequence = fact.sequence();
  record.status = source.status();
  record.step = source.step();
  record.latency_us = source.latency_us();
  record.speedup = source.speedup();

  const Predecessor prev = PredecessorOf(request, notes, record);
  const int index = forest_.Add({.producer = request.producer(),
                                 .attempt_id = request.attempt_id(),
                                 .prev = prev.attempt,
                                 .correct = !record.failed,
                                 .speedup = source.speedup(),
                                 .cross_job = prev.cross_job,
                                 .comparable = prev.comparable});
  const AttemptForest::Node& node = forest_.node(index);
  const std::string rule = AttemptRule(source, request.target(), node.label, node.r);
  record.rule_tokens = static_cast<uint32_t>(RuleTokens(static_cast<int64_t>(rule.size())));
  // The bits of case, journal and retrieval ids are the same.
  IdKey id = KeyOf(IdKind::kCase, team_, request.producer(), request.attempt_id());
  record.case_item = AddItem(id, v1::CASE, index, -1);
  if (notes.has_journal()) {
    id.kind = IdKind::kJournal;
    record.journal_item = AddItem(id, v1::JOURNAL, index, -1);
  }
  attempts_.push_back(record);
  Index(record.case_item);
  if (record.journal_item >= 0) Index(record.journal_item);
  std::vector<uint32_t> origins;
  const std::string& start_id = request.start_attempt_id();
  const int start = start_id.empty() ? AttemptForest::kNone : forest_.Find(request.producer(), start_id);
  for (const int before : {prev.attempt, start}) {
    if (before != AttemptForest::kNone && before != index) AddOriginsOf(attempts_[before].case_item, origins);
  }
  if (record.journal_item >= 0) NoteOrigins(record.journal_item, origins, {});
  NoteOrigins(record.case_item, std::move(origins), {});
  id.kind = IdKind::kRetrieval;
  LearnFromAttempt(request, index, id, updates);

  if (record.failed) return;
  if (record.session != 0) {
    Session& session = sessions_[record.session];
    session.feasible.push_back(index);
    if (record.latency_us > 0 && (session.best_us <= 0 || record.latency_us < session.best_us)) {
      session.best_us = record.latency_us;
    }
  }
  if (record.is_private) return;
  if (const auto code = CodeHashOf(notes.code_after_sha256())) latest_code_[*code] = index;
}

// Best feasible latency of the job before this attempt; without one that of the start point.
double ExperienceGraph::BestBefore(const AttemptRecord& record, int start) const {
  const auto session = record.session == 0 ? sessions_.end() : sessions_.find(record.session);
  if (session != sessions_.end() && session->second.best_us > 0) return session->second.best_us;
  return start == AttemptForest::kNone ? 0 : attempts_[start].latency_us;
}

// Links the retrievals that were made for the attempt, counts their harm and lets Q learn.
void ExperienceGraph::LearnFromAttempt(const v1::RecordAttemptRequest& request, int attempt, const IdKey& retrieval_key,
                                       std::vector<SharedUpdate>& updates) {
  const auto first = first_retrieval_.find(retrieval_key);
  if (first == first_retrieval_.end()) return;
  const AttemptRecord& record = attempts_[attempt];
  std::vector<int> valued;  // chosen by a policy that learns Q of everything it chose
  int teaching = -1;        // the first retrieval whose policy learns Q
  for (int i = first->second; i >= 0; i = retrievals_[i].next) {
    RetrievalRecord& retrieval = retrievals_[i];
    retrieval.attempt = attempt;
    CountHarm(retrieval, updates);
    const PolicyRules* rules = policies_.rules(retrieval.policy);
    if (rules == nullptr || rules->read_only || !LearnsQ(*rules)) continue;
    if (teaching < 0) teaching = i;
    if (rules->credit != CreditRule::kQLearning) continue;
    for (const HeldItem& held : retrieval.items) {
      const bool known = std::find(valued.begin(), valued.end(), held.item) != valued.end();
      if (held.valued && !held.resident && !known) valued.push_back(held.item);
    }
  }
  if (teaching < 0) return;
  const RetrievalRecord& retrieval = retrievals_[teaching];
  const PolicyRules& rules = *policies_.rules(retrieval.policy);
  const v1::Stage stage = record.stage != v1::STAGE_UNSPECIFIED ? record.stage : retrieval.stage;
  int start = AttemptForest::kNone;
  if (stage == v1::REFINING) {
    const std::string& id = request.start_attempt_id().empty() ? request.prev_attempt_id() : request.start_attempt_id();
    if (!id.empty()) start = forest_.Find(request.producer(), id);
    if (start == attempt) start = AttemptForest::kNone;
    if (start != AttemptForest::kNone) {
      const int item = attempts_[start].case_item;
      if (std::find(valued.begin(), valued.end(), item) == valued.end()) valued.push_back(item);
    }
  }
  const uint64_t key = uint64_t{TargetNumber(request.target())} << 32 | policies_.identity(retrieval.policy);
  const double reward = LearningReward({.stage = stage,
                                        .feasible = !record.failed,
                                        .best_us = BestBefore(record, start),
                                        .latency_us = record.latency_us},
                                       rules, normalisers_[key]);
  for (const int ref : valued) Reward(ref, stage, reward, rules, retrieval.q_context, updates);
}

void ExperienceGraph::Reward(int ref, v1::Stage stage, double reward, const PolicyRules& rules, uint32_t context,
                             std::vector<SharedUpdate>& updates) {
  if (ref < 0) {
    updates.push_back({.what = SharedUpdate::What::kReward,
                       .item = shared_refs_[static_cast<size_t>(-1 - ref)],
                       .amount = reward,
                       .stage = stage,
                       .alpha = rules.alpha,
                       .q0 = rules.q0,
                       .q_context = rules.q_by_family ? strings_.Text(context) : ""});
    return;
  }
  LearnReward(Learned(ref), stage, reward, rules.alpha, rules.q0);
  if (!rules.q_by_family) return;
  LearnReward(q_by_context_[{.item = ref, .context = context, .refining = stage == v1::REFINING}], reward, rules.alpha,
              rules.q0);
}

}  // namespace kernelsmith::memory
