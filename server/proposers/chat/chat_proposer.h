// The proposer that asks a chat model for the next candidate.
//
//   const std::unique_ptr<Proposer> proposer = MakeChatProposer({.endpoints = endpoints, .log = log});
//   ASSIGN_OR_RETURN(ProposalResult result, proposer->Propose(request));
//
// A round takes one model call, or two if the first reply cannot be used: the second, the repair turn, gets the list of
// what is wrong. If that fails too, the result has no candidate, Proposal.error says why, and items that no reply
// accounts for count as not adopted.
//
// Every call goes through the ledger: its intent is durable before it is sent, its reply before it is read. A proposer
// that is asked again for a round, after a crash or an error, uses the replies that are there and sends only what is
// missing; see server/proposers/model_call_log.h for requests whose fate is unknown.
#pragma once

#include <memory>

#include "server/model/model_endpoints.h"
#include "server/proposers/model_call_log.h"
#include "server/proposers/proposer.h"

namespace kernelsmith::server {

// Must outlive the proposer.
struct ChatDependencies {
  const ModelEndpoints& endpoints;
  ModelCallLog& log;
};

// The proposer is thread-safe. Errors of Propose beside the interface's: OUT_OF_RANGE if the job's budget has no room
// for the call; CANCELLED if the log says to stop, which leaves the call in doubt.
std::unique_ptr<Proposer> MakeChatProposer(const ChatDependencies& dependencies);

}  // namespace kernelsmith::server
