// The ledger of model calls over the event log of jobs. See server/proposers/model_call_log.h for its promises.
#pragma once

#include <string>

#include "server/jobs/job_store.h"
#include "server/proposers/model_call_log.h"
#include "server/synthesis/job_interrupts.h"
#include "server/synthesis/synthesis_metrics.h"

namespace kernelsmith::server {

class StoredModelCallLog : public ModelCallLog {
 public:
  // The arguments must outlive the object.
  StoredModelCallLog(JobStore& store, const JobInterrupts& interrupts, SynthesisMetrics& metrics)
      : store_(store), interrupts_(interrupts), metrics_(metrics) {}

  absl::StatusOr<Intent> Begin(const Call& call, absl::string_view request_body, double reserved_money) override;
  absl::StatusOr<Finished> End(const Call& call, const std::string& intent_id, v1::ModelCallEnded outcome,
                               absl::string_view reply_body) override;
  bool ShouldStop(absl::string_view job_id) const override { return interrupts_.ShouldStop(job_id); }

 private:
  JobStore& store_;
  const JobInterrupts& interrupts_;
  SynthesisMetrics& metrics_;
};

}  // namespace kernelsmith::server
