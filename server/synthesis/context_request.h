// The request to memory for one round's context: required blocks, query and budget.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"
#include "kernelsmith/v1/types.pb.h"
#include "server/proposers/proposer.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

// What the window of the model allows; the defaults suit proposers without one.
struct PromptLimits {
  int64_t window = 32768;
  int64_t generation = 0;  // 0: memory's own rule
};

// Tokens kept free for the system prompt. That for Ascend shows the plan's declarations too.
constexpr int64_t SystemTokens(absl::string_view card_kind) { return card_kind == "ascend" ? 5120 : 2048; }

// REQUIRES: history.task is set and `round` is its open round. `past` holds the recorded rounds. `target` is that of
// the last report, else of a card of the job's kind.
v1::AssembleContextRequest BuildContextRequest(const JobHistory& history, const RoundState& round,
                                               const std::vector<PastRound>& past, const v1::Target& target,
                                               const PromptLimits& limits, const std::string& producer);

// Target of the newest report that has one.
v1::Target LatestTarget(const std::vector<PastRound>& past);

}  // namespace kernelsmith::server
