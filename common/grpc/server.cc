#include "common/grpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/call_metrics.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

// Plain text is served through "local" credentials, which refuse a peer that is not on this host; they carry the
// identity processor, which plain insecure credentials cannot.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsFor(const config::v1::Listen& listen,
                                                                        const std::string& address) {
  if (listen.tls_cert_file().empty() != listen.tls_key_file().empty()) {
    return InvalidField("listen.tls_key_file", "and listen.tls_cert_file must be given together");
  }
  if (listen.tls_cert_file().empty()) {
    if (!IsLoopbackAddress(address)) {
      return InvalidField("listen.address",
                          absl::StrCat("is ", address,
                                       ", which is not loopback; give tls_cert_file and tls_key_file, "
                                       "or listen on 127.0.0.1"));
    }
    return grpc::experimental::LocalServerCredentials(LOCAL_TCP);
  }
  ASSIGN_OR_RETURN(const std::string certificate, ReadFile(listen.tls_cert_file()));
  ASSIGN_OR_RETURN(const std::string key, ReadFile(listen.tls_key_file()));
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({key, certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

bool IsLoopbackAddress(const std::string& address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "[::1]:") ||
         absl::StartsWith(address, "localhost:");
}

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const Options& options,
                                                              const std::vector<grpc::Service*>& services) {
  const std::string wanted = options.listen.address().empty() ? "127.0.0.1:0" : options.listen.address();
  ASSIGN_OR_RETURN(auto credentials, CredentialsFor(options.listen, wanted));
  ASSIGN_OR_RETURN(IdentityGuard guard,
                   IdentityFromConfig(options.listen, IsLoopbackAddress(wanted), options.method_roles));
  credentials->SetAuthMetadataProcessor(guard.processor);

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(wanted, credentials, &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 32);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(std::move(guard.marker));
  if (options.metrics != nullptr) interceptors.push_back(MakeCallMetrics(*options.metrics));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));

  auto result = std::unique_ptr<GrpcServer>(new GrpcServer);
  result->server_ = builder.BuildAndStart();
  if (result->server_ == nullptr || port == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", wanted, "; is the port taken? Port 0 takes a free one"));
  }
  result->address_ = absl::StrCat(wanted.substr(0, wanted.rfind(':')), ":", port);
  if (!options.listen.port_file().empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(options.listen.port_file(), result->address_));
  }
  return result;
}

GrpcServer::~GrpcServer() { Shutdown(absl::ZeroDuration()); }

void GrpcServer::Shutdown(absl::Duration grace) {
  if (!server_) return;
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  server_->Wait();
  server_.reset();
}

}  // namespace kernelsmith::common
