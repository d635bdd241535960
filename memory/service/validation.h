// Checks that need nothing but the request. INVALID_ARGUMENT names the field.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// A caller's id: 1 to 200 bytes without control characters.
absl::Status CheckId(absl::string_view field, const std::string& id);

absl::Status CheckAttempt(const v1::RecordAttemptRequest& request);
absl::Status CheckAdoption(const v1::RecordAdoptionRequest& request);
absl::Status CheckStage(const v1::CompleteStageRequest& request);
absl::Status CheckRetrieve(const v1::RetrieveRequest& request);
absl::Status CheckItem(const v1::RecordItemRequest& request);
absl::Status CheckSupersede(const v1::SupersedeRequest& request);
absl::Status CheckRetire(const v1::RetireRequest& request);
absl::Status CheckPromote(const v1::PromoteRequest& request);
absl::Status CheckRevoke(const v1::RevokeRequest& request);
absl::Status CheckContext(const v1::AssembleContextRequest& request);

}  // namespace kernelsmith::memory
