// Client side of server.h: a channel with keepalive, and contexts that carry the token and a deadline.
//
//   ASSIGN_OR_RETURN(Connection memory, Connection::Open(config.memory()));
//   auto stub = v1::ExperienceMemory::NewStub(memory.channel());
//   auto context = memory.Context(absl::Seconds(5));
//   absl::Status status = FromGrpc(stub->GetItem(context.get(), request, &response));
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

class Connection {
 public:
  // Does not dial yet. INVALID_ARGUMENT for an empty address, or plain text to an address that is not loopback.
  static absl::StatusOr<Connection> Open(const config::v1::Remote& remote);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  // A context for one call; InfiniteDuration means no deadline.
  std::unique_ptr<grpc::ClientContext> Context(absl::Duration timeout) const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::string address_;
  std::string token_;
};

}  // namespace kernelsmith::common
