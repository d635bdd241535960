// What a candidate's plan says, once it has been checked: nothing in here can lead outside the card's memory that the
// worker made for it, or name a kernel that is not there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "worker/include/kernelsmith/plan_abi.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

struct PlannedArgument {
  ks_argument_kind kind = KS_ARGUMENT_INPUT;
  int64_t value = 0;
};

struct PlannedLaunch {
  int kernel = 0;  // index into the signatures
  uint32_t blocks = 1;
  std::vector<PlannedArgument> arguments;
};

struct CheckedPlan {
  std::vector<PlannedLaunch> launches;
  int64_t workspace_bytes = 0;
  int64_t zeroed_bytes = 0;
  std::string tiling;
};

inline constexpr int64_t kMaxWorkspaceBytes = int64_t{8} << 30;
inline constexpr int64_t kMaxZeroedBytes = int64_t{1} << 20;

// Checks a plan against the limits of plan_abi.h, the kernels of the object and the tensors of the case. `tiling` are
// the bytes that plan.tiling pointed to. FAILED_PRECONDITION with launch, argument and reason. Pure.
absl::StatusOr<CheckedPlan> CheckPlan(const ks_plan& plan, absl::string_view tiling,
                                      absl::Span<const KernelSignature> kernels, int inputs, int outputs);

}  // namespace kernelsmith::worker
