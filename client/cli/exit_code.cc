#include "client/cli/exit_code.h"

namespace kernelsmith::client {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return kExitUsage;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kAborted:
      return kExitRefused;
    case absl::StatusCode::kCancelled:
      return kExitCancelled;
    default:
      return kExitInternal;
  }
}

ExitCode ExitCodeOf(v1::JobState state) {
  switch (state) {
    case v1::EXHAUSTED:
    case v1::FAILED:
      return kExitFailed;
    case v1::CANCELLED:
      return kExitCancelled;
    default:
      return kExitOk;
  }
}

ExitCode ExitCodeOf(v1::EvaluationStatus status) {
  switch (status) {
    case v1::PASSED:
      return kExitOk;
    case v1::INVALID_TASK:
      return kExitUsage;
    case v1::INFRASTRUCTURE:
      return kExitRefused;
    case v1::EVALUATION_CANCELLED:
      return kExitCancelled;
    default:
      return kExitFailed;
  }
}

}  // namespace kernelsmith::client
