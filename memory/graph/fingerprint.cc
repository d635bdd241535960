#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {
namespace {

// All 64 bits, so that equal text means equal numbers.
std::string Bits(double value) { return absl::StrCat(absl::Hex(std::bit_cast<uint64_t>(value), absl::kZeroPad16)); }

// The keys of a map in a fixed order.
template <typename Map>
std::vector<std::string> SortedKeys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

std::string ExperienceGraph::Fingerprint() const {
  std::string out =
      absl::StrCat("team ", team_, " facts ", counts_.facts, " last ", counts_.last_sequence, " adopted ",
                   counts_.adoptions, " rejected ", counts_.rejections, " harmful ", counts_.harmful_adoptions, "\n");
  for (int i = 0; i < attempt_count(); ++i) {
    const AttemptForest::Node& node = forest_.node(i);
    const AttemptRecord& record = attempts_[i];
    absl::StrAppend(&out, "attempt ", node.producer, " ", node.attempt_id, " sequence ", record.sequence, " prev ",
                    node.prev, " successors ", absl::StrJoin(node.successors, ","), " a ", Bits(node.a), " r ",
                    Bits(node.r), " label ", static_cast<int>(node.label), " d ", Bits(node.d), " facets ");
    for (const uint32_t number :
         {record.operator_name, record.family, record.level, record.session, record.thought, record.bottleneck,
          record.proposer_kind, record.architecture, record.soc, record.toolchain, record.driver}) {
      absl::StrAppend(&out, strings_.Text(number), "|");
    }
    absl::StrAppend(&out, static_cast<int>(record.stage), "|", static_cast<int>(record.purpose), "|",
                    static_cast<int>(record.layer), "|", static_cast<int>(record.status), "|", record.step, "|",
                    Bits(record.latency_us), "|", Bits(record.speedup), "|", Bits(record.confidence), "\n");
  }
  for (const ItemRecord& item : items_) {
    absl::StrAppend(&out, "item ", item.id, " kind ", static_cast<int>(item.kind), " attempt ", item.attempt, " u ",
                    Bits(item.u), " retrieved ", item.n_retrieved, " adopted ", item.n_adopted, " by ",
                    absl::StrJoin(item.adopting_operators, ","), "\n");
  }
  for (const std::string& key : SortedKeys(retrievals_)) {
    const RetrievalRecord& retrieval = retrievals_.at(key);
    absl::StrAppend(&out, "retrieval ", key, " sequence ", retrieval.sequence, " items ",
                    absl::StrJoin(retrieval.items, ","), " adoption ", retrieval.has_adoption, " adopted ",
                    absl::StrJoin(retrieval.adopted, ","), " scored ", retrieval.scored, "\n");
  }
  for (const std::string& key : SortedKeys(stages_)) {
    const StageRecord& stage = stages_.at(key);
    absl::StrAppend(&out, "stage ", key, " sequence ", stage.sequence, " z ", Bits(stage.z));
    for (const v1::UtilityChange& change : stage.changes) {
      absl::StrAppend(&out, " ", change.item_id(), ":", Bits(change.xi()), ":", Bits(change.u_after()));
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

}  // namespace kernelsmith::memory
