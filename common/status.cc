#include "common/status.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"

namespace kernelsmith::common {
namespace {

constexpr absl::string_view kBadRequest = "type.googleapis.com/google.rpc.BadRequest";
constexpr absl::string_view kPrecondition = "type.googleapis.com/google.rpc.PreconditionFailure";
constexpr absl::string_view kRetryInfo = "type.googleapis.com/google.rpc.RetryInfo";

template <typename Message>
std::optional<Message> Detail(const absl::Status& status, absl::string_view url) {
  const auto payload = status.GetPayload(url);
  Message message;
  if (!payload || !message.ParseFromString(std::string(*payload))) return std::nullopt;
  return message;
}

}  // namespace

absl::Status InvalidField(absl::string_view field, absl::string_view what) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(field, " ", what));
  google::rpc::BadRequest detail;
  auto* violation = detail.add_field_violations();
  violation->set_field(std::string(field));
  violation->set_description(std::string(what));
  status.SetPayload(kBadRequest, absl::Cord(detail.SerializeAsString()));
  return status;
}

absl::Status BadState(absl::string_view type, absl::string_view subject, absl::string_view what) {
  absl::Status status = absl::FailedPreconditionError(absl::StrCat(subject, " ", what));
  google::rpc::PreconditionFailure detail;
  auto* violation = detail.add_violations();
  violation->set_type(std::string(type));
  violation->set_subject(std::string(subject));
  violation->set_description(std::string(what));
  status.SetPayload(kPrecondition, absl::Cord(detail.SerializeAsString()));
  return status;
}

absl::Status Exhausted(absl::string_view what, absl::Duration retry_after) {
  absl::Status status =
      absl::ResourceExhaustedError(absl::StrCat(what, "; retry in ", absl::FormatDuration(retry_after)));
  google::rpc::RetryInfo detail;
  const int64_t nanos = absl::ToInt64Nanoseconds(retry_after);
  detail.mutable_retry_delay()->set_seconds(nanos / 1000000000);
  detail.mutable_retry_delay()->set_nanos(static_cast<int32_t>(nanos % 1000000000));
  status.SetPayload(kRetryInfo, absl::Cord(detail.SerializeAsString()));
  return status;
}

absl::Status Annotate(const absl::Status& status, absl::string_view prefix) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(prefix, ": ", status.message()));
  status.ForEachPayload(
      [&annotated](absl::string_view url, const absl::Cord& payload) { annotated.SetPayload(url, payload); });
  return annotated;
}

bool IsRetryable(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
      return true;
    default:
      return false;
  }
}

std::optional<std::string> FieldOf(const absl::Status& status) {
  const auto detail = Detail<google::rpc::BadRequest>(status, kBadRequest);
  if (!detail || detail->field_violations().empty()) return std::nullopt;
  return detail->field_violations(0).field();
}

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  const auto detail = Detail<google::rpc::RetryInfo>(status, kRetryInfo);
  if (!detail) return std::nullopt;
  return absl::Seconds(detail->retry_delay().seconds()) + absl::Nanoseconds(detail->retry_delay().nanos());
}

absl::Status ErrnoStatus(int error_number, absl::string_view what) {
  const std::string message = absl::StrCat(what, ": ", std::strerror(error_number));
  switch (error_number) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    case EINVAL:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace kernelsmith::common
