#include "server/synthesis/attempt_rules.h"

#include <set>
#include <string>

#include "absl/strings/ascii.h"

namespace kernelsmith::server {

bool IsEvidence(v1::EvaluationStatus status) {
  switch (status) {
    case v1::EVALUATION_STATUS_UNSPECIFIED:
    case v1::UNSUPPORTED:
    case v1::INVALID_TASK:
    case v1::INFRASTRUCTURE:
    case v1::EVALUATION_CANCELLED:
      return false;
    default:
      return true;
  }
}

bool BecomesIncumbent(const v1::EvaluationReport& report, bool has_incumbent, double incumbent_us) {
  if (report.status() != v1::PASSED) return false;
  if (!has_incumbent) return true;
  if (report.has_against_incumbent()) return report.against_incumbent().faster();
  if (report.latency_us() <= 0) return false;
  if (incumbent_us <= 0) return true;
  return report.latency_us() < incumbent_us * (1 - report.environment().noise_floor());
}

double AttemptSpeedup(const v1::EvaluationReport& report, double first_correct_us) {
  if (report.status() != v1::PASSED) return 0;
  if (report.speedup_vs_baseline() > 0) return report.speedup_vs_baseline();
  if (first_correct_us > 0 && report.latency_us() > 0) return first_correct_us / report.latency_us();
  return 1;
}

double AttemptConfidence(const v1::EvaluationReport& report) { return report.cases_size() == 1 ? 0.5 : 0.8; }

v1::Purpose DefaultPurpose(const JobHistory& history) {
  if (history.incumbent_round > 0) return v1::SPEED;
  for (auto round = history.rounds.rbegin(); round != history.rounds.rend(); ++round) {
    if (!round->is_evidence()) continue;
    const v1::EvaluationStatus status = round->recorded->status();
    return status == v1::COMPILE_ERROR || status == v1::COMPILE_TIMEOUT ? v1::SYNTAX_REPAIR : v1::CORRECTNESS_REPAIR;
  }
  return v1::FIRST_DRAFT;
}

bool ConfirmsHypothesis(v1::Purpose purpose, v1::EvaluationStatus status, bool became_incumbent) {
  switch (purpose) {
    case v1::SPEED:
      return became_incumbent;
    case v1::SYNTAX_REPAIR:
      return status != v1::COMPILE_ERROR && status != v1::COMPILE_TIMEOUT;
    default:
      return status == v1::PASSED;
  }
}

bool AdoptionIsComplete(const v1::ContextSupplied& context, const v1::Proposal& proposal) {
  std::multiset<std::string> missing;
  for (const v1::ItemDecision& decision : context.decisions()) {
    if (decision.included()) missing.insert(decision.item_id());
  }
  for (const v1::AdoptionRecord& record : proposal.adoption()) {
    const auto found = missing.find(record.item_id());
    if (found == missing.end() || record.state() == v1::ADOPTION_STATE_UNSPECIFIED ||
        absl::StripAsciiWhitespace(record.reason()).empty()) {
      return false;
    }
    missing.erase(found);
  }
  return missing.empty();
}

}  // namespace kernelsmith::server
