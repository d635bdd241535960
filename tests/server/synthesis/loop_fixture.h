// A whole round loop in one process: real job store, real queue, real experience memory; a scripted proposer and a
// scripted worker. The coordinator's half can be dropped and opened again on the same folders, as after a crash.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/file_io.h"
#include "common/metrics.h"
#include "common/mutex.h"
#include "memory/service/experience.h"
#include "server/jobs/job_store.h"
#include "server/scheduling/evaluation_queue.h"
#include "server/synthesis/job_driver.h"
#include "server/synthesis/job_log.h"
#include "server/synthesis/memory_port.h"
#include "server/synthesis/proposer_set.h"
#include "tests/server/synthesis/scripted_worker.h"

namespace kernelsmith::server {

v1::Candidate CandidateOf(const std::string& text);

// Gives the texts in order, one a round; OUT_OF_RANGE after the last. "-" is a round without candidate, "!" an item
// left without an adoption record, "down" an UNAVAILABLE model.
class ScriptedProposer : public Proposer, public ProposerSet {
 public:
  explicit ScriptedProposer(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  absl::StatusOr<Proposer*> For(const v1::ProposerSpec&) override { return this; }
  PromptLimits LimitsFor(const v1::ProposerSpec&) const override { return limits; }
  absl::StatusOr<ProposalResult> Propose(const ProposalRequest& request) override;

  std::vector<ProposalRequest> requests() const;

  PromptLimits limits;

 private:
  const std::vector<std::string> texts_;
  mutable common::Mutex mutex_;
  std::vector<ProposalRequest> requests_ GUARDED_BY(mutex_);
};

// The memory, with failures on demand.
class ExperiencePort : public MemoryPort {
 public:
  explicit ExperiencePort(memory::Experience& experience) : experience_(experience) {}

  // The next calls fail with this code.
  void FailNext(int calls, absl::StatusCode code);

  absl::StatusOr<v1::AssembleContextResponse> AssembleContext(absl::string_view team,
                                                              const v1::AssembleContextRequest& request) override;
  absl::StatusOr<v1::RecordAdoptionResponse> RecordAdoption(absl::string_view team,
                                                            const v1::RecordAdoptionRequest& request) override;
  absl::StatusOr<v1::RecordAttemptResponse> RecordAttempt(absl::string_view team,
                                                          const v1::RecordAttemptRequest& request) override;
  absl::StatusOr<v1::CompleteStageResponse> CompleteStage(absl::string_view team,
                                                          const v1::CompleteStageRequest& request) override;
  absl::StatusOr<v1::ListStartPointsResponse> ListStartPoints(absl::string_view team,
                                                              const v1::ListStartPointsRequest& request) override;

 private:
  absl::Status Failure();

  memory::Experience& experience_;
  common::Mutex mutex_;
  int failures_ GUARDED_BY(mutex_) = 0;
  absl::StatusCode code_ GUARDED_BY(mutex_) = absl::StatusCode::kUnavailable;
};

// What kills a coordinator after its n-th append.
struct Kill {
  int appends = -1;          // -1: never
  bool before_disk = false;  // the append that comes then is lost, its payloads are not
};

// Passes everything on to a real store, and lets the coordinator "die" at an append.
class KillingStore;

class LoopTest : public testing::Test {
 protected:
  LoopTest();
  ~LoopTest() override;

  // Opens the coordinator's half.
  void Open(ScriptedProposer& proposer, Kill kill = {});
  // Drops it.
  void Close();

  v1::JobSpec Spec() const;
  std::string Submit(const v1::JobSpec& spec, const std::string& request_id = "request");
  // Runs the job until it ends or the kill strikes.
  JobDriver::Outcome Drive(const std::string& job_id);
  v1::Job Job(const std::string& job_id);
  JobHistory History(const std::string& job_id);
  std::vector<v1::JobEvent> Events(const std::string& job_id);
  // Recorded rounds in short: "1 PASSED 100 incumbent ...".
  std::vector<std::string> Rounds(const std::string& job_id);
  v1::StatsResponse MemoryStats();

  const std::string folder_;
  common::Metrics metrics_;
  memory::MemoryMetrics memory_metrics_;
  std::unique_ptr<memory::Experience> experience_;
  std::unique_ptr<ExperiencePort> memory_;
  ScriptedWorker worker_;
  SynthesisMetrics synthesis_metrics_;

  std::unique_ptr<JobInterrupts> interrupts_;
  std::unique_ptr<JobStore> real_store_;
  std::unique_ptr<JobStore> store_;
  std::unique_ptr<EvaluationQueue> queue_;
  std::unique_ptr<SynthesisContext> context_;
};

}  // namespace kernelsmith::server
