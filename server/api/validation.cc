#include "server/api/validation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/policies/presets.h"
#include "common/status.h"
#include "server/synthesis/proposal_check.h"
#include "server/synthesis/work_options.h"

namespace kernelsmith::server {
namespace {

using common::InvalidField;

constexpr size_t kLongestId = 128;
constexpr size_t kLongestName = 200;
constexpr int kMaxPriority = 100;
constexpr double kMaxTemperature = 2;
constexpr int kMaxRetrieved = 200;
constexpr int kDefaultRounds = 30;
constexpr int kMaxRounds = 100000;

// Written so that NaN fails too.
absl::Status CheckAmount(const std::string& field, double value) {
  if (value >= 0 && std::isfinite(value)) return absl::OkStatus();
  return InvalidField(field, absl::StrFormat("is %g; give a finite number of 0 or more", value));
}

bool IsPlainFileName(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name.find('\0') == std::string::npos && name != "." &&
         name != "..";
}

absl::Status CheckBudget(const v1::Budget& budget, const std::string& field) {
  RETURN_IF_ERROR(CheckAmount(field + ".rounds", budget.rounds()));
  if (budget.rounds() > kMaxRounds) {
    return InvalidField(field + ".rounds", absl::StrCat("is ", budget.rounds(), "; at most ", kMaxRounds));
  }
  RETURN_IF_ERROR(CheckAmount(field + ".tokens", static_cast<double>(budget.tokens())));
  RETURN_IF_ERROR(CheckAmount(field + ".money", budget.money()));
  return CheckAmount(field + ".wall_s", budget.wall_s());
}

absl::Status CheckGoal(const v1::Goal& goal) {
  RETURN_IF_ERROR(CheckAmount("spec.goal.latency_us", goal.latency_us()));
  RETURN_IF_ERROR(CheckAmount("spec.goal.speedup_vs_baseline", goal.speedup_vs_baseline()));
  return CheckAmount("spec.goal.rounds_without_gain", goal.rounds_without_gain());
}

absl::Status CheckPolicy(const v1::Policy& policy) {
  const std::vector<std::string>& known = common::PolicyPresetNames();
  if (!policy.preset().empty() && std::find(known.begin(), known.end(), policy.preset()) == known.end()) {
    return InvalidField("spec.policy.preset", absl::StrCat("'", policy.preset(), "' is not known; choose one of ",
                                                           absl::StrJoin(known, ", ")));
  }
  RETURN_IF_ERROR(CheckAmount("spec.policy.gamma", policy.gamma()));
  RETURN_IF_ERROR(CheckAmount("spec.policy.beta", policy.beta()));
  RETURN_IF_ERROR(CheckAmount("spec.policy.delta", policy.delta()));
  RETURN_IF_ERROR(CheckAmount("spec.policy.eta_min", policy.eta_min()));
  if (policy.eta_min() > 1) return InvalidField("spec.policy.eta_min", "is above 1");
  for (const auto& [name, value] : {std::pair("pool", policy.pool()), std::pair("top_k", policy.top_k())}) {
    if (value < 0 || value > kMaxRetrieved) {
      return InvalidField(absl::StrCat("spec.policy.", name),
                          absl::StrCat("is ", value, "; give 1 to ", kMaxRetrieved, ", or 0 for the preset's own"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckProposer(const v1::ProposerSpec& proposer, const config::v1::CoordinatorConfig& config) {
  if (!proposer.has_chat()) return absl::OkStatus();
  const v1::ChatProposer& chat = proposer.chat();
  std::vector<std::string> names;
  for (const auto& endpoint : config.endpoints()) names.push_back(endpoint.name());
  if (names.empty()) {
    return InvalidField("spec.proposer.chat", "needs a model endpoint, and this coordinator is configured without one");
  }
  const bool only = chat.endpoint().empty() && names.size() == 1;
  if (!only && std::find(names.begin(), names.end(), chat.endpoint()) == names.end()) {
    return InvalidField("spec.proposer.chat.endpoint",
                        absl::StrCat("'", chat.endpoint(), "' is not known; there are ", absl::StrJoin(names, ", ")));
  }
  if (!(chat.temperature() >= 0 && chat.temperature() <= kMaxTemperature)) {
    return InvalidField("spec.proposer.chat.temperature",
                        absl::StrFormat("is %g; give 0 to %g", chat.temperature(), kMaxTemperature));
  }
  return CheckAmount("spec.proposer.chat.max_completion_tokens", chat.max_completion_tokens());
}

absl::Status CheckNative(const v1::NativeTask& native, const std::string& field) {
  std::set<std::string> names;
  for (int i = 0; i < native.files_size(); ++i) {
    const std::string& name = native.files(i).name();
    const std::string path = absl::StrCat(field, ".files[", i, "].name");
    if (!IsPlainFileName(name)) return InvalidField(path, absl::StrCat("'", name, "' is not a plain file name"));
    if (!names.insert(name).second) return InvalidField(path, absl::StrCat("'", name, "' occurs twice"));
  }
  for (const char* needed : {"task.yaml", "reference.py"}) {
    if (!names.contains(needed)) return InvalidField(field + ".files", absl::StrCat("lacks ", needed));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRequestId(const std::string& request_id) {
  if (request_id.empty()) return InvalidField("request_id", "is empty; give a UUID");
  if (request_id.size() > kLongestId) {
    return InvalidField("request_id", absl::StrCat("has ", request_id.size(), " bytes; at most ", kLongestId));
  }
  for (const unsigned char c : request_id) {
    if (!absl::ascii_isprint(c)) return InvalidField("request_id", "holds a character that is not printable ASCII");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::JobSpec> CompleteSpec(const v1::JobSpec& spec, const config::v1::CoordinatorConfig& config) {
  v1::JobSpec complete = spec;
  if (spec.name().size() > kLongestName) {
    return InvalidField("spec.name", absl::StrCat("has ", spec.name().size(), " bytes; at most ", kLongestName));
  }
  RETURN_IF_ERROR(CheckTask(spec.task(), "spec.task"));
  ASSIGN_OR_RETURN(*complete.mutable_card_kind(), CompleteCardKind(spec.card_kind(), "spec.card_kind"));
  RETURN_IF_ERROR(CheckProposer(spec.proposer(), config));
  if (spec.proposer().kind_case() == v1::ProposerSpec::KIND_NOT_SET) complete.mutable_proposer()->mutable_catalog();
  RETURN_IF_ERROR(CheckBudget(spec.budget(), "spec.budget"));
  if (spec.budget().rounds() == 0) {
    complete.mutable_budget()->set_rounds(config.default_rounds() > 0 ? config.default_rounds() : kDefaultRounds);
  }
  RETURN_IF_ERROR(CheckGoal(spec.goal()));
  RETURN_IF_ERROR(CheckPolicy(spec.policy()));
  if (spec.priority() < -kMaxPriority || spec.priority() > kMaxPriority) {
    return InvalidField("spec.priority",
                        absl::StrCat("is ", spec.priority(), "; give ", -kMaxPriority, " to ", kMaxPriority));
  }
  if (spec.has_start_from()) {
    RETURN_IF_ERROR(CheckCandidate(spec.start_from(), complete.card_kind(), "spec.start_from"));
  }
  RETURN_IF_ERROR(CheckOptions(spec.evaluation(), "spec.evaluation"));
  return complete;
}

absl::Status CheckExtension(const v1::Budget& extra) {
  RETURN_IF_ERROR(CheckBudget(extra, "extra"));
  if (extra.rounds() > 0 || extra.tokens() > 0 || extra.money() > 0 || extra.wall_s() > 0) return absl::OkStatus();
  return InvalidField("extra", "adds nothing; give rounds, tokens, money or wall_s");
}

absl::StatusOr<std::string> CompleteCardKind(const std::string& card_kind, const std::string& field) {
  if (card_kind.empty()) return std::string("cpu");
  if (card_kind == "cpu" || card_kind == "ascend") return card_kind;
  return InvalidField(field, absl::StrCat("'", card_kind, "' is not known; there are cpu and ascend"));
}

absl::Status CheckTask(const v1::TaskSource& task, const std::string& field) {
  size_t bytes = 0;
  switch (task.format_case()) {
    case v1::TaskSource::kKernelbench:
      if (absl::StripAsciiWhitespace(task.kernelbench().source()).empty()) {
        return InvalidField(field + ".kernelbench.source", "is empty; give a Python file with class Model");
      }
      bytes = task.kernelbench().source().size();
      break;
    case v1::TaskSource::kNative:
      RETURN_IF_ERROR(CheckNative(task.native(), field + ".native"));
      for (const v1::SourceFile& file : task.native().files()) bytes += file.content().size();
      break;
    case v1::TaskSource::FORMAT_NOT_SET:
      return InvalidField(field, "is empty; give kernelbench or native");
  }
  if (bytes > kMaxTaskBytes) {
    return InvalidField(field, absl::StrCat("has ", bytes, " bytes of source; at most ", kMaxTaskBytes));
  }
  for (const auto& [name, value] : task.overrides()) {
    const bool identifier =
        !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
    if (!identifier) return InvalidField(field + ".overrides", absl::StrCat("'", name, "' is no Python name"));
    if (value.empty()) return InvalidField(field + ".overrides", absl::StrCat("gives no value for ", name));
  }
  return absl::OkStatus();
}

absl::Status CheckCandidate(const v1::Candidate& candidate, const std::string& card_kind, const std::string& field) {
  const v1::Candidate::Kind expected = card_kind == "ascend" ? v1::Candidate::ASCEND_KERNEL : v1::Candidate::CPU_SOURCE;
  if (candidate.kind() != expected) {
    return InvalidField(field + ".kind",
                        absl::StrCat("is ", v1::Candidate::Kind_Name(candidate.kind()), "; a candidate for card kind ",
                                     card_kind, " is ", v1::Candidate::Kind_Name(expected)));
  }
  const std::string fault = CandidateFault(candidate);
  return fault.empty() ? absl::OkStatus() : InvalidField(field + ".files", fault);
}

absl::Status CheckOptions(const v1::EvaluationOptions& options, const std::string& field) {
  RETURN_IF_ERROR(CheckAmount(field + ".max_samples", options.max_samples()));
  RETURN_IF_ERROR(CheckAmount(field + ".early_stop_relative", options.early_stop_relative()));
  return CheckLimits(options.limits(), field + ".limits");
}

}  // namespace kernelsmith::server
