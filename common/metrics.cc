#include "common/metrics.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"
#include "common/version.h"

namespace kernelsmith::common {

Metrics::Metrics() : registry_(std::make_shared<prometheus::Registry>()) {}

absl::StatusOr<std::unique_ptr<Metrics>> Metrics::Start(const config::v1::Observability& options) {
  auto metrics = std::make_unique<Metrics>();
  const std::string wanted = options.metrics_address().empty() ? "127.0.0.1:0" : options.metrics_address();
  try {
    metrics->exposer_ = std::make_unique<prometheus::Exposer>(wanted, 1);
  } catch (const std::exception& error) {
    return InvalidField("observability.metrics_address",
                        absl::StrCat("'", wanted, "' cannot be served: ", error.what()));
  }
  metrics->exposer_->RegisterCollectable(metrics->registry_);
  const auto ports = metrics->exposer_->GetListeningPorts();
  const std::string host = wanted.substr(0, wanted.rfind(':'));
  metrics->address_ = absl::StrCat(host, ":", ports.empty() ? 0 : ports.front());
  if (!options.metrics_port_file().empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(options.metrics_port_file(), metrics->address_));
  }
  metrics
      ->AddGauge("kernelsmith_build_info", "Always 1; the label tells the version",
                 {{"version", std::string(Version())}})
      .Set(1);
  return metrics;
}

prometheus::Counter& Metrics::AddCounter(const std::string& name, const std::string& help, const MetricLabels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(*registry_).Add(labels);
}

prometheus::Gauge& Metrics::AddGauge(const std::string& name, const std::string& help, const MetricLabels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(*registry_).Add(labels);
}

prometheus::Histogram& Metrics::AddHistogram(const std::string& name, const std::string& help,
                                             const MetricLabels& labels, const std::vector<double>& bounds) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_).Add(labels, bounds);
}

std::vector<double> Metrics::DefaultSecondsBounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
}

}  // namespace kernelsmith::common
