#include "server/configured_proposers.h"

#include <utility>

#include "common/status.h"
#include "server/proposers/chat/chat_proposer.h"

namespace kernelsmith::server {

absl::StatusOr<std::unique_ptr<ConfiguredProposers>> ConfiguredProposers::Create(
    const config::v1::CoordinatorConfig& config, ModelCallLog& log, common::Metrics& metrics) {
  ASSIGN_OR_RETURN(std::unique_ptr<ModelEndpoints> endpoints, ModelEndpoints::Create(config, metrics));
  auto proposers = std::unique_ptr<ConfiguredProposers>(new ConfiguredProposers(std::move(endpoints)));
  proposers->chat_ = MakeChatProposer({.endpoints = *proposers->endpoints_, .log = log});
  return proposers;
}

absl::StatusOr<Proposer*> ConfiguredProposers::For(const v1::ProposerSpec& spec) {
  if (!spec.has_chat()) return &catalog_;
  RETURN_IF_ERROR(endpoints_->Find(spec.chat().endpoint()).status());
  return chat_.get();
}

PromptLimits ConfiguredProposers::LimitsFor(const v1::ProposerSpec& spec) const {
  PromptLimits limits;
  if (!spec.has_chat()) return limits;
  const auto client = endpoints_->Find(spec.chat().endpoint());
  if (!client.ok()) return limits;  // For tells what is wrong
  limits.window = (*client)->endpoint().context_window;
  limits.generation = spec.chat().max_completion_tokens() > 0 ? spec.chat().max_completion_tokens()
                                                              : (*client)->endpoint().max_completion_tokens;
  return limits;
}

}  // namespace kernelsmith::server
