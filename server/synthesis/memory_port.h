// What the round loop needs of the experience memory. Each call acts for a team.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::server {

// Thread-safe. Errors are those of the service; retryable ones (common::IsRetryable) mean that memory is down.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  virtual absl::StatusOr<v1::AssembleContextResponse> AssembleContext(absl::string_view team,
                                                                      const v1::AssembleContextRequest& request) = 0;
  virtual absl::StatusOr<v1::RecordAdoptionResponse> RecordAdoption(absl::string_view team,
                                                                    const v1::RecordAdoptionRequest& request) = 0;
  virtual absl::StatusOr<v1::RecordAttemptResponse> RecordAttempt(absl::string_view team,
                                                                  const v1::RecordAttemptRequest& request) = 0;
  virtual absl::StatusOr<v1::CompleteStageResponse> CompleteStage(absl::string_view team,
                                                                  const v1::CompleteStageRequest& request) = 0;
  virtual absl::StatusOr<v1::ListStartPointsResponse> ListStartPoints(absl::string_view team,
                                                                      const v1::ListStartPointsRequest& request) = 0;
};

}  // namespace kernelsmith::server
