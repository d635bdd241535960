// GetItem, Lineage and Stats.
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDefaultPage = 200;
constexpr int kLargestPage = 1000;

v1::LineageNode NodeOf(const ExperienceGraph& graph, int index) {
  const AttemptForest::Node& node = graph.forest().node(index);
  const AttemptRecord& record = graph.attempt(index);
  v1::LineageNode out;
  out.set_attempt_id(node.attempt_id);
  out.set_producer(node.producer);
  if (node.prev != AttemptForest::kNone) out.set_prev_attempt_id(graph.forest().node(node.prev).attempt_id);
  out.set_case_item_id(graph.item(record.case_item).id);
  out.set_operator_name(graph.strings().Text(record.operator_name));
  out.set_session(graph.strings().Text(record.session));
  out.set_step(record.step);
  out.set_status(record.status);
  out.set_speedup(record.speedup);
  out.set_r(node.r);
  out.set_label(node.label);
  out.set_d(node.d);
  out.set_thought_id(graph.strings().Text(record.thought));
  out.set_latency_us(record.latency_us);
  return out;
}

}  // namespace

absl::StatusOr<v1::GetItemResponse> Experience::GetItem(const std::string& team,
                                                        const v1::GetItemRequest& request) const {
  RETURN_IF_ERROR(CheckId("item_id", request.item_id()));
  const absl::Status unknown = absl::NotFoundError(absl::StrCat("no item '", request.item_id(), "'"));
  TeamMemory* memory = FindTeam(team);
  if (memory == nullptr) return unknown;
  v1::ItemKind kind = v1::ITEM_KIND_UNSPECIFIED;
  v1::ItemValues values;
  uint64_t sequence = 0;
  {
    ReaderLock lock(memory->mutex);
    const int item = memory->graph.FindItem(request.item_id());
    if (item < 0) return unknown;
    kind = memory->graph.item(item).kind;
    values = memory->graph.ValuesOf(item);
    sequence = memory->graph.attempt(memory->graph.item(item).attempt).sequence;
  }
  ASSIGN_OR_RETURN(const Fact fact, store_->Read(team, sequence));
  v1::GetItemResponse response;
  *response.mutable_item() = ItemOf(fact, kind, std::move(values));
  return response;
}

absl::StatusOr<v1::LineageResponse> Experience::Lineage(const std::string& team,
                                                        const v1::LineageRequest& request) const {
  if (request.page_size() < 0 || request.page_size() > kLargestPage) {
    return common::InvalidField("page_size", absl::StrCat("is ", request.page_size(), "; it must lie within 1 and ",
                                                          kLargestPage, ", or be 0 for ", kDefaultPage));
  }
  int next = 0;  // the token is the number of the next attempt; attempts are never removed
  if (!request.page_token().empty() && (!absl::SimpleAtoi(request.page_token(), &next) || next < 0)) {
    return common::InvalidField("page_token", "is not one that this call has returned");
  }
  const int page = request.page_size() == 0 ? kDefaultPage : request.page_size();
  v1::LineageResponse response;
  TeamMemory* memory = FindTeam(team);
  if (memory == nullptr) return response;
  ReaderLock lock(memory->mutex);
  for (int i = next; i < memory->graph.attempt_count(); ++i) {
    const AttemptRecord& attempt = memory->graph.attempt(i);
    if (!request.session().empty() && memory->graph.strings().Text(attempt.session) != request.session()) continue;
    if (!request.operator_name().empty() &&
        memory->graph.strings().Text(attempt.operator_name) != request.operator_name()) {
      continue;
    }
    if (response.nodes_size() == page) {
      response.set_next_page_token(absl::StrCat(i));
      break;
    }
    *response.add_nodes() = NodeOf(memory->graph, i);
  }
  return response;
}

absl::StatusOr<v1::StatsResponse> Experience::Stats(const std::string& team, const v1::StatsRequest&) const {
  v1::StatsResponse response;
  TeamMemory* memory = FindTeam(team);
  if (memory == nullptr) return response;
  {
    ReaderLock lock(memory->mutex);
    response.set_facts(memory->graph.counts().facts);
    response.set_attempts(memory->graph.attempt_count());
    response.set_items(memory->graph.item_count());
    response.set_retrievals(memory->graph.retrieval_count());
    response.set_adoptions(memory->graph.counts().adoptions);
    response.set_stages(memory->graph.stage_count());
    response.set_harmful_adoptions(memory->graph.counts().harmful_adoptions);
    response.set_last_sequence(memory->graph.counts().last_sequence);
  }
  response.set_store_bytes(store_->TeamBytes(team));
  return response;
}

}  // namespace kernelsmith::memory
