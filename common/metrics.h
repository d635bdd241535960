// Prometheus metrics of a process. Names: kernelsmith_<subsystem>_<what>_<unit>.
//
//   auto metrics = Metrics::Start(options);                   // serves /metrics
//   Counter& lost = (*metrics)->AddCounter("kernelsmith_lease_losses_total", "Leases that ran out", {{"card", id}});
//   lost.Increment();
#pragma once

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

using MetricLabels = std::map<std::string, std::string>;

// Thread-safe. References live as long as the object.
class Metrics {
 public:
  // A registry that nothing serves, for tests and libraries.
  Metrics();
  // Serves /metrics on observability.metrics_address (default 127.0.0.1:0) and writes the bound address to the port
  // file.
  static absl::StatusOr<std::unique_ptr<Metrics>> Start(const config::v1::Observability& options);

  // The same name and labels again give the same object.
  prometheus::Counter& AddCounter(const std::string& name, const std::string& help, const MetricLabels& labels = {});
  prometheus::Gauge& AddGauge(const std::string& name, const std::string& help, const MetricLabels& labels = {});
  // `bounds` in the metric's unit; default: seconds from 1 ms to 5 min.
  prometheus::Histogram& AddHistogram(const std::string& name, const std::string& help, const MetricLabels& labels = {},
                                      const std::vector<double>& bounds = DefaultSecondsBounds());

  static std::vector<double> DefaultSecondsBounds();
  // "host:port" that is served, empty if none is.
  const std::string& address() const { return address_; }
  prometheus::Registry& registry() { return *registry_; }

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  std::string address_;
};

}  // namespace kernelsmith::common
