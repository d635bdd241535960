// What Client and MemoryClient share: a stub, the caller's token, deadlines and retries.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/lib/retry.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "kernelsmith/client/connection.h"

namespace kernelsmith::client {

template <typename Service>
struct ServiceChannel {
  common::Connection connection;
  ConnectOptions options;
  std::unique_ptr<typename Service::Stub> stub;

  static absl::StatusOr<std::unique_ptr<ServiceChannel>> Open(const ConnectOptions& options) {
    config::v1::Remote remote;
    remote.set_address(options.address);
    if (options.token.empty()) remote.set_token_file(options.token_file);
    remote.set_tls_ca_file(options.tls_ca_file);
    ASSIGN_OR_RETURN(common::Connection connection, common::Connection::Open(remote));
    auto stub = Service::NewStub(connection.channel());
    return std::make_unique<ServiceChannel>(ServiceChannel{std::move(connection), options, std::move(stub)});
  }

  std::unique_ptr<grpc::ClientContext> Context(absl::Duration timeout) const {
    auto context = connection.Context(timeout);
    if (!options.token.empty()) context->AddMetadata("authorization", absl::StrCat("Bearer ", options.token));
    return context;
  }

  // Says which server an error of the transport is about.
  absl::Status Explain(const grpc::Status& status) const {
    absl::Status result = common::FromGrpc(status);
    if (!absl::IsUnavailable(result)) return result;
    return common::Annotate(result, absl::StrCat("cannot reach ", connection.address()));
  }

  // A unary call that may be repeated.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request) const {
    return CallFor(options.call_timeout, method, request, {});
  }

  // The same without a limit of time, for what may take long. CANCELLED when `stop` is requested.
  template <typename Request, typename Response>
  absl::StatusOr<Response> CallUntilStopped(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                                  Response*),
                                            const Request& request, const std::stop_token& stop) const {
    return CallFor(absl::InfiniteDuration(), method, request, stop);
  }

 private:
  template <typename Request, typename Response>
  absl::StatusOr<Response> CallFor(absl::Duration timeout,
                                   grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                         Response*),
                                   const Request& request, const std::stop_token& stop) const {
    Response response;
    const absl::Status status = RetryUnavailable(options.retry_for, [&]() -> absl::Status {
      if (stop.stop_requested()) return absl::CancelledError("the call was stopped by its caller");
      response.Clear();
      const auto context = Context(timeout);
      const std::stop_callback cancel(stop, [&context] { context->TryCancel(); });
      return Explain((stub.get()->*method)(context.get(), request, &response));
    });
    if (!status.ok()) return status;
    return response;
  }
};

}  // namespace kernelsmith::client
