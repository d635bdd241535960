// Whether the servers answer, and what their cards say.
#pragma once

#include <vector>

#include "client/cli/doctor/check.h"
#include "client/cli/session.h"
#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::client {

std::vector<Finding> ServerFindings(const Session& session);

// Pure: one finding a card, or one that says there is none.
std::vector<Finding> JudgeCards(const std::vector<v1::Card>& cards);

}  // namespace kernelsmith::client
