#include "memory/service/experience_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/grpc/errors.h"

namespace kernelsmith::memory {
namespace {

std::string TeamOf(const grpc::ServerContext& context) { return common::IdentityOf(context).team; }

}  // namespace

common::MethodRoles MemoryRoles() {
  const std::pair<const char*, common::Role> roles[] = {
      {"RecordAttempt", common::Role::kSubmit},   {"RecordAdoption", common::Role::kSubmit},
      {"CompleteStage", common::Role::kSubmit},   {"Retrieve", common::Role::kRead},
      {"AssembleContext", common::Role::kSubmit}, {"GetItem", common::Role::kRead},
      {"Lineage", common::Role::kRead},           {"Stats", common::Role::kRead},
      {"RecordItem", common::Role::kSubmit},      {"Supersede", common::Role::kSubmit},
      {"Retire", common::Role::kSubmit},          {"Promote", common::Role::kSubmit},
      {"Revoke", common::Role::kSubmit},          {"ListConflicts", common::Role::kRead},
      {"ListResidents", common::Role::kRead},     {"Export", common::Role::kRead},
      {"Import", common::Role::kSubmit},          {"Verify", common::Role::kAdmin},
      {"Backup", common::Role::kAdmin},           {"SealIndex", common::Role::kAdmin},
      {"ListStartPoints", common::Role::kRead},
  };
  common::MethodRoles result;
  for (const auto& [call, role] : roles) result[absl::StrCat("/kernelsmith.v1.ExperienceMemory/", call)] = role;
  return result;
}

template <typename Response>
grpc::Status ExperienceService::Answer(const char* call, absl::StatusOr<Response> result, Response* response) {
  metrics_.CountRequest(call, result.status().code());
  if (!result.ok()) return common::ToGrpc(result.status());
  *response = *std::move(result);
  return grpc::Status::OK;
}

grpc::Status ExperienceService::RecordAttempt(grpc::ServerContext* context, const v1::RecordAttemptRequest* request,
                                              v1::RecordAttemptResponse* response) {
  return Answer("RecordAttempt", experience_.RecordAttempt(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::RecordAdoption(grpc::ServerContext* context, const v1::RecordAdoptionRequest* request,
                                               v1::RecordAdoptionResponse* response) {
  return Answer("RecordAdoption", experience_.RecordAdoption(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::CompleteStage(grpc::ServerContext* context, const v1::CompleteStageRequest* request,
                                              v1::CompleteStageResponse* response) {
  return Answer("CompleteStage", experience_.CompleteStage(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::Retrieve(grpc::ServerContext* context, const v1::RetrieveRequest* request,
                                         v1::RetrieveResponse* response) {
  return Answer("Retrieve", experience_.Retrieve(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::AssembleContext(grpc::ServerContext* context, const v1::AssembleContextRequest* request,
                                                v1::AssembleContextResponse* response) {
  return Answer("AssembleContext", experience_.AssembleContext(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::GetItem(grpc::ServerContext* context, const v1::GetItemRequest* request,
                                        v1::GetItemResponse* response) {
  return Answer("GetItem", experience_.GetItem(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::Lineage(grpc::ServerContext* context, const v1::LineageRequest* request,
                                        v1::LineageResponse* response) {
  return Answer("Lineage", experience_.Lineage(TeamOf(*context), *request), response);
}

grpc::Status ExperienceService::Stats(grpc::ServerContext* context, const v1::StatsRequest* request,
                                      v1::StatsResponse* response) {
  return Answer("Stats", experience_.Stats(TeamOf(*context), *request), response);
}

}  // namespace kernelsmith::memory
