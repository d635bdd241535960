#include "server/synthesis/work_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

// As documented at v1::Limits.
constexpr double kCompileSeconds = 60;
constexpr double kRunSeconds = 60;
constexpr double kReferenceSeconds = 120;
constexpr double kEvaluationSeconds = 300;
constexpr int64_t kMemoryBytes = int64_t{4} << 30;
constexpr int64_t kOutputBytes = int64_t{1} << 20;
constexpr int64_t kMicrosADay = int64_t{86400} * 1000000;

template <typename Number>
Number FirstSet(Number wanted, Number configured, Number documented) {
  return wanted != 0 ? wanted : configured != 0 ? configured : documented;
}

}  // namespace

v1::Limits EffectiveLimits(const v1::Limits& wanted, const v1::Limits& defaults) {
  v1::Limits limits;
  limits.set_compile_s(FirstSet(wanted.compile_s(), defaults.compile_s(), kCompileSeconds));
  limits.set_run_s(FirstSet(wanted.run_s(), defaults.run_s(), kRunSeconds));
  limits.set_reference_s(FirstSet(wanted.reference_s(), defaults.reference_s(), kReferenceSeconds));
  limits.set_evaluation_s(FirstSet(wanted.evaluation_s(), defaults.evaluation_s(), kEvaluationSeconds));
  limits.set_memory_bytes(FirstSet(wanted.memory_bytes(), defaults.memory_bytes(), kMemoryBytes));
  limits.set_output_bytes(FirstSet(wanted.output_bytes(), defaults.output_bytes(), kOutputBytes));
  return limits;
}

absl::Status CheckLimits(const v1::Limits& limits, const std::string& prefix) {
  const std::pair<const char*, double> all[] = {{"compile_s", limits.compile_s()},
                                                {"run_s", limits.run_s()},
                                                {"reference_s", limits.reference_s()},
                                                {"evaluation_s", limits.evaluation_s()},
                                                {"memory_bytes", static_cast<double>(limits.memory_bytes())},
                                                {"output_bytes", static_cast<double>(limits.output_bytes())}};
  for (const auto& [name, value] : all) {
    // Written so that NaN fails too.
    if (!(value >= 0)) {
      return common::InvalidField(absl::StrCat(prefix, ".", name), absl::StrFormat("is %g; give 0 or more", value));
    }
  }
  const v1::Limits effective = EffectiveLimits(limits, {});
  const std::pair<const char*, double> phases[] = {
      {"compile_s", effective.compile_s()}, {"run_s", effective.run_s()}, {"reference_s", effective.reference_s()}};
  for (const auto& [name, value] : phases) {
    if (value > effective.evaluation_s()) {
      return common::InvalidField(
          absl::StrCat(prefix, ".", name),
          absl::StrFormat("is %g s and does not fit within evaluation_s, %g s", value, effective.evaluation_s()));
    }
  }
  return absl::OkStatus();
}

uint64_t InputEpoch(int64_t submitted_unix_us) { return static_cast<uint64_t>(submitted_unix_us / kMicrosADay); }

std::string InspectionId(const std::string& job_id) { return absl::StrCat(job_id, "/inspect"); }

std::string EvaluationId(const std::string& attempt_id) { return absl::StrCat(attempt_id, "/evaluate"); }

std::string ReplayId(const std::string& assignment_id, int n) { return absl::StrCat(assignment_id, "/replay-", n); }

}  // namespace kernelsmith::server
