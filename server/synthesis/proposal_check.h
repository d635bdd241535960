// Whether a proposal may be evaluated, and the proposal that stands for a kernel the user gave.
#pragma once

#include <cstdint>
#include <string>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Source of a candidate at most.
inline constexpr int64_t kMaxSourceBytes = int64_t{1} << 20;

// Bytes of all files.
int64_t SourceBytes(const v1::Candidate& candidate);

// What is wrong with a candidate, for the one who made it: no file, an empty or repeated name, a folder in a name, too
// large. Empty if nothing is.
std::string CandidateFault(const v1::Candidate& candidate);

// The same of a proposal: also an item of the context without an adoption record.
std::string ProposalFault(const v1::Candidate& candidate, const v1::Proposal& proposal,
                          const v1::ContextSupplied& context);

// Of round 1 of a job with start_from.
v1::Proposal GivenKernelProposal();

}  // namespace kernelsmith::server
