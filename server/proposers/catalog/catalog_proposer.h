// The built-in proposer: parametrised schedules instead of a model. docs/catalog.md tells what it knows and how it
// searches.
//
//   CatalogProposer proposer;
//   absl::StatusOr<ProposalResult> result = proposer.Propose(request);
//
// The result is a function of the request alone. FAILED_PRECONDITION: the operator is in none of its families; the
// message names the operation. OUT_OF_RANGE: every schedule in reach was tried; a job with an incumbent has then simply
// ended.
#pragma once

#include "server/proposers/proposer.h"

namespace kernelsmith::server {

class CatalogProposer : public Proposer {
 public:
  absl::StatusOr<ProposalResult> Propose(const ProposalRequest& request) override;
};

}  // namespace kernelsmith::server
