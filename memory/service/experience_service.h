// The gRPC shell of Experience: team from the caller's identity, errors mapped in one place, requests counted.
//
//   ExperienceService service(*experience, metrics);
//   ASSIGN_OR_RETURN(auto server, common::GrpcServer::Start({.listen = listen, .method_roles = MemoryRoles()},
//   {&service}));
#pragma once

#include "common/grpc/identity.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "memory/service/experience.h"

namespace kernelsmith::memory {

// Which role each call needs.
common::MethodRoles MemoryRoles();

class ExperienceService final : public v1::ExperienceMemory::Service {
 public:
  // Both must outlive the service.
  ExperienceService(Experience& experience, MemoryMetrics& metrics) : experience_(experience), metrics_(metrics) {}

  grpc::Status RecordAttempt(grpc::ServerContext* context, const v1::RecordAttemptRequest* request,
                             v1::RecordAttemptResponse* response) override;
  grpc::Status RecordAdoption(grpc::ServerContext* context, const v1::RecordAdoptionRequest* request,
                              v1::RecordAdoptionResponse* response) override;
  grpc::Status CompleteStage(grpc::ServerContext* context, const v1::CompleteStageRequest* request,
                             v1::CompleteStageResponse* response) override;
  grpc::Status Retrieve(grpc::ServerContext* context, const v1::RetrieveRequest* request,
                        v1::RetrieveResponse* response) override;
  grpc::Status AssembleContext(grpc::ServerContext* context, const v1::AssembleContextRequest* request,
                               v1::AssembleContextResponse* response) override;
  grpc::Status GetItem(grpc::ServerContext* context, const v1::GetItemRequest* request,
                       v1::GetItemResponse* response) override;
  grpc::Status Lineage(grpc::ServerContext* context, const v1::LineageRequest* request,
                       v1::LineageResponse* response) override;
  grpc::Status Stats(grpc::ServerContext* context, const v1::StatsRequest* request,
                     v1::StatsResponse* response) override;

 private:
  template <typename Response>
  grpc::Status Answer(const char* call, absl::StatusOr<Response> result, Response* response);

  Experience& experience_;
  MemoryMetrics& metrics_;
};

}  // namespace kernelsmith::memory
