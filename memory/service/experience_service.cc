#include "memory/service/experience_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "memory/exchange/import_session.h"

namespace kernelsmith::memory {
namespace {

// The name of the pseudo-team is nobody's: its items are reached by those who may read them.
absl::StatusOr<std::string> TeamOf(const grpc::ServerContextBase& context) {
  std::string team = common::IdentityOf(context).team;
  if (team != kSharedTeam) return team;
  return absl::PermissionDeniedError(
      "the team name 'shared' is reserved for promoted items; give the token another team");
}

// Where an import's rows go: as if the team had recorded them.
class ExperienceSink final : public ImportSink {
 public:
  ExperienceSink(Experience& experience, std::string team) : experience_(experience), team_(std::move(team)) {}

  absl::StatusOr<Stored> StoreAttempt(const v1::RecordAttemptRequest& attempt) override {
    return experience_.ImportAttempt(team_, attempt);
  }
  absl::StatusOr<Stored> StoreItem(const v1::RecordItemRequest& item) override {
    return experience_.ImportItem(team_, item);
  }

 private:
  Experience& experience_;
  const std::string team_;
};

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
      {"ListStartPoints", common::Role::kRead},   {"RecordAttempts", common::Role::kSubmit},
  };
  common::MethodRoles result;
  for (const auto& [call, role] : roles) result[absl::StrCat("/kernelsmith.v1.ExperienceMemory/", call)] = role;
  return result;
}

template <typename Act, typename Response>
grpc::Status ExperienceService::Answer(const char* call, const grpc::ServerContext& context, const Act& act,
                                       Response* response) {
  const absl::StatusOr<std::string> team = TeamOf(context);
  if (!team.ok()) return Finish(call, team.status());
  auto result = act(*team);
  const absl::Status status = result.status();
  if (status.ok()) *response = *std::move(result);
  return Finish(call, status);
}

grpc::Status ExperienceService::Finish(const char* call, const absl::Status& status) {
  metrics_.CountRequest(call, status.code());
  return status.ok() ? grpc::Status::OK : common::ToGrpc(status);
}

template <typename Response, typename Start>
grpc::ServerUnaryReactor* ExperienceService::AnswerLater(const char* call, grpc::CallbackServerContext& context,
                                                         Response* response, const Start& start) {
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  const absl::StatusOr<std::string> team = TeamOf(context);
  if (!team.ok()) {
    reactor->Finish(Finish(call, team.status()));
    return reactor;
  }
  start(*team, [this, call, reactor, response](absl::StatusOr<Response> result) {
    const absl::Status status = result.status();
    if (status.ok()) *response = *std::move(result);
    reactor->Finish(Finish(call, status));
  });
  return reactor;
}

grpc::ServerUnaryReactor* ExperienceService::RecordAttempt(grpc::CallbackServerContext* context,
                                                           const v1::RecordAttemptRequest* request,
                                                           v1::RecordAttemptResponse* response) {
  return AnswerLater("RecordAttempt", *context, response, [&](const std::string& team, auto done) {
    experience_.StartRecordAttempt(team, *request, std::move(done));
  });
}

grpc::ServerUnaryReactor* ExperienceService::RecordAttempts(grpc::CallbackServerContext* context,
                                                            const v1::RecordAttemptsRequest* request,
                                                            v1::RecordAttemptsResponse* response) {
  return AnswerLater("RecordAttempts", *context, response, [&](const std::string& team, auto done) {
    experience_.StartRecordAttempts(team, *request, std::move(done));
  });
}

grpc::Status ExperienceService::RecordAdoption(grpc::ServerContext* context, const v1::RecordAdoptionRequest* request,
                                               v1::RecordAdoptionResponse* response) {
  return Answer(
      "RecordAdoption", *context, [&](const std::string& team) { return experience_.RecordAdoption(team, *request); },
      response);
}

grpc::Status ExperienceService::CompleteStage(grpc::ServerContext* context, const v1::CompleteStageRequest* request,
                                              v1::CompleteStageResponse* response) {
  return Answer(
      "CompleteStage", *context, [&](const std::string& team) { return experience_.CompleteStage(team, *request); },
      response);
}

grpc::Status ExperienceService::Retrieve(grpc::ServerContext* context, const v1::RetrieveRequest* request,
                                         v1::RetrieveResponse* response) {
  return Answer(
      "Retrieve", *context, [&](const std::string& team) { return experience_.Retrieve(team, *request); }, response);
}

grpc::Status ExperienceService::AssembleContext(grpc::ServerContext* context, const v1::AssembleContextRequest* request,
                                                v1::AssembleContextResponse* response) {
  return Answer(
      "AssembleContext", *context, [&](const std::string& team) { return experience_.AssembleContext(team, *request); },
      response);
}

grpc::Status ExperienceService::GetItem(grpc::ServerContext* context, const v1::GetItemRequest* request,
                                        v1::GetItemResponse* response) {
  return Answer(
      "GetItem", *context, [&](const std::string& team) { return experience_.GetItem(team, *request); }, response);
}

grpc::Status ExperienceService::Lineage(grpc::ServerContext* context, const v1::LineageRequest* request,
                                        v1::LineageResponse* response) {
  return Answer(
      "Lineage", *context, [&](const std::string& team) { return experience_.Lineage(team, *request); }, response);
}

grpc::Status ExperienceService::Stats(grpc::ServerContext* context, const v1::StatsRequest* request,
                                      v1::StatsResponse* response) {
  return Answer(
      "Stats", *context, [&](const std::string& team) { return experience_.Stats(team, *request); }, response);
}

grpc::Status ExperienceService::RecordItem(grpc::ServerContext* context, const v1::RecordItemRequest* request,
                                           v1::RecordItemResponse* response) {
  return Answer(
      "RecordItem", *context, [&](const std::string& team) { return experience_.RecordItem(team, *request); },
      response);
}

grpc::Status ExperienceService::Supersede(grpc::ServerContext* context, const v1::SupersedeRequest* request,
                                          v1::LifecycleResponse* response) {
  return Answer(
      "Supersede", *context, [&](const std::string& team) { return experience_.Supersede(team, *request); }, response);
}

grpc::Status ExperienceService::Retire(grpc::ServerContext* context, const v1::RetireRequest* request,
                                       v1::LifecycleResponse* response) {
  return Answer(
      "Retire", *context, [&](const std::string& team) { return experience_.Retire(team, *request); }, response);
}

grpc::Status ExperienceService::Promote(grpc::ServerContext* context, const v1::PromoteRequest* request,
                                        v1::PromoteResponse* response) {
  return Answer(
      "Promote", *context, [&](const std::string& team) { return experience_.Promote(team, *request); }, response);
}

grpc::Status ExperienceService::Revoke(grpc::ServerContext* context, const v1::RevokeRequest* request,
                                       v1::LifecycleResponse* response) {
  return Answer(
      "Revoke", *context, [&](const std::string& team) { return experience_.Revoke(team, *request); }, response);
}

grpc::Status ExperienceService::ListConflicts(grpc::ServerContext* context, const v1::ListConflictsRequest* request,
                                              v1::ListConflictsResponse* response) {
  return Answer(
      "ListConflicts", *context, [&](const std::string& team) { return experience_.ListConflicts(team, *request); },
      response);
}

grpc::Status ExperienceService::ListStartPoints(grpc::ServerContext* context, const v1::ListStartPointsRequest* request,
                                                v1::ListStartPointsResponse* response) {
  return Answer(
      "ListStartPoints", *context, [&](const std::string& team) { return experience_.ListStartPoints(team, *request); },
      response);
}

grpc::Status ExperienceService::ListResidents(grpc::ServerContext* context, const v1::ListResidentsRequest* request,
                                              v1::ListResidentsResponse* response) {
  return Answer(
      "ListResidents", *context, [&](const std::string& team) { return experience_.ListResidents(team, *request); },
      response);
}

grpc::Status ExperienceService::SealIndex(grpc::ServerContext* context, const v1::SealIndexRequest* request,
                                          v1::SealIndexResponse* response) {
  return Answer(
      "SealIndex", *context, [&](const std::string& team) { return experience_.SealIndex(team, *request); }, response);
}

grpc::Status ExperienceService::Backup(grpc::ServerContext* context, const v1::BackupRequest* request,
                                       v1::BackupResponse* response) {
  return Answer(
      "Backup", *context, [&](const std::string&) { return experience_.Backup(*request); }, response);
}

grpc::Status ExperienceService::Export(grpc::ServerContext* context, const v1::ExportRequest* request,
                                       grpc::ServerWriter<v1::ExchangeRow>* writer) {
  const absl::StatusOr<std::string> team = TeamOf(*context);
  if (!team.ok()) return Finish("Export", team.status());
  return Finish("Export", experience_.Export(*team, *request, [&](const v1::ExchangeRow& row) {
    return writer->Write(row) ? absl::OkStatus() : absl::CancelledError("the reader has left");
  }));
}

grpc::Status ExperienceService::Import(grpc::ServerContext* context,
                                       grpc::ServerReaderWriter<v1::ImportStatus, v1::ImportRequest>* stream) {
  const absl::StatusOr<std::string> team = TeamOf(*context);
  if (!team.ok()) return Finish("Import", team.status());
  ExperienceSink sink(experience_, *team);
  ImportSession session(sink);
  v1::ImportRequest request;
  for (bool first = true; stream->Read(&request); first = false) {
    if (first && !request.resume_token().empty()) {
      const absl::Status resumed = session.Resume(request.resume_token());
      if (!resumed.ok()) return Finish("Import", resumed);
    }
    if (request.has_row() && !stream->Write(session.Take(request.row()))) break;
  }
  if (!session.complete()) stream->Write(session.Truncated());
  return Finish("Import", absl::OkStatus());
}

grpc::Status ExperienceService::Verify(grpc::ServerContext* context, const v1::VerifyRequest*,
                                       grpc::ServerWriter<v1::VerifyProgress>* writer) {
  const absl::StatusOr<std::string> team = TeamOf(*context);
  if (!team.ok()) return Finish("Verify", team.status());
  return Finish("Verify", experience_.Verify([&](const v1::VerifyProgress& progress) {
    return writer->Write(progress) ? absl::OkStatus() : absl::CancelledError("the reader has left");
  }));
}

}  // namespace kernelsmith::memory
