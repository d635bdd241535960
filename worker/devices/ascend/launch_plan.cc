#include "worker/devices/ascend/launch_plan.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

constexpr uint32_t kMaxBlocks = 65535;
constexpr int64_t kAlignment = 32;

template <typename... Parts>
absl::Status Bad(const Parts&... parts) {
  return absl::FailedPreconditionError(absl::StrCat("the plan is wrong: ", parts...));
}

std::string Listed(absl::Span<const KernelSignature> kernels) {
  return absl::StrJoin(kernels, ", ", [](std::string* out, const KernelSignature& k) { out->append(k.name); });
}

struct Limits {
  int inputs;
  int outputs;
  int64_t workspace;
  int64_t tiling;
};

absl::Status CheckOffset(const std::string& where, absl::string_view what, int64_t offset, int64_t bytes) {
  if (offset < 0 || offset >= bytes) {
    return Bad(where, " lies at byte ", offset, " of the ", what, ", which has ", bytes, " bytes");
  }
  if (offset % kAlignment != 0) return Bad(where, ": offset ", offset, " into the ", what, " is no multiple of 32");
  return absl::OkStatus();
}

absl::Status CheckArgument(const std::string& where, const ks_argument& argument, const Limits& limits) {
  switch (argument.kind) {
    case KS_ARGUMENT_INPUT:
    case KS_ARGUMENT_OUTPUT: {
      const bool input = argument.kind == KS_ARGUMENT_INPUT;
      const int count = input ? limits.inputs : limits.outputs;
      if (argument.value >= 0 && argument.value < count) return absl::OkStatus();
      return Bad(where, " is ", input ? "input " : "output ", argument.value, "; the case has ", count);
    }
    case KS_ARGUMENT_WORKSPACE:
      return CheckOffset(where, "workspace", argument.value, limits.workspace);
    case KS_ARGUMENT_TILING:
      return CheckOffset(where, "tiling", argument.value, limits.tiling);
    default:
      return Bad(where, " has the unknown kind ", argument.kind);
  }
}

absl::StatusOr<PlannedLaunch> CheckLaunch(int index, const ks_launch& launch, absl::Span<const KernelSignature> kernels,
                                          const Limits& limits) {
  const std::string name(launch.kernel, ::strnlen(launch.kernel, sizeof launch.kernel));
  const std::string where = absl::StrCat("launch ", index, " (", Printable(name, KS_PLAN_MAX_NAME), ")");
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [&name](const KernelSignature& k) { return k.name == name; });
  if (kernel == kernels.end()) return Bad(where, " names no kernel of kernel.asc; it has ", Listed(kernels));
  if (launch.blocks < 1 || launch.blocks > kMaxBlocks) {
    return Bad(where, " has ", launch.blocks, " blocks; 1 to ", kMaxBlocks, " are possible");
  }
  if (launch.n_arguments != static_cast<uint32_t>(kernel->parameters)) {
    return Bad(where, " gives ", launch.n_arguments, " arguments; the kernel has ", kernel->parameters, " parameters");
  }
  PlannedLaunch planned{static_cast<int>(kernel - kernels.begin()), launch.blocks, {}};
  for (uint32_t i = 0; i < launch.n_arguments; ++i) {
    RETURN_IF_ERROR(CheckArgument(absl::StrCat(where, " argument ", i), launch.arguments[i], limits));
    planned.arguments.push_back({static_cast<ks_argument_kind>(launch.arguments[i].kind), launch.arguments[i].value});
  }
  return planned;
}

}  // namespace

absl::StatusOr<CheckedPlan> CheckPlan(const ks_plan& plan, absl::string_view tiling,
                                      absl::Span<const KernelSignature> kernels, int inputs, int outputs) {
  if (plan.n_launches < 1) return Bad("it launches nothing; call ks_add_launch");
  if (plan.n_launches > KS_PLAN_MAX_LAUNCHES) {
    return Bad("it has ", plan.n_launches, " launches; at most ", KS_PLAN_MAX_LAUNCHES, " are possible");
  }
  if (plan.tiling_bytes > KS_PLAN_MAX_TILING_BYTES) {
    return Bad("it has ", plan.tiling_bytes, " tiling bytes; at most ", KS_PLAN_MAX_TILING_BYTES, " are possible");
  }
  if (plan.tiling_bytes != tiling.size()) return Bad("tiling_bytes is not 0, but tiling is null");
  if (plan.workspace_bytes > static_cast<uint64_t>(kMaxWorkspaceBytes)) {
    return Bad("it wants a workspace of ", plan.workspace_bytes, " bytes; at most ", kMaxWorkspaceBytes,
               " are possible");
  }
  if (plan.zeroed_bytes > static_cast<uint64_t>(kMaxZeroedBytes) || plan.zeroed_bytes > plan.workspace_bytes) {
    return Bad("zeroed_bytes is ", plan.zeroed_bytes, "; at most 1 MiB and at most workspace_bytes, ",
               plan.workspace_bytes, ", are possible");
  }
  CheckedPlan checked;
  checked.workspace_bytes = static_cast<int64_t>(plan.workspace_bytes);
  checked.zeroed_bytes = static_cast<int64_t>(plan.zeroed_bytes);
  checked.tiling = std::string(tiling);
  const Limits limits{inputs, outputs, checked.workspace_bytes, static_cast<int64_t>(tiling.size())};
  for (uint32_t i = 0; i < plan.n_launches; ++i) {
    ASSIGN_OR_RETURN(PlannedLaunch launch, CheckLaunch(static_cast<int>(i), plan.launches[i], kernels, limits));
    checked.launches.push_back(std::move(launch));
  }
  return checked;
}

}  // namespace kernelsmith::worker
