// The ascend target's processes, on a real or an emulated card. What differs is the clock, and the card itself says
// which it is.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "worker/devices/ascend/ascend_process.h"
#include "worker/devices/device_runtime.h"

namespace kernelsmith::worker {

// Events of the device on a real card; the simulated clock, which needs no repetition, on an emulated one. `baseline`:
// what FindCardBaseline says.
TimingPolicy AscendTimingPolicy(bool emulated, const absl::StatusOr<BaselineCard>& baseline);

std::unique_ptr<DeviceRuntime> MakeAscendRuntime(AscendCardOptions options, bool emulated,
                                                 const absl::StatusOr<BaselineCard>& baseline);

}  // namespace kernelsmith::worker
