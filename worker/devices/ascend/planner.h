// Asks a candidate's plan what to launch for one case, in a jail of its own, and checks the answer.
//
// Example:
//   CheckedPlan plan = *AskPlan({.object = compiled, .cores = 40}, *pool);
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/devices/ascend/launch_plan.h"
#include "worker/runner/slot_pool.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

struct PlanQuestion {
  CompiledObject object;
  int cores = 1;        // told to the plan
  std::string program;  // kernelsmith-plan; empty: beside this program, or in ../bin or ../libexec
  absl::Duration limit = absl::Seconds(10);
};

// FAILED_PRECONDITION if the plan crashes, refuses or is wrong; DEADLINE_EXCEEDED; RESOURCE_EXHAUSTED if it exhausts
// memory. Anything else is the host's fault.
absl::StatusOr<CheckedPlan> AskPlan(const PlanQuestion& question, const SlotPool& pool);

}  // namespace kernelsmith::worker
