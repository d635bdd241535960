// The memory's service with scripted answers.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "kernelsmith/v1/memory.grpc.pb.h"

namespace kernelsmith::client {

// Answers from fixed messages, set before the first call, and keeps what it was sent. An imported row's resume token is
// its number; rows up to the token are skipped.
class FakeMemory final : public v1::ExperienceMemory::Service {
 public:
  v1::RetrieveResponse found;
  std::map<std::string, v1::Item> items;
  std::vector<v1::LineageResponse> lineage_pages;  // page tokens are indexes
  v1::StatsResponse stats;
  std::map<std::string, std::string> near_duplicates;  // item key to the item that it nearly is
  std::vector<v1::Conflict> conflicts;                 // two a page
  v1::ListResidentsResponse residents;
  std::vector<v1::ExchangeRow> exported;
  std::vector<v1::VerifyProgress> verification;
  std::set<uint64_t> refused_rows;
  std::set<std::string> unknown_tokens;

  // The next call of this method ends so; may be given several times.
  void FailNext(const std::string& method, const grpc::Status& status);
  // The next Export or Import stream ends with UNAVAILABLE after so many rows.
  void BreakNext(const std::string& method, int after_rows);
  // Import answers nothing from this row on until the call is cancelled; 0: never.
  void HoldImportAt(uint64_t number);

  int Calls(const std::string& method);
  v1::RetrieveRequest LastRetrieve();
  std::vector<v1::RecordItemRequest> Recorded();
  std::vector<v1::SupersedeRequest> Superseded();
  v1::PromoteRequest LastPromote();
  v1::ExportRequest LastExport();
  v1::ListResidentsRequest LastResidents();
  v1::ListConflictsRequest LastConflicts();
  std::vector<std::string> ResumeTokens();  // of every Import
  std::set<uint64_t> ImportedRows();

  grpc::Status Retrieve(grpc::ServerContext* context, const v1::RetrieveRequest* request,
                        v1::RetrieveResponse* response) override;
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
  grpc::Status ListResidents(grpc::ServerContext* context, const v1::ListResidentsRequest* request,
                             v1::ListResidentsResponse* response) override;
  grpc::Status Export(grpc::ServerContext* context, const v1::ExportRequest* request,
                      grpc::ServerWriter<v1::ExchangeRow>* writer) override;
  grpc::Status Import(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::ImportStatus, v1::ImportRequest>* stream) override;
  grpc::Status Verify(grpc::ServerContext* context, const v1::VerifyRequest* request,
                      grpc::ServerWriter<v1::VerifyProgress>* writer) override;
  grpc::Status Backup(grpc::ServerContext* context, const v1::BackupRequest* request,
                      v1::BackupResponse* response) override;
  grpc::Status SealIndex(grpc::ServerContext* context, const v1::SealIndexRequest* request,
                         v1::SealIndexResponse* response) override;

 private:
  // Counts the call; the scripted failure, if there is one.
  grpc::Status Enter(const std::string& method);
  int TakeBreak(const std::string& method);  // -1: none

  common::Mutex mutex_;
  std::map<std::string, int> calls_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<grpc::Status>> failures_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<int>> breaks_ GUARDED_BY(mutex_);
  uint64_t hold_at_ GUARDED_BY(mutex_) = 0;
  v1::RetrieveRequest last_retrieve_ GUARDED_BY(mutex_);
  std::vector<v1::RecordItemRequest> recorded_ GUARDED_BY(mutex_);
  std::vector<v1::SupersedeRequest> superseded_ GUARDED_BY(mutex_);
  v1::PromoteRequest last_promote_ GUARDED_BY(mutex_);
  v1::ExportRequest last_export_ GUARDED_BY(mutex_);
  v1::ListResidentsRequest last_residents_ GUARDED_BY(mutex_);
  v1::ListConflictsRequest last_conflicts_ GUARDED_BY(mutex_);
  std::vector<std::string> resume_tokens_ GUARDED_BY(mutex_);
  std::set<uint64_t> imported_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::client
