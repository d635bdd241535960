#include "server/model/model_endpoints.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"

namespace kernelsmith::server {

absl::StatusOr<std::unique_ptr<ModelEndpoints>> ModelEndpoints::Create(const config::v1::CoordinatorConfig& config,
                                                                       common::Metrics& metrics,
                                                                       const ModelClientOptions& options) {
  auto endpoints = std::make_unique<ModelEndpoints>();
  for (const config::v1::ModelEndpoint& endpoint : config.endpoints()) {
    ASSIGN_OR_RETURN(auto client, ModelClient::Create(endpoint, metrics, options));
    if (!endpoints->clients_.emplace(endpoint.name(), std::move(client)).second) {
      return common::InvalidField("endpoints.name", absl::StrCat("'", endpoint.name(), "' occurs twice; rename one"));
    }
  }
  return endpoints;
}

absl::StatusOr<ModelClient*> ModelEndpoints::Find(absl::string_view name) const {
  if (name.empty() && clients_.size() == 1) return clients_.begin()->second.get();
  if (const auto found = clients_.find(std::string(name)); found != clients_.end()) return found->second.get();
  if (clients_.empty()) {
    return absl::FailedPreconditionError(
        "the coordinator's configuration has no model endpoints; add an `endpoints { ... }` block");
  }
  const std::string names =
      absl::StrJoin(clients_, ", ", [](std::string* out, const auto& entry) { out->append(entry.first); });
  if (name.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("the job names no model endpoint; choose one of: ", names));
  }
  return absl::FailedPreconditionError(absl::StrCat("there is no model endpoint '", name, "'; choose one of: ", names));
}

}  // namespace kernelsmith::server
