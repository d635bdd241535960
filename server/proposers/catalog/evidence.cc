#include "server/proposers/catalog/evidence.h"

#include <algorithm>
#include <cmath>

#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {
namespace {

// log(r), with the outcome of what was built on it (d) and the utility for other operators (u) as smaller terms.
double GainOf(const v1::Item& item) {
  const v1::ItemValues& values = item.values();
  double gain = values.r() > 0 ? std::clamp(std::log(values.r()), -1.0, 1.5) : 0.0;
  if (values.d() > 0) gain += 0.15 * std::tanh(std::log(std::max(values.d(), 0.01)));
  if (values.label() == v1::NEGATIVE) gain = std::min(gain, -0.2);
  return gain + 0.2 * values.u();
}

}  // namespace

bool SaysNothing(v1::EvaluationStatus status) {
  return status == v1::EVALUATION_STATUS_UNSPECIFIED || status == v1::UNSUPPORTED || status == v1::INVALID_TASK ||
         status == v1::INFRASTRUCTURE || status == v1::EVALUATION_CANCELLED;
}

std::vector<Experience> ReadExperience(const ProposalRequest& request, const Problem& problem) {
  const std::string root = problem.target->RootKey();
  std::vector<Experience> experience;
  const v1::DType dtype = request.task.cases().empty() || request.task.cases(0).outputs().empty()
                              ? v1::DTYPE_UNSPECIFIED
                              : request.task.cases(0).outputs(0).dtype();
  for (const v1::RankedItem& ranked : request.context.items()) {
    const v1::Item& item = ranked.item();
    const v1::Case& c = item.case_();
    if (!item.has_case_() || !c.thought().parameters().contains(root) || SaysNothing(c.status())) continue;
    Experience e;
    e.item_id = item.id();
    e.operator_name = c.operator_name();
    e.move = c.thought().id();
    e.parameters = Parameters(c.thought().parameters().begin(), c.thought().parameters().end());
    e.same_family = c.family() == FamilyName(problem.family);
    e.passed = c.status() == v1::PASSED;
    const bool same_target = item.target().architecture().empty() || request.target.architecture().empty() ||
                             item.target().architecture() == request.target.architecture();
    e.speedup = e.passed && same_target ? c.speedup() : 0;
    e.gain = e.passed ? GainOf(item) : -1.0;
    e.weight = (e.same_family ? 1.0 : 0.4) * (c.operator_name() == request.task.operator_name() ? 1.0 : 0.8) *
               (c.scene().dtype() == dtype ? 1.0 : 0.7) * (same_target ? 1.0 : 0.5) *
               (c.confidence() > 0 ? c.confidence() : 0.8);
    experience.push_back(std::move(e));
  }
  return experience;
}

double EvidenceFor(const Move& move, const std::string& value, const std::vector<Experience>& experience,
                   std::vector<std::string>* in_favour, std::vector<std::string>* against) {
  double sum = 0;
  for (const Experience& e : experience) {
    if (e.move != move.id) continue;
    const auto set = e.parameters.find(move.key);
    if (set == e.parameters.end()) continue;
    const double share = e.weight * e.gain * (set->second == value ? 1.0 : 1.0 / 3);
    sum += share;
    if (share > 0 && in_favour != nullptr) in_favour->push_back(e.item_id);
    if (share < 0 && against != nullptr) against->push_back(e.item_id);
  }
  return sum;
}

std::vector<size_t> RankedSchedules(const std::vector<Experience>& experience) {
  std::vector<size_t> order;
  for (size_t i = 0; i < experience.size(); ++i) {
    if (experience[i].passed && experience[i].same_family) order.push_back(i);
  }
  const auto promise = [&](size_t i) {
    const Experience& e = experience[i];
    return (e.speedup > 0 ? std::log(e.speedup) : -3.0) + e.weight;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return promise(a) > promise(b); });
  return order;
}

}  // namespace kernelsmith::server
