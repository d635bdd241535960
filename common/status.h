// Errors with machine-readable details. Below the API everything returns absl::Status; common/grpc/errors.h turns it
// into a gRPC status in one place.
//
//   return InvalidField("budget.rounds", "is -3; give 1 or more, or 0 for the default");
//   return Exhausted("team 'a' has 1000 queued jobs, the limit", absl::Seconds(30));
//   RETURN_IF_ERROR(Write(path));
//   ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//
// Which code for what:
//   INVALID_ARGUMENT     the request is wrong whatever the state is; names the field
//   FAILED_PRECONDITION  the request is fine, the state is not; the caller must change something first
//   NOT_FOUND            no such thing, or another team's
//   ALREADY_EXISTS       the id is taken by different content
//   RESOURCE_EXHAUSTED   a limit; says when to retry
//   UNAVAILABLE          a peer is down or busy; the same call may succeed later
//   DATA_LOSS            stored bytes are damaged; needs a person
//   INTERNAL             a broken invariant: a bug
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kernelsmith::common {

// INVALID_ARGUMENT with the field's path as detail.
absl::Status InvalidField(absl::string_view field, absl::string_view what);

// FAILED_PRECONDITION with the state as detail, for example ("JOB_STATE", "j-1", "is CANCELLED; only a running job
// ...").
absl::Status BadState(absl::string_view type, absl::string_view subject, absl::string_view what);

// RESOURCE_EXHAUSTED with the time after which a retry makes sense.
absl::Status Exhausted(absl::string_view what, absl::Duration retry_after);

// Prefixes the message and keeps code and details.
absl::Status Annotate(const absl::Status& status, absl::string_view prefix);

// True for errors that may pass by themselves: UNAVAILABLE, RESOURCE_EXHAUSTED, ABORTED, DEADLINE_EXCEEDED.
bool IsRetryable(const absl::Status& status);

// The field named by InvalidField, if any.
std::optional<std::string> FieldOf(const absl::Status& status);

// The delay given to Exhausted, if any.
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

// UNAVAILABLE, NOT_FOUND, ... from errno after a failed system call: "<what>: <strerror>".
absl::Status ErrnoStatus(int error_number, absl::string_view what);

}  // namespace kernelsmith::common

#define KS_STATUS_CONCAT_INNER(a, b) a##b
#define KS_STATUS_CONCAT(a, b) KS_STATUS_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                                               \
  do {                                                                            \
    if (absl::Status ks_status = (expression); !ks_status.ok()) return ks_status; \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_IMPL(KS_STATUS_CONCAT(ks_statusor_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_IMPL(name, declaration, expression) \
  auto name = (expression);                                  \
  if (!name.ok()) return name.status();                      \
  declaration = *std::move(name)
