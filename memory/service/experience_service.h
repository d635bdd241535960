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

// RecordAttempt and RecordAttempts hold no thread while they wait for the disk.
class ExperienceService final
    : public v1::ExperienceMemory::WithCallbackMethod_RecordAttempt<
          v1::ExperienceMemory::WithCallbackMethod_RecordAttempts<v1::ExperienceMemory::Service>> {
 public:
  // Both must outlive the service.
  ExperienceService(Experience& experience, MemoryMetrics& metrics) : experience_(experience), metrics_(metrics) {}

  grpc::ServerUnaryReactor* RecordAttempt(grpc::CallbackServerContext* context, const v1::RecordAttemptRequest* request,
                                          v1::RecordAttemptResponse* response) override;
  grpc::ServerUnaryReactor* RecordAttempts(grpc::CallbackServerContext* context,
                                           const v1::RecordAttemptsRequest* request,
                                           v1::RecordAttemptsResponse* response) override;
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
  grpc::Status RecordItem(grpc::ServerContext* context, const v1::RecordItemRequest* request,
                          v1::RecordItemResponse* response) override;
  grpc::Status Supersede(grpc::ServerContext* context, const v1::SupersedeRequest* request,
                         v1::LifecycleResponse* response) override;
  grpc::Status Retire(grpc::ServerContext* context, const v1::RetireRequest* request,
                      v1::LifecycleResponse* response) override;
  grpc::Status Promote(grpc::ServerContext* context, const v1::PromoteRequest* request,
                       v1::PromoteResponse* response) override;
  grpc::Status Revoke(grpc::ServerContext* context, const v1::RevokeRequest* request,
                      v1::LifecycleResponse* response) override;
  grpc::Status ListConflicts(grpc::ServerContext* context, const v1::ListConflictsRequest* request,
                             v1::ListConflictsResponse* response) override;
  grpc::Status ListStartPoints(grpc::ServerContext* context, const v1::ListStartPointsRequest* request,
                               v1::ListStartPointsResponse* response) override;
  grpc::Status ListResidents(grpc::ServerContext* context, const v1::ListResidentsRequest* request,
                             v1::ListResidentsResponse* response) override;
  grpc::Status SealIndex(grpc::ServerContext* context, const v1::SealIndexRequest* request,
                         v1::SealIndexResponse* response) override;
  grpc::Status Backup(grpc::ServerContext* context, const v1::BackupRequest* request,
                      v1::BackupResponse* response) override;
  grpc::Status Export(grpc::ServerContext* context, const v1::ExportRequest* request,
                      grpc::ServerWriter<v1::ExchangeRow>* writer) override;
  grpc::Status Import(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::ImportStatus, v1::ImportRequest>* stream) override;
  grpc::Status Verify(grpc::ServerContext* context, const v1::VerifyRequest* request,
                      grpc::ServerWriter<v1::VerifyProgress>* writer) override;

 private:
  // Calls `act` for the caller's team; counts the call; turns a refusal into an error.
  template <typename Act, typename Response>
  grpc::Status Answer(const char* call, const grpc::ServerContext& context, const Act& act, Response* response);
  grpc::Status Finish(const char* call, const absl::Status& status);
  // Has `start` call what it is given once the response is known; then the call ends.
  template <typename Response, typename Start>
  grpc::ServerUnaryReactor* AnswerLater(const char* call, grpc::CallbackServerContext& context, Response* response,
                                        const Start& start);

  Experience& experience_;
  MemoryMetrics& metrics_;
};

}  // namespace kernelsmith::memory
