// The proposers of a coordinator, by what a job asks for.
#pragma once

#include "absl/status/statusor.h"
#include "kernelsmith/v1/job.pb.h"
#include "server/proposers/proposer.h"
#include "server/synthesis/context_request.h"

namespace kernelsmith::server {

// Thread-safe.
class ProposerSet {
 public:
  virtual ~ProposerSet() = default;
  // FAILED_PRECONDITION for an endpoint that the configuration no longer has. Lives as long as the set.
  virtual absl::StatusOr<Proposer*> For(const v1::ProposerSpec& spec) = 0;
  // How much text the proposer can be given.
  virtual PromptLimits LimitsFor(const v1::ProposerSpec& spec) const = 0;
};

}  // namespace kernelsmith::server
