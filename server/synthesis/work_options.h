// How evaluations are set up: limits from job and configuration, input epoch, assignment ids.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/worker.pb.h"

namespace kernelsmith::server {

// Unset limits are taken from `defaults`, then from the documented ones.
v1::Limits EffectiveLimits(const v1::Limits& wanted, const v1::Limits& defaults);

// INVALID_ARGUMENT naming `prefix`.<field>: a negative limit, or a phase that does not fit within the evaluation.
absl::Status CheckLimits(const v1::Limits& limits, const std::string& prefix);

// The input epoch of a job: the day of its submission. So inputs and cached references are shared within a day, and
// what a candidate could learn about them is stale on the next.
uint64_t InputEpoch(int64_t submitted_unix_us);

std::string InspectionId(const std::string& job_id);
std::string EvaluationId(const std::string& attempt_id);
// Of work that is taken up again for the n-th time.
std::string ReplayId(const std::string& assignment_id, int n);

}  // namespace kernelsmith::server
