// MemoryPort through gRPC. A team with a token of its own (TeamQuota.memory_token_file) sees and writes its own memory;
// the others share the coordinator's.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/grpc/channel.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "server/synthesis/memory_port.h"

namespace kernelsmith::server {

class MemoryClient : public MemoryPort {
 public:
  // Does not dial yet. Errors as common::Connection::Open.
  static absl::StatusOr<std::unique_ptr<MemoryClient>> Open(const config::v1::CoordinatorConfig& config);

  absl::StatusOr<v1::AssembleContextResponse> AssembleContext(absl::string_view team,
                                                              const v1::AssembleContextRequest& request) override;
  absl::StatusOr<v1::RecordAdoptionResponse> RecordAdoption(absl::string_view team,
                                                            const v1::RecordAdoptionRequest& request) override;
  absl::StatusOr<v1::RecordAttemptResponse> RecordAttempt(absl::string_view team,
                                                          const v1::RecordAttemptRequest& request) override;
  absl::StatusOr<v1::CompleteStageResponse> CompleteStage(absl::string_view team,
                                                          const v1::CompleteStageRequest& request) override;
  absl::StatusOr<v1::ListStartPointsResponse> ListStartPoints(absl::string_view team,
                                                              const v1::ListStartPointsRequest& request) override;

 private:
  struct Peer {
    explicit Peer(common::Connection opened);
    common::Connection connection;
    std::unique_ptr<v1::ExperienceMemory::Stub> stub;
  };
  MemoryClient() = default;
  const Peer& PeerOf(absl::string_view team) const;

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(absl::string_view team, const Request& request,
                                grpc::Status (v1::ExperienceMemory::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                                   Response*));

  std::unique_ptr<Peer> shared_;
  std::map<std::string, std::unique_ptr<Peer>, std::less<>> by_team_;
};

}  // namespace kernelsmith::server
