// What turns a context into a candidate. The coordinator's round loop (server/synthesis) calls Propose once a round,
// stores the result in the event log, and never asks again for a round whose proposal is on disk.
//
// A proposer holds no state between rounds: everything it may use is in the request, so that a resumed job proposes as
// an undisturbed one would.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/job.pb.h"
#include "kernelsmith/v1/memory.pb.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::server {

// A finished round of this job.
struct PastRound {
  int round = 0;        // from 1
  int start_round = 0;  // 0 for a draft
  v1::Candidate candidate;
  v1::Proposal proposal;
  v1::EvaluationReport report;
};

struct ProposalRequest {
  std::string job_id;
  std::string attempt_id;
  int round = 0;  // from 1
  v1::Stage stage = v1::DRAFTING;
  v1::JobSpec spec;
  v1::TaskSpec task;
  std::string card_kind;                // "cpu"
  v1::Target target;                    // of the last report; empty before the first
  std::vector<PastRound> history;       // in round order
  int incumbent_round = 0;              // 0 if none
  int start_round = 0;                  // round whose code to start from; 0 for a draft
  v1::AssembleContextResponse context;  // required blocks and retrieved items
};

struct ProposalResult {
  std::optional<v1::Candidate> candidate;  // none: proposal.error says why, and the round is recorded as failed
  v1::Proposal proposal;                   // adoption holds exactly one record for every item in request.context.items
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  // An error status means infrastructure (UNAVAILABLE: try the round again later) or a job that cannot go on
  // (FAILED_PRECONDITION, for example an operator family that the catalog does not know). OUT_OF_RANGE means that there
  // is nothing left to propose: the job ends as if its budget were used up, with the incumbent it has. A bad reply of a
  // model is not an error: it is a ProposalResult without a candidate.
  virtual absl::StatusOr<ProposalResult> Propose(const ProposalRequest& request) = 0;
};

}  // namespace kernelsmith::server
