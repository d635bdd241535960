// The proposers of this coordinator: the catalog, and the chat proposer over the configured model endpoints.
#pragma once

#include <memory>

#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/model/model_endpoints.h"
#include "server/proposers/catalog/catalog_proposer.h"
#include "server/proposers/model_call_log.h"
#include "server/synthesis/proposer_set.h"

namespace kernelsmith::server {

class ConfiguredProposers : public ProposerSet {
 public:
  // Errors as ModelEndpoints::Create. The arguments must outlive the object.
  static absl::StatusOr<std::unique_ptr<ConfiguredProposers>> Create(const config::v1::CoordinatorConfig& config,
                                                                     ModelCallLog& log, common::Metrics& metrics);

  absl::StatusOr<Proposer*> For(const v1::ProposerSpec& spec) override;
  PromptLimits LimitsFor(const v1::ProposerSpec& spec) const override;

 private:
  explicit ConfiguredProposers(std::unique_ptr<ModelEndpoints> endpoints) : endpoints_(std::move(endpoints)) {}

  const std::unique_ptr<ModelEndpoints> endpoints_;
  CatalogProposer catalog_;
  std::unique_ptr<Proposer> chat_;
};

}  // namespace kernelsmith::server
