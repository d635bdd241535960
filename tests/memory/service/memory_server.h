// A memory server in the test's process on a free port, and stubs that speak to it.
#pragma once

#include <grpcpp/create_channel.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/grpc/server.h"
#include "common/hash.h"
#include "memory/service/experience_service.h"

namespace kernelsmith::memory::testing {

// `tokens` are lines "token team roles" in clear; none means that loopback is team "local".
class MemoryServer {
 public:
  explicit MemoryServer(const std::vector<std::array<std::string, 3>>& tokens = {}) {
    config::v1::Listen listen;
    if (!tokens.empty()) {
      std::string text;
      for (const auto& [token, team, roles] : tokens) {
        absl::StrAppend(&text, common::Sha256Hex(token), " ", team, " ", roles, "\n");
      }
      listen.set_token_file(absl::StrCat(folder_.path(), "/tokens"));
      if (!common::WriteFileAtomically(listen.token_file(), text).ok()) std::abort();
    }
    auto opened = Experience::Open(absl::StrCat(folder_.path(), "/data"), common::Clock::Real(), metrics_);
    if (!opened.ok()) std::abort();
    experience_ = *std::move(opened);
    service_ = std::make_unique<ExperienceService>(*experience_, metrics_);
    auto server = common::GrpcServer::Start({.listen = listen, .method_roles = MemoryRoles(), .metrics = &registry_},
                                            {service_.get()});
    if (!server.ok()) std::abort();
    server_ = *std::move(server);
  }

  Experience& experience() { return *experience_; }
  common::Metrics& registry() { return registry_; }

  std::shared_ptr<grpc::Channel> Channel() const {
    config::v1::Remote remote;
    remote.set_address(server_->address());
    return common::Connection::Open(remote)->channel();
  }
  std::unique_ptr<v1::ExperienceMemory::Stub> Stub() const { return v1::ExperienceMemory::NewStub(Channel()); }

 private:
  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-server");
  common::Metrics registry_;
  MemoryMetrics metrics_{registry_};
  std::unique_ptr<Experience> experience_;
  std::unique_ptr<ExperienceService> service_;
  std::unique_ptr<common::GrpcServer> server_;
};

// Calls `method` of a stub, with a bearer token unless it is empty, and waits at most 20 seconds.
template <typename Request, typename Response>
absl::StatusOr<Response> Call(v1::ExperienceMemory::Stub& stub,
                              grpc::Status (v1::ExperienceMemory::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                                 Response*),
                              const Request& request, const std::string& token = "") {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  Response response;
  const absl::Status status = common::FromGrpc((stub.*method)(&context, request, &response));
  if (!status.ok()) return status;
  return response;
}

}  // namespace kernelsmith::memory::testing
