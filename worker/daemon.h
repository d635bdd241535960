// The worker daemon put together: card lock, toolchain, evaluator, loop, health port.
//
//   ASSIGN_OR_RETURN(auto daemon, Daemon::Start(config, listen, *metrics, [] { kill(getpid(), SIGTERM); }));
//   WaitForShutdownSignal();
//   absl::Status ended = daemon->Drain();
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::worker {

// Fills what the configuration leaves open, and checks it. INVALID_ARGUMENT names the field. `host` is the host's name.
absl::StatusOr<config::v1::WorkerConfig> CompleteConfig(config::v1::WorkerConfig config, const std::string& host);

// FAILED_PRECONDITION if the isolation obtained on this host (ObtainedIsolation) is less than what is required.
absl::Status CheckIsolation(const std::string& required, const std::string& obtained);

class Daemon {
 public:
  // Serves health and reflection on `listen`. `on_end` is called if the coordinator refuses this worker for good.
  // FAILED_PRECONDITION without a compiler or the required isolation, ALREADY_EXISTS if another process has the card.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const config::v1::WorkerConfig& config,
                                                       const config::v1::Listen& listen, common::Metrics& metrics,
                                                       std::function<void()> on_end);
  virtual ~Daemon() = default;

  // Finishes or hands back what runs, then stops. Returns why the loop ended, if it ended by itself.
  virtual absl::Status Drain() = 0;
};

}  // namespace kernelsmith::worker
