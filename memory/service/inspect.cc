// GetItem, Lineage, Stats and ListStartPoints.
#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"
#include "memory/service/validation.h"
#include "memory/values/random.h"
#include "memory/values/selection.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDefaultPage = 200;
constexpr int kLargestPage = 1000;
constexpr int kDefaultStartPoints = 20;
constexpr int kLargestStartPoints = 200;

v1::LineageNode NodeOf(const ExperienceGraph& graph, int index) {
  const AttemptForest::Node& node = graph.forest().node(index);
  const AttemptRecord& record = graph.attempt(index);
  v1::LineageNode out;
  out.set_attempt_id(std::string(graph.forest().attempt_id(index)));
  out.set_producer(std::string(graph.forest().producer(index)));
  if (node.prev != AttemptForest::kNone && node.cross_job) {
    out.set_cross_job_prev_item_id(graph.IdOf(graph.attempt(node.prev).case_item));
  } else if (node.prev != AttemptForest::kNone) {
    out.set_prev_attempt_id(std::string(graph.forest().attempt_id(node.prev)));
  }
  out.set_case_item_id(graph.IdOf(record.case_item));
  out.set_operator_name(graph.strings().Text(record.operator_name));
  out.set_session(graph.strings().Text(record.session));
  out.set_step(record.step);
  out.set_status(record.status);
  out.set_speedup(record.speedup);
  out.set_r(node.r);
  out.set_label(node.label);
  out.set_d(graph.forest().d(index));
  out.set_thought_id(graph.strings().Text(record.thought));
  out.set_latency_us(record.latency_us);
  return out;
}

v1::Target TargetOf(const ExperienceGraph& graph, const Facets& facets) {
  v1::Target target;
  target.set_architecture(graph.strings().Text(facets.architecture));
  target.set_soc(graph.strings().Text(facets.soc));
  target.set_toolchain(graph.strings().Text(facets.toolchain));
  target.set_driver(graph.strings().Text(facets.driver));
  return target;
}

}  // namespace

absl::StatusOr<v1::Item> Experience::ReadItem(const std::string& team, const std::string& item_id,
                                              const std::string& producer) const {
  for (const bool shared : {false, true}) {
    const TeamMemory* memory = teams_.Find(shared ? kSharedTeam : team);
    if (memory == nullptr) continue;
    int item = -1;
    {
      const ReaderLock lock(memory->mutex);
      item = memory->graph.FindItem(item_id);
      const bool readable =
          item >= 0 && (shared ? memory->graph.IsSharedWith(item, team) : memory->graph.MayRead(item, producer));
      if (!readable) continue;
    }
    ASSIGN_OR_RETURN(std::vector<v1::Item> items, ReadItems({StateOf(*memory, item)}));
    return std::move(items.front());
  }
  return absl::NotFoundError(absl::StrCat("no item '", item_id, "'"));
}

absl::StatusOr<v1::GetItemResponse> Experience::GetItem(const std::string& team,
                                                        const v1::GetItemRequest& request) const {
  RETURN_IF_ERROR(CheckId("item_id", request.item_id()));
  v1::GetItemResponse response;
  ASSIGN_OR_RETURN(*response.mutable_item(), ReadItem(team, request.item_id(), request.producer()));
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
  TeamMemory* memory = teams_.Find(team);
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
  response.set_embedder(embedder_ == nullptr ? "none" : embedder_->id());
  if (const TeamMemory* shared = teams_.Find(kSharedTeam)) {
    const ReaderLock lock(shared->mutex);
    int64_t visible = 0;
    for (int item = 0; item < shared->graph.item_count(); ++item) {
      visible += shared->graph.IsSharedWith(item, team) ? 1 : 0;
    }
    response.set_shared_items(visible);
  }
  TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return response;
  {
    const ReaderLock lock(memory->mutex);
    const GraphCounts& counts = memory->graph.counts();
    response.set_facts(counts.facts);
    response.set_attempts(memory->graph.attempt_count());
    response.set_items(memory->graph.item_count());
    response.set_retrievals(memory->graph.retrieval_count());
    response.set_adoptions(counts.adoptions);
    response.set_stages(memory->graph.stage_count());
    response.set_harmful_adoptions(counts.harmful_adoptions);
    response.set_last_sequence(counts.last_sequence);
    response.set_retired_items(counts.retired);
    response.set_resident_rules(memory->graph.residents().resident_count());
    response.set_junk_items(memory->graph.JunkCount(junk_after()));
  }
  const SearchStatistics index = memory->index->Statistics();
  response.set_segments(index.segments);
  response.set_unsealed_items(index.unsealed);
  response.set_near_duplicates(near_duplicates_.load(std::memory_order_relaxed));
  response.set_store_bytes(store_->TeamBytes(team));
  return response;
}

absl::StatusOr<v1::ListStartPointsResponse> Experience::ListStartPoints(
    const std::string& team, const v1::ListStartPointsRequest& request) const {
  RETURN_IF_ERROR(CheckId("session", request.session()));
  if (request.limit() < 0 || request.limit() > kLargestStartPoints) {
    return common::InvalidField("limit", absl::StrCat("is ", request.limit(), "; it must lie within 1 and ",
                                                      kLargestStartPoints, ", or be 0 for ", kDefaultStartPoints));
  }
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  v1::ListStartPointsResponse response;
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return response;
  const ReaderLock lock(memory->mutex);
  const ExperienceGraph& graph = memory->graph;
  std::vector<std::pair<double, int>> by_latency;  // what was not timed last; of equal ones the earlier first
  for (const int attempt : graph.StartPoints(request.session())) {
    const double us = graph.attempt(attempt).latency_us;
    by_latency.emplace_back(us > 0 ? us : std::numeric_limits<double>::infinity(), attempt);
  }
  std::sort(by_latency.begin(), by_latency.end());
  std::vector<int> attempts;
  for (const auto& [us, attempt] : by_latency) attempts.push_back(attempt);
  const uint64_t seed =
      request.seed() != 0 ? request.seed() : SeedFrom(request.session(), absl::StrCat(attempts.size()));
  response.set_seed(seed);
  const bool by_q = rules.start_point == v1::Policy::BY_Q;
  std::vector<double> q;
  for (const int attempt : attempts) {
    const AttemptRecord& record = graph.attempt(attempt);
    q.push_back(
        graph.QOf(record.case_item, v1::REFINING, rules, TargetOf(graph, record), graph.strings().Text(record.family)));
  }
  Pick pick = ChooseStartPoint(q, by_q ? rules.start_epsilon : 0, seed);
  if (!by_q) pick = {attempts.empty() ? -1 : 0, false};  // the fastest
  if (rules.start_point == v1::Policy::NO_START_POINT || rules.start_point == v1::Policy::CALLERS_OWN) pick.index = -1;

  std::vector<int> order(attempts.size());
  std::iota(order.begin(), order.end(), 0);
  if (by_q) std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return q[a] > q[b]; });
  const int limit = request.limit() == 0 ? kDefaultStartPoints : request.limit();
  for (const int place : order) {
    const bool chosen = place == pick.index;
    if (response.start_points_size() >= limit && !chosen) continue;
    v1::StartPoint& point = *response.add_start_points();
    point.set_attempt_id(std::string(graph.forest().attempt_id(attempts[place])));
    point.set_producer(std::string(graph.forest().producer(attempts[place])));
    point.set_q(q[place]);
    point.set_latency_us(graph.attempt(attempts[place]).latency_us);
    point.set_chosen(chosen);
    point.set_explored(chosen && pick.explored);
  }
  return response;
}

}  // namespace kernelsmith::memory
