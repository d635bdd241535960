// Starts a gRPC server the way every daemon does: identity in front, health and reflection, call metrics, port file,
// limits on message size, keepalive that matches the channels of channel.h.
//
//   GrpcServer::Options options{.listen = config.listen(), .method_roles = CoordinatorRoles(), .metrics =
//   metrics.get()}; ASSIGN_OR_RETURN(auto server, GrpcServer::Start(options, {&coordinator, &gateway}));
//   WaitForShutdownSignal();
//   server->Shutdown(absl::Seconds(5));
#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/grpc/identity.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

constexpr int kMaxMessageBytes = 64 << 20;

class GrpcServer {
 public:
  struct Options {
    config::v1::Listen listen;
    MethodRoles method_roles;
    Metrics* metrics = nullptr;  // may be null; must outlive the server
  };

  // Serves `services`, which must outlive the object. INVALID_ARGUMENT for an address without TLS that is not loopback,
  // UNAVAILABLE if the port is taken.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const Options& options,
                                                           const std::vector<grpc::Service*>& services);
  ~GrpcServer();

  // "host:port" that clients dial.
  const std::string& address() const { return address_; }
  // Refuses new calls, lets running ones finish until the grace is over, then cancels them.
  void Shutdown(absl::Duration grace);

 private:
  GrpcServer() = default;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// True for "127.x.x.x:port", "[::1]:port" and "localhost:port".
bool IsLoopbackAddress(const std::string& address);

}  // namespace kernelsmith::common
