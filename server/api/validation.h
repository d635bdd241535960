// Refuses requests that are wrong whatever the state is. Every error is INVALID_ARGUMENT and names the field. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::server {

// Source of a task at most, in bytes; that of a candidate is kMaxSourceBytes.
inline constexpr size_t kMaxTaskBytes = size_t{1} << 20;

// 1 to 128 printable characters.
absl::Status CheckRequestId(const std::string& request_id);

// Checks a job's specification and fills in its defaults: card kind cpu, catalog proposer, the server's number of
// rounds.
absl::StatusOr<v1::JobSpec> CompleteSpec(const v1::JobSpec& spec, const config::v1::CoordinatorConfig& config);

// What is added to a budget: no negative part, and at least one positive.
absl::Status CheckExtension(const v1::Budget& extra);

// An empty kind means cpu.
absl::StatusOr<std::string> CompleteCardKind(const std::string& card_kind, const std::string& field);
absl::Status CheckTask(const v1::TaskSource& task, const std::string& field);
// REQUIRES: card_kind comes from CompleteCardKind.
absl::Status CheckCandidate(const v1::Candidate& candidate, const std::string& card_kind, const std::string& field);
absl::Status CheckOptions(const v1::EvaluationOptions& options, const std::string& field);

}  // namespace kernelsmith::server
