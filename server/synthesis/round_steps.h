// Performs the steps of one job. Every step stores its payloads, then appends its event; killed at any point, it is
// performed again with the same outcome:
//
//   resolve, evaluate   the queue knows the assignment by its id and returns a result that is there
//   assemble context    memory answers the same attempt id with the same context
//   propose             nothing was dispatched; model calls have their own ledger
//   adoption, record,   memory refuses no repetition
//   complete stage
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "common/clock.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "server/jobs/job_store.h"
#include "server/scheduling/evaluation_queue.h"
#include "server/synthesis/job_history.h"
#include "server/synthesis/job_interrupts.h"
#include "server/synthesis/memory_port.h"
#include "server/synthesis/next_step.h"
#include "server/synthesis/proposer_set.h"
#include "server/synthesis/synthesis_metrics.h"

namespace kernelsmith::server {

// What all jobs of a coordinator share. Everything outlives the jobs.
struct SynthesisContext {
  JobStore& store;
  EvaluationQueue& queue;
  MemoryPort& memory;
  ProposerSet& proposers;
  JobInterrupts& interrupts;
  SynthesisMetrics& metrics;
  const common::Clock& clock;
  std::string producer;      // names this coordinator in memory, the same after a restart
  std::string input_secret;  // 32 bytes
  v1::Limits limits;         // defaults of evaluations
};

// Errors of Perform:
//   CANCELLED            the job should stop, or has ended
//   OUT_OF_RANGE         the proposer has nothing more, or a budget does not cover its next call: the job ends with
//   what it has retryable ones       a peer is down: perform the step again later everything else      the job cannot
//   go on; the message is its reason
class RoundSteps {
 public:
  RoundSteps(SynthesisContext& context, std::string job_id) : context_(context), job_id_(std::move(job_id)) {}

  // Folds what the log has since the last look.
  absl::Status Refresh();
  const JobHistory& history() const { return history_; }

  // `without_memory`: a round is recorded here only, because the job may wait for memory no longer.
  // REQUIRES: the step follows from history().
  absl::Status Perform(const Step& step, bool without_memory = false);

  // Tells watchers what happens now, or why nothing does. Not logged.
  void Announce(const std::string& activity, const std::string& worker_id = "");

 private:
  absl::Status ResolveTask();
  absl::Status StartRound(const Step& step);
  // Whose code a refining round starts from is the policy's choice; memory makes it.
  absl::StatusOr<int> StartRoundOf(const Step& step);
  absl::Status AssembleContext(const RoundState& round);
  absl::Status Propose(const RoundState& round);
  absl::Status ProposeGiven(const RoundState& round);
  absl::Status QueueEvaluation(const RoundState& round);
  absl::Status Evaluate(const RoundState& round);
  absl::Status RecordRound(const RoundState& round, bool without_memory);
  absl::Status CompleteStage(v1::Stage stage);
  absl::Status EndJob(const Ending& ending);

  // Appends and folds. CANCELLED if the job has ended meanwhile.
  absl::Status Append(v1::JobEvent event);
  absl::Status AppendProposal(v1::Proposed proposed, const v1::Candidate* candidate);
  absl::StatusOr<WorkResult> RunWork(WorkItem item);
  void OnNotice(const WorkItem& item, const WorkNotice& notice);
  v1::Target TargetFor(const std::vector<PastRound>& past) const;

  SynthesisContext& context_;
  const std::string job_id_;
  JobHistory history_;
};

}  // namespace kernelsmith::server
