// The configured model endpoints by name.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/model/model_client.h"

namespace kernelsmith::server {

// Thread-safe.
class ModelEndpoints {
 public:
  // Errors as ModelClient::Create; INVALID_ARGUMENT for a name that occurs twice.
  static absl::StatusOr<std::unique_ptr<ModelEndpoints>> Create(const config::v1::CoordinatorConfig& config,
                                                                common::Metrics& metrics,
                                                                const ModelClientOptions& options = {});

  // An empty name means the only endpoint. FAILED_PRECONDITION names those there are.
  absl::StatusOr<ModelClient*> Find(absl::string_view name) const;

 private:
  std::map<std::string, std::unique_ptr<ModelClient>> clients_;
};

}  // namespace kernelsmith::server
