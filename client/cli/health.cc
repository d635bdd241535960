#include "client/cli/health.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

constexpr int kServing = 1;  // grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING

}  // namespace

absl::Status CheckHealth(const ConnectOptions& options, absl::Duration timeout) {
  config::v1::Remote remote;
  remote.set_address(options.address);
  remote.set_tls_ca_file(options.tls_ca_file);
  ASSIGN_OR_RETURN(const common::Connection connection, common::Connection::Open(remote));
  // The request for the whole server is an empty message, the answer has the status as field 1, a varint: the same
  // bytes as these two well-known types, so the health protocol's own classes are not needed.
  using Stub = grpc::TemplatedGenericStub<google::protobuf::Empty, google::protobuf::Int32Value>;
  Stub stub(connection.channel());
  const auto context = connection.Context(timeout);
  grpc::CompletionQueue queue;
  const google::protobuf::Empty request;
  google::protobuf::Int32Value answer;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(context.get(), "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return common::Annotate(common::FromGrpc(status), absl::StrCat("cannot reach ", options.address));
  if (answer.value() == kServing) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(options.address, " answers, but says that it does not serve"));
}

}  // namespace kernelsmith::client
