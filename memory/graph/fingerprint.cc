#include <algorithm>
#include <bit>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {
namespace {

using Line = std::function<void(absl::string_view)>;

// All 64 bits, so that equal text means equal numbers.
std::string Bits(double value) { return absl::StrCat(absl::Hex(std::bit_cast<uint64_t>(value), absl::kZeroPad16)); }

// The keys of a map in a fixed order.
template <typename Map>
auto SortedKeys(const Map& map) {
  std::vector<typename Map::key_type> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string Numbers(const std::vector<int>& numbers) { return absl::StrJoin(numbers, ","); }

std::string MembersOf(const std::vector<ResidentSets::Member>& members) {
  return absl::StrJoin(members, " ", [](std::string* out, const ResidentSets::Member& member) {
    absl::StrAppend(out, member.item, ":", Bits(member.usage), ":", member.tokens, ":", Bits(member.utility));
  });
}

std::string FacetsOf(const Facets& facets, const StringTable& strings) {
  std::string out = absl::StrCat(facets.sequence, "|");
  for (const uint32_t number :
       {facets.operator_name, facets.family, facets.level, facets.session, facets.thought, facets.bottleneck,
        facets.producer, facets.proposer_kind, facets.model, facets.architecture, facets.soc, facets.toolchain,
        facets.driver, facets.bundle, facets.name}) {
    absl::StrAppend(&out, strings.Text(number), "|");
  }
  absl::StrAppend(&out, facets.applicability, "|", static_cast<int>(facets.stage), "|",
                  static_cast<int>(facets.purpose), "|", static_cast<int>(facets.layer), "|",
                  static_cast<int>(facets.dtype), "|", facets.rule_tokens, "|", facets.is_private, "|", facets.failed,
                  "|", Bits(facets.confidence));
  return out;
}

}  // namespace

void ExperienceGraph::Describe(const Line& line) const {
  line(absl::StrCat("team ", team_, " facts ", counts_.facts, " last ", counts_.last_sequence, " adopted ",
                    counts_.adoptions, " rejected ", counts_.rejections, " harmful ", counts_.harmful_adoptions,
                    " retired ", counts_.retired, " shared updates ", counts_.shared_updates, " never adopted ",
                    absl::StrJoin(never_adopted_, ",")));
  DescribeAttempts(line);
  DescribeItems(line);
  DescribeEvents(line);
  DescribeLearning(line);
}

void ExperienceGraph::DescribeAttempts(const Line& line) const {
  for (int i = 0; i < attempt_count(); ++i) {
    const AttemptForest::Node& node = forest_.node(i);
    const AttemptRecord& record = attempts_[i];
    line(absl::StrCat("attempt ", i, " ", forest_.producer(i), " ", forest_.attempt_id(i), " prev ", node.prev,
                      node.cross_job ? " across jobs" : "", " successors ", Numbers(forest_.successors(i)), " a ",
                      Bits(node.a), " r ", Bits(node.r), " label ", static_cast<int>(node.label), " d ",
                      Bits(forest_.d(i)), " facets ", FacetsOf(record, strings_), "|", static_cast<int>(record.status),
                      "|", record.step, "|", Bits(record.latency_us), "|", Bits(record.speedup)));
  }
  for (const uint32_t session : SortedKeys(sessions_)) {
    const Session& record = sessions_.at(session);
    line(absl::StrCat("session ", strings_.Text(session), " feasible ", Numbers(record.feasible), " best ",
                      Bits(record.best_us)));
  }
}

void ExperienceGraph::DescribeItems(const Line& line) const {
  for (int i = 0; i < item_count(); ++i) {
    const ItemRecord& item = items_[i];
    std::string text =
        absl::StrCat("item ", i, " ", IdOf(i), " kind ", static_cast<int>(item.kind), " attempt ", item.attempt);
    if (item.content >= 0) {
      const ContentRecord& content = contents_[item.content];
      absl::StrAppend(&text, " facets ", FacetsOf(content, strings_), " label ", static_cast<int>(content.label), " r ",
                      Bits(content.r), " d ", Bits(content.d), " provenance ", ProvenanceOf(i).ShortDebugString());
    }
    if (const auto origins = origins_.find(i); origins != origins_.end()) {
      absl::StrAppend(&text, " from ", absl::StrJoin(OriginsOf(i), ","));
    }
    if (const LearnedValues* values = learned(i)) {
      absl::StrAppend(&text, " u ", Bits(values->u), " q ", Bits(values->q_drafting), "/", values->n_drafting, " ",
                      Bits(values->q_refining), "/", values->n_refining, " retrieved ", values->n_retrieved,
                      " resident ", values->n_resident, " adopted ", values->n_adopted, " harm ", values->n_harm,
                      " by ", absl::StrJoin(values->adopters, ",", [this](std::string* out, uint32_t name) {
                        absl::StrAppend(out, strings_.Text(name));
                      }));
    }
    if (const auto life = lifecycle_.find(i); life != lifecycle_.end()) {
      absl::StrAppend(&text, " life ", life->second.retired, "|", life->second.superseded_by, "|", life->second.reason,
                      "|", Numbers(life->second.supersedes));
    }
    if (const RuleRecord* rule = FindRule(i)) {
      absl::StrAppend(&text, " rule ", rule->sequence, "|", rule->tokens, "|", rule->author, "|", rule->text);
    }
    line(text);
  }
}

void ExperienceGraph::DescribeEvents(const Line& line) const {
  for (const RetrievalRecord& retrieval : retrievals_) {
    line(absl::StrCat("retrieval ", FormatId(retrieval.id), " sequence ", retrieval.sequence, " attempt ",
                      retrieval.attempt, " next ", retrieval.next, " policy ", retrieval.policy, " residents ",
                      retrieval.resident_set, " query ", retrieval.query, " known ", retrieval.items_known, " stage ",
                      static_cast<int>(retrieval.stage), " adoption ", retrieval.has_adoption, " scored ",
                      retrieval.scored, " items ",
                      absl::StrJoin(retrieval.items, ",", [this](std::string* out, const HeldItem& held) {
                        absl::StrAppend(out, IdOfRef(held.item), held.adopted ? "+" : "", held.resident ? "r" : "",
                                        held.valued ? "v" : "");
                      })));
  }
  for (const std::string& key : SortedKeys(stage_by_key_)) {
    const StageRecord& stage = stages_[stage_by_key_.at(key)];
    line(absl::StrCat("stage ", key, " sequence ", stage.sequence, " z ", Bits(stage.z), " ",
                      absl::StrJoin(stage.changes, " ", [this](std::string* out, const UtilityStep& step) {
                        absl::StrAppend(out, IdOfRef(step.item), ":", Bits(step.xi), ":", Bits(step.eta), ":",
                                        Bits(step.u_before), ":", Bits(step.u_after));
                      })));
  }
}

void ExperienceGraph::DescribeLearning(const Line& line) const {
  for (const uint64_t key : SortedKeys(normalisers_)) {
    const RewardNormaliser& normaliser = normalisers_.at(key);
    line(absl::StrCat("normaliser ", key, " n ", normaliser.count(), " mean ", Bits(normaliser.mean()), " sd ",
                      Bits(normaliser.deviation())));
  }
  std::vector<std::string> by_context;
  for (const auto& [key, q] : q_by_context_) {
    by_context.push_back(absl::StrCat("q of item ", key.item, " in ", strings_.Text(key.context),
                                      key.refining ? " refining " : " drafting ", Bits(q.q), "/", q.count));
  }
  std::sort(by_context.begin(), by_context.end());
  for (const std::string& text : by_context) line(text);
  for (int i = 0; i < residents_.size(); ++i) {
    const ResidentSets::Set& set = residents_.set(i);
    std::string text =
        absl::StrCat("residents of ", strings_.Text(set.target), " policy ", set.identity, " tokens ", set.used_tokens,
                     " members ", MembersOf(set.members), " waiting ", MembersOf(set.waiting), " eligible");
    for (const auto* members : {&set.members, &set.waiting}) {
      for (const ResidentSets::Member& member : *members) {
        absl::StrAppend(&text, " ", residents_.CountedEligible(member.item));
      }
    }
    line(text);
  }
}

std::string ExperienceGraph::Fingerprint() const {
  std::string out;
  Describe([&out](absl::string_view line) { absl::StrAppend(&out, line, "\n"); });
  return out;
}

}  // namespace kernelsmith::memory
