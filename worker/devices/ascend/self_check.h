// Whether this host can compile, plan and run a kernel on its Ascend card: one step after the other, each with what was
// found and what to do. For `kernelsmith doctor`.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/types.pb.h"
#include "worker/devices/card.h"

namespace kernelsmith::worker {

// Steps "cann", "ascend driver", "ascend card", "ascend kernel"; as for TryCard.
std::vector<CardCheckStep> TryAscendCard(const config::v1::WorkerConfig& config);

// A complete candidate: y = 2 x + 1 for floats.
v1::Candidate ExampleCandidate();

}  // namespace kernelsmith::worker
