// Rules about one attempt: is it evidence, does it become the incumbent, what is it worth, what was it for.
#pragma once

#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/memory.pb.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

// False for outcomes that say nothing about the candidate: infrastructure, a broken task, an unsupported target, a
// cancellation.
bool IsEvidence(v1::EvaluationStatus status);

// Only a correct attempt (PASSED) may. The first one does. A later one must be faster: by the interleaved comparison
// where there is one, else by more than the card's noise floor.
bool BecomesIncumbent(const v1::EvaluationReport& report, bool has_incumbent, double incumbent_us);

// a_v of algorithms.md section 3: 0 for a failed attempt; the speed-up over the baseline where the target has one, else
// over the first correct attempt; 1 for that attempt itself and where nothing was timed. `first_correct_us` is 0 before
// there is one.
double AttemptSpeedup(const v1::EvaluationReport& report, double first_correct_us);

// c of algorithms.md section 3: 0.5 where only one input case was seen, else 0.8.
double AttemptConfidence(const v1::EvaluationReport& report);

// What a round is for if the proposer does not say.
v1::Purpose DefaultPurpose(const JobHistory& history);

// The outcome is what an attempt of this purpose sets out to reach.
bool ConfirmsHypothesis(v1::Purpose purpose, v1::EvaluationStatus status, bool became_incumbent);

// Exactly one record with a state and a reason for every item that the proposer was given.
bool AdoptionIsComplete(const v1::ContextSupplied& context, const v1::Proposal& proposal);

}  // namespace kernelsmith::server
