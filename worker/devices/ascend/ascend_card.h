// An Ascend card, real or emulated, as the daemon uses it: CANN found, the card asked what it is, its compiler tried.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "worker/devices/ascend/ascend_process.h"
#include "worker/devices/card.h"

namespace kernelsmith::worker {

absl::StatusOr<OpenedCard> OpenAscendCard(const config::v1::WorkerConfig& config);

// What a configuration says about the card, before it is opened. FAILED_PRECONDITION if CANN is not found.
absl::StatusOr<AscendCardOptions> AscendOptionsFor(const config::v1::WorkerConfig& config);

// Device nodes that a process needs to use these dies, as far as they exist: none on a machine without a driver.
std::vector<std::string> DeviceNodes(const std::vector<int>& dies);

// "cann 9.1.0", or what an emulated one calls itself.
std::string ToolchainLabel(const CannRoot& root, const CardFacts& facts);

}  // namespace kernelsmith::worker
