#include "common/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace kernelsmith::common {
namespace {

TEST(InvalidField, CarriesTheFieldAsDetail) {
  const absl::Status status = InvalidField("budget.rounds", "is -3; give 1 or more");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "budget.rounds is -3; give 1 or more");
  EXPECT_EQ(FieldOf(status), "budget.rounds");
  EXPECT_EQ(FieldOf(absl::InternalError("x")), std::nullopt);
}

TEST(Exhausted, CarriesTheRetryDelayAsDetail) {
  const absl::Status status = Exhausted("queue full", absl::Milliseconds(1500));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryAfter(status), absl::Milliseconds(1500));
}

TEST(Annotate, KeepsCodeAndDetails) {
  const absl::Status status = Annotate(InvalidField("a", "b"), "while reading");
  EXPECT_EQ(status.message(), "while reading: a b");
  EXPECT_EQ(FieldOf(status), "a");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok());
}

TEST(IsRetryable, IsTrueForErrorsThatPassByThemselves) {
  EXPECT_TRUE(IsRetryable(absl::UnavailableError("")));
  EXPECT_TRUE(IsRetryable(absl::ResourceExhaustedError("")));
  EXPECT_FALSE(IsRetryable(absl::InvalidArgumentError("")));
  EXPECT_FALSE(IsRetryable(absl::InternalError("")));
}

TEST(ErrnoStatus, MapsTheUsualNumbers) {
  EXPECT_EQ(ErrnoStatus(ENOENT, "x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoStatus(EACCES, "x").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ErrnoStatus(ENOSPC, "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(EIO, "x").code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace kernelsmith::common
