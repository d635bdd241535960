// The cpu target's processes: kernelsmith-runner in a jail, timed by this process's clock.
#pragma once

#include <memory>
#include <string>

#include "worker/devices/device_runtime.h"

namespace kernelsmith::worker {

// `cpu_count` is told to candidates; `runner_path` as in CandidateSpec.
std::unique_ptr<DeviceRuntime> MakeCpuRuntime(int cpu_count, std::string runner_path);

}  // namespace kernelsmith::worker
