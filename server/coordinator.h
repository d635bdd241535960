// A whole coordinator: stores, queue, round loop, services. What main() starts, and what tests start in-process.
//
//   ASSIGN_OR_RETURN(auto coordinator, Coordinator::Start(config, *metrics));
//   WaitForShutdownSignal();
//   coordinator->Drain();
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::server {

class Coordinator {
 public:
  // Serves, and resumes the jobs of an earlier run. INVALID_ARGUMENT for a bad configuration; UNAVAILABLE if another
  // coordinator uses the data folder or the port is taken. `metrics` must outlive the object.
  static absl::StatusOr<std::unique_ptr<Coordinator>> Start(const config::v1::CoordinatorConfig& config,
                                                            common::Metrics& metrics,
                                                            const common::Clock& clock = common::Clock::Real());
  ~Coordinator();

  // "host:port" that is served.
  const std::string& address() const;

  // Stops intake and streams, leaves every job where its log stands, closes the stores. Within seconds.
  void Drain();

 private:
  struct Parts;
  explicit Coordinator(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kernelsmith::server
