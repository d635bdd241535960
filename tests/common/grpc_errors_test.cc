#include <gtest/gtest.h>

#include "common/grpc/errors.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

TEST(GrpcErrors, EveryCodeSurvivesTheRoundTrip) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "message");
    EXPECT_EQ(FromGrpc(ToGrpc(status)), status) << code;
  }
  EXPECT_TRUE(FromGrpc(ToGrpc(absl::OkStatus())).ok());
}

TEST(GrpcErrors, DetailsSurviveTheRoundTrip) {
  const absl::Status status = FromGrpc(ToGrpc(Exhausted("full", absl::Seconds(2))));
  EXPECT_EQ(RetryAfter(status), absl::Seconds(2));
  EXPECT_EQ(FieldOf(FromGrpc(ToGrpc(InvalidField("a.b", "c")))), "a.b");
}

}  // namespace
}  // namespace kernelsmith::common
