#include "server/synthesis/memory_client.h"

#include <utility>

#include "common/grpc/errors.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

// Memory answers in milliseconds; the rest is for a busy machine. Short enough for a coordinator that shuts down.
constexpr absl::Duration kDeadline = absl::Seconds(5);

}  // namespace

MemoryClient::Peer::Peer(common::Connection opened)
    : connection(std::move(opened)), stub(v1::ExperienceMemory::NewStub(connection.channel())) {}

absl::StatusOr<std::unique_ptr<MemoryClient>> MemoryClient::Open(const config::v1::CoordinatorConfig& config) {
  auto shared = common::Connection::Open(config.memory());
  if (!shared.ok()) return common::Annotate(shared.status(), "memory");
  auto client = std::unique_ptr<MemoryClient>(new MemoryClient);
  client->shared_ = std::make_unique<Peer>(*std::move(shared));
  for (const config::v1::TeamQuota& team : config.teams()) {
    if (team.memory_token_file().empty()) continue;
    config::v1::Remote remote = config.memory();
    remote.set_token_file(team.memory_token_file());
    auto connection = common::Connection::Open(remote);
    if (!connection.ok()) return common::Annotate(connection.status(), "memory of team " + team.team());
    client->by_team_[team.team()] = std::make_unique<Peer>(*std::move(connection));
  }
  return client;
}

const MemoryClient::Peer& MemoryClient::PeerOf(absl::string_view team) const {
  const auto found = by_team_.find(std::string(team));
  return found == by_team_.end() ? *shared_ : *found->second;
}

template <typename Response, typename Request>
absl::StatusOr<Response> MemoryClient::Call(absl::string_view team, const Request& request,
                                            grpc::Status (v1::ExperienceMemory::Stub::*method)(grpc::ClientContext*,
                                                                                               const Request&,
                                                                                               Response*)) {
  const Peer& peer = PeerOf(team);
  const auto context = peer.connection.Context(kDeadline);
  Response response;
  RETURN_IF_ERROR(common::FromGrpc((peer.stub.get()->*method)(context.get(), request, &response)));
  return response;
}

absl::StatusOr<v1::AssembleContextResponse> MemoryClient::AssembleContext(absl::string_view team,
                                                                          const v1::AssembleContextRequest& request) {
  return Call(team, request, &v1::ExperienceMemory::Stub::AssembleContext);
}

absl::StatusOr<v1::RecordAdoptionResponse> MemoryClient::RecordAdoption(absl::string_view team,
                                                                        const v1::RecordAdoptionRequest& request) {
  return Call(team, request, &v1::ExperienceMemory::Stub::RecordAdoption);
}

absl::StatusOr<v1::RecordAttemptResponse> MemoryClient::RecordAttempt(absl::string_view team,
                                                                      const v1::RecordAttemptRequest& request) {
  return Call(team, request, &v1::ExperienceMemory::Stub::RecordAttempt);
}

absl::StatusOr<v1::CompleteStageResponse> MemoryClient::CompleteStage(absl::string_view team,
                                                                      const v1::CompleteStageRequest& request) {
  return Call(team, request, &v1::ExperienceMemory::Stub::CompleteStage);
}

absl::StatusOr<v1::ListStartPointsResponse> MemoryClient::ListStartPoints(absl::string_view team,
                                                                          const v1::ListStartPointsRequest& request) {
  return Call(team, request, &v1::ExperienceMemory::Stub::ListStartPoints);
}

}  // namespace kernelsmith::server
