// The ledger of model calls of a job. An intent is durable before a request is sent, the reply before anyone reads it;
// so a reply on disk is never asked again, and a request whose reply was lost with the process is known to be in doubt.
//
//   ModelCallLog::Call call{request.job_id, request.round, 1};
//   ASSIGN_OR_RETURN(ModelCallLog::Intent intent, log.Begin(call, body, reserved_money));
//   if (!intent.finished) {
//     ... send body with Idempotency-Key intent.intent_id, aborting once log.ShouldStop(job_id) ...
//     v1::ModelCallEnded outcome;   // usage, times, error
//     ASSIGN_OR_RETURN(intent.finished, log.End(call, intent.intent_id, outcome, reply_body));
//   }
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Thread-safe.
class ModelCallLog {
 public:
  virtual ~ModelCallLog() = default;

  struct Call {
    std::string job_id;
    int round = 0;  // from 1
    int call = 0;   // from 1 within the round; a repair turn is another call
  };

  // A call that has a reply on disk.
  struct Finished {
    v1::ModelCallEnded event;  // usage and times as they were settled
    v1::ArtifactRef request;   // exact request body
    std::string reply;         // exact reply body; empty if event.error is set
  };

  struct Intent {
    std::string intent_id;          // equal to that of the intent in doubt, if it repeats one: sent as Idempotency-Key
    bool repeats_in_doubt = false;  // an earlier intent of this call has neither reply nor error
    std::optional<Finished> finished;  // a reply is on disk already: do not send
  };

  // Appends a synced ModelCallIntended, unless the call has a reply. An intent in doubt is repeated once; an earlier
  // call that ended with an error is asked anew. OUT_OF_RANGE if tokens or money of the job are used up, or
  // `reserved_money` (in the price list's currency, for this call) does not fit what is left: Propose returns it as it
  // is and the job ends.
  virtual absl::StatusOr<Intent> Begin(const Call& call, absl::string_view request_body, double reserved_money) = 0;

  // Stores the reply and appends ModelCallEnded. Set in `outcome`: usage, money, times, http_attempts, and on failure
  // `error` (with an empty reply); round, call, intent_id and reply are filled here.
  virtual absl::StatusOr<Finished> End(const Call& call, const std::string& intent_id, v1::ModelCallEnded outcome,
                                       absl::string_view reply_body) = 0;

  // True once the job was cancelled or the coordinator shuts down. Polled during a transfer: abort it, do not call End
  // (the intent stays in doubt) and return CANCELLED.
  virtual bool ShouldStop(absl::string_view job_id) const = 0;
};

}  // namespace kernelsmith::server
