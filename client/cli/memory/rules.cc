#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/memory/commands.h"
#include "client/cli/memory/filter_options.h"
#include "client/cli/text/rules_text.h"
#include "client/lib/json.h"
#include "common/policies/presets.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

struct ConflictOptions {
  FilterOptions filter;
  int limit = 50;
};

int Conflicts(const ConflictOptions& options, const Session& session) {
  const absl::StatusOr<v1::Filter> filter = FilterFrom(options.filter);
  if (!filter.ok()) return session.Fail(filter.status());
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::ListConflictsResponse> found = memory->ListConflicts(*filter, options.limit);
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else {
    session.out() << ConflictsText(*found) << std::flush;
  }
  return kExitOk;
}

struct ResidentOptions {
  TargetOptions target;
  std::string policy;
};

int Residents(const ResidentOptions& options, const Session& session) {
  v1::ListResidentsRequest request;
  *request.mutable_target() = TargetFrom(options.target);
  request.mutable_policy()->set_preset(options.policy);
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::ListResidentsResponse> found = memory->ListResidents(request);
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else {
    session.out() << ResidentsText(*found) << std::flush;
  }
  return kExitOk;
}

int Policies(const Session& session) {
  std::vector<v1::Policy> policies;
  for (const std::string& name : common::PolicyPresetNames()) {
    const absl::StatusOr<v1::Policy> policy = common::PolicyPreset(name);
    if (!policy.ok()) return session.Fail(policy.status());
    policies.push_back(*policy);
  }
  if (session.json) {
    nlohmann::ordered_json document = {{"policies", nlohmann::ordered_json::array()}};
    for (const v1::Policy& policy : policies) {
      document["policies"].push_back(
          nlohmann::ordered_json::parse(ToJson(policy, JsonLayout::kOneLine), nullptr, false));
    }
    session.out() << document.dump(1) << std::endl;
  } else {
    session.out() << PoliciesText(policies) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddMemoryRules(Command& memory, Session& session) {
  auto conflict_options = std::make_shared<ConflictOptions>();
  Command conflicts = memory.Add("conflicts", "rules and insights that contradict each other, with their evidence");
  AddFilterOptions(conflicts, conflict_options->filter);
  conflicts.Option("--limit", conflict_options->limit, "how many at most (default: 50)").Range(1, 100000);
  conflicts.Footer("Example:\n  kernelsmith memory conflicts --operator softmax");
  conflicts.Run([conflict_options, &session] { session.exit_code = Conflicts(*conflict_options, session); });

  auto resident_options = std::make_shared<ResidentOptions>();
  Command residents = memory.Add("residents", "the rules that are always in the prompt, for one target and policy");
  AddTargetOptions(residents, resident_options->target);
  residents.Option("--policy", resident_options->policy, "the memory policy (default: combined)")
      .OneOf(common::PolicyPresetNames());
  residents.Footer("Example:\n  kernelsmith memory residents --architecture ascend-a2 --policy sage");
  residents.Run([resident_options, &session] { session.exit_code = Residents(*resident_options, session); });

  Command policies = memory.Add("policies", "the memory policies that submit --policy and search --policy take");
  policies.Footer("Example:\n  kernelsmith memory policies");
  policies.Run([&session] { session.exit_code = Policies(session); });
}

}  // namespace kernelsmith::client
