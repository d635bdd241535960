#include "tests/bench/memory/load/admin.h"

#include <memory>

#include "common/grpc/errors.h"
#include "common/status.h"
#include "kernelsmith/v1/memory.grpc.pb.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr absl::Duration kLongCall = absl::Hours(2);

}  // namespace

absl::StatusOr<common::Connection> Dial(const std::string& address) {
  config::v1::Remote remote;
  remote.set_address(address);
  return common::Connection::Open(remote);
}

absl::StatusOr<v1::SealIndexResponse> SealIndex(const common::Connection& connection) {
  const auto context = connection.Context(kLongCall);
  v1::SealIndexResponse response;
  RETURN_IF_ERROR(
      common::FromGrpc(v1::ExperienceMemory::NewStub(connection.channel())->SealIndex(context.get(), {}, &response)));
  return response;
}

absl::StatusOr<v1::StatsResponse> Stats(const common::Connection& connection) {
  const auto context = connection.Context(kLongCall);
  v1::StatsResponse response;
  RETURN_IF_ERROR(
      common::FromGrpc(v1::ExperienceMemory::NewStub(connection.channel())->Stats(context.get(), {}, &response)));
  return response;
}

absl::StatusOr<v1::VerifyProgress> Verify(const common::Connection& connection) {
  const auto context = connection.Context(kLongCall);
  const auto stub = v1::ExperienceMemory::NewStub(connection.channel());
  const auto reader = stub->Verify(context.get(), {});
  v1::VerifyProgress progress;
  v1::VerifyProgress last;
  while (reader->Read(&progress)) last = progress;
  RETURN_IF_ERROR(common::FromGrpc(reader->Finish()));
  if (!last.done()) return absl::DataLossError("Verify ended without a verdict");
  return last;
}

}  // namespace kernelsmith::memory::bench
