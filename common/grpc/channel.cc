#include "common/grpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/grpc/server.h"
#include "common/status.h"

namespace kernelsmith::common {

absl::StatusOr<Connection> Connection::Open(const config::v1::Remote& remote) {
  if (remote.address().empty()) return InvalidField("address", "is empty; give host:port");
  Connection connection;
  connection.address_ = remote.address();
  if (!remote.token_file().empty()) {
    ASSIGN_OR_RETURN(const std::string token, ReadFile(remote.token_file()));
    connection.token_ = std::string(absl::StripAsciiWhitespace(token));
  }
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (!remote.tls_ca_file().empty()) {
    grpc::SslCredentialsOptions options;
    ASSIGN_OR_RETURN(options.pem_root_certs, ReadFile(remote.tls_ca_file()));
    credentials = grpc::SslCredentials(options);
  } else if (IsLoopbackAddress(remote.address())) {
    credentials = grpc::InsecureChannelCredentials();
  } else {
    return InvalidField("address",
                        absl::StrCat("is ", remote.address(),
                                     ", which is not loopback; give tls_ca_file, plain text stays on one host"));
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // Despite its name this is the time that one attempt to connect may take; a busy machine needs more than the
  // back-off.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  connection.channel_ = grpc::CreateCustomChannel(remote.address(), credentials, arguments);
  return connection;
}

std::unique_ptr<grpc::ClientContext> Connection::Context(absl::Duration timeout) const {
  auto context = std::make_unique<grpc::ClientContext>();
  if (!token_.empty()) context->AddMetadata("authorization", absl::StrCat("Bearer ", token_));
  if (timeout != absl::InfiniteDuration()) context->set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  return context;
}

}  // namespace kernelsmith::common
