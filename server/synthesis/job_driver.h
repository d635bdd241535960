// Takes one job from wherever its log stands to its end: asks NextStep, performs it, repeats. Peers that are down are
// waited for with backoff; the wall time of the job bounds every wait.
//
//   JobDriver driver(context, job_id);
//   ASSIGN_OR_RETURN(JobDriver::Outcome outcome, driver.Run());
#pragma once

#include <optional>
#include <string>

#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "common/backoff.h"
#include "server/synthesis/round_steps.h"

namespace kernelsmith::server {

class JobDriver {
 public:
  enum class Outcome {
    kEnded,
    kInterrupted,  // by the shutdown of the coordinator; the log tells where to go on
  };

  JobDriver(SynthesisContext& context, std::string job_id, common::BackoffPolicy backoff = {})
      : context_(context), job_id_(job_id), steps_(context, std::move(job_id)), backoff_(backoff) {}

  // Returns an error only if the log itself cannot be read or folded.
  absl::StatusOr<Outcome> Run();

 private:
  Step Next(absl::Time now) const;
  void EndBecause(Ending ending);
  // Decides how to go on after a step did not succeed.
  void AfterFailure(const Step& step, const absl::Status& status);

  SynthesisContext& context_;
  const std::string job_id_;
  RoundSteps steps_;
  const common::BackoffPolicy backoff_;
  absl::BitGen random_;
  int retries_ = 0;               // of the current step
  std::optional<Ending> ending_;  // decided outside NextStep
  int ending_extensions_ = 0;     // extensions of the job when that was decided; another one revises it
  bool without_memory_ = false;   // the wall time ended while memory was down
};

}  // namespace kernelsmith::server
