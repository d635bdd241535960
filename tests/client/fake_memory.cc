#include "tests/client/fake_memory.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kernelsmith::client {
namespace {

grpc::Status NotFound(const std::string& what) { return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no ", what)}; }
const grpc::Status kAway(grpc::StatusCode::UNAVAILABLE, "going away");

}  // namespace

void FakeMemory::FailNext(const std::string& method, const grpc::Status& status) {
  common::MutexLock lock(mutex_);
  failures_[method].push_back(status);
}

void FakeMemory::BreakNext(const std::string& method, int after_rows) {
  common::MutexLock lock(mutex_);
  breaks_[method].push_back(after_rows);
}

void FakeMemory::HoldImportAt(uint64_t number) {
  common::MutexLock lock(mutex_);
  hold_at_ = number;
}

int FakeMemory::Calls(const std::string& method) {
  common::MutexLock lock(mutex_);
  return calls_[method];
}

v1::RetrieveRequest FakeMemory::LastRetrieve() {
  common::MutexLock lock(mutex_);
  return last_retrieve_;
}

std::vector<v1::RecordItemRequest> FakeMemory::Recorded() {
  common::MutexLock lock(mutex_);
  return recorded_;
}

std::vector<v1::SupersedeRequest> FakeMemory::Superseded() {
  common::MutexLock lock(mutex_);
  return superseded_;
}

v1::PromoteRequest FakeMemory::LastPromote() {
  common::MutexLock lock(mutex_);
  return last_promote_;
}

v1::ExportRequest FakeMemory::LastExport() {
  common::MutexLock lock(mutex_);
  return last_export_;
}

v1::ListResidentsRequest FakeMemory::LastResidents() {
  common::MutexLock lock(mutex_);
  return last_residents_;
}

v1::ListConflictsRequest FakeMemory::LastConflicts() {
  common::MutexLock lock(mutex_);
  return last_conflicts_;
}

std::vector<std::string> FakeMemory::ResumeTokens() {
  common::MutexLock lock(mutex_);
  return resume_tokens_;
}

std::set<uint64_t> FakeMemory::ImportedRows() {
  common::MutexLock lock(mutex_);
  return imported_;
}

grpc::Status FakeMemory::Enter(const std::string& method) {
  common::MutexLock lock(mutex_);
  ++calls_[method];
  auto& failures = failures_[method];
  if (failures.empty()) return grpc::Status::OK;
  grpc::Status status = failures.front();
  failures.pop_front();
  return status;
}

int FakeMemory::TakeBreak(const std::string& method) {
  common::MutexLock lock(mutex_);
  auto& breaks = breaks_[method];
  if (breaks.empty()) return -1;
  const int after = breaks.front();
  breaks.pop_front();
  return after;
}

grpc::Status FakeMemory::Retrieve(grpc::ServerContext*, const v1::RetrieveRequest* request,
                                  v1::RetrieveResponse* response) {
  if (grpc::Status status = Enter("Retrieve"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  last_retrieve_ = *request;
  *response = found;
  return grpc::Status::OK;
}

grpc::Status FakeMemory::GetItem(grpc::ServerContext*, const v1::GetItemRequest* request,
                                 v1::GetItemResponse* response) {
  const auto item = items.find(request->item_id());
  if (item == items.end()) return NotFound("item " + request->item_id());
  *response->mutable_item() = item->second;
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Lineage(grpc::ServerContext*, const v1::LineageRequest* request,
                                 v1::LineageResponse* response) {
  const size_t page = request->page_token().empty() ? 0 : std::stoul(request->page_token());
  if (page < lineage_pages.size()) *response = lineage_pages[page];
  if (page + 1 < lineage_pages.size()) response->set_next_page_token(absl::StrCat(page + 1));
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Stats(grpc::ServerContext*, const v1::StatsRequest*, v1::StatsResponse* response) {
  *response = stats;
  return grpc::Status::OK;
}

grpc::Status FakeMemory::RecordItem(grpc::ServerContext*, const v1::RecordItemRequest* request,
                                    v1::RecordItemResponse* response) {
  if (grpc::Status status = Enter("RecordItem"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  const auto near = near_duplicates.find(request->item_key());
  if (near != near_duplicates.end()) {
    response->set_near_duplicate_of(near->second);
    return grpc::Status::OK;
  }
  response->set_duplicate(std::any_of(recorded_.begin(), recorded_.end(), [&](const v1::RecordItemRequest& known) {
    return known.item_key() == request->item_key();
  }));
  response->set_item_id("item-" + request->item_key());
  recorded_.push_back(*request);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Supersede(grpc::ServerContext*, const v1::SupersedeRequest* request,
                                   v1::LifecycleResponse* response) {
  if (grpc::Status status = Enter("Supersede"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  superseded_.push_back(*request);
  response->set_sequence(7);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Retire(grpc::ServerContext*, const v1::RetireRequest* request,
                                v1::LifecycleResponse* response) {
  if (grpc::Status status = Enter("Retire"); !status.ok()) return status;
  if (items.find(request->item_id()) == items.end()) return NotFound("item " + request->item_id());
  response->set_duplicate(true);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Promote(grpc::ServerContext*, const v1::PromoteRequest* request,
                                 v1::PromoteResponse* response) {
  if (grpc::Status status = Enter("Promote"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  last_promote_ = *request;
  response->set_shared_item_id("shared-1");
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Revoke(grpc::ServerContext*, const v1::RevokeRequest*, v1::LifecycleResponse* response) {
  if (grpc::Status status = Enter("Revoke"); !status.ok()) return status;
  response->set_sequence(8);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::ListConflicts(grpc::ServerContext*, const v1::ListConflictsRequest* request,
                                       v1::ListConflictsResponse* response) {
  if (grpc::Status status = Enter("ListConflicts"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  last_conflicts_ = *request;
  const size_t begin = request->page_token().empty() ? 0 : std::stoul(request->page_token());
  const size_t end = std::min({conflicts.size(), begin + 2, begin + static_cast<size_t>(request->page_size())});
  for (size_t i = begin; i < end; ++i) *response->add_conflicts() = conflicts[i];
  if (end < conflicts.size()) response->set_next_page_token(absl::StrCat(end));
  return grpc::Status::OK;
}

grpc::Status FakeMemory::ListResidents(grpc::ServerContext*, const v1::ListResidentsRequest* request,
                                       v1::ListResidentsResponse* response) {
  if (grpc::Status status = Enter("ListResidents"); !status.ok()) return status;
  common::MutexLock lock(mutex_);
  last_residents_ = *request;
  *response = residents;
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Export(grpc::ServerContext*, const v1::ExportRequest* request,
                                grpc::ServerWriter<v1::ExchangeRow>* writer) {
  if (grpc::Status status = Enter("Export"); !status.ok()) return status;
  {
    common::MutexLock lock(mutex_);
    last_export_ = *request;
  }
  const int broken = TakeBreak("Export");
  for (size_t i = 0; i < exported.size(); ++i) {
    if (static_cast<int>(i) == broken) return kAway;
    writer->Write(exported[i]);
  }
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Import(grpc::ServerContext* context,
                                grpc::ServerReaderWriter<v1::ImportStatus, v1::ImportRequest>* stream) {
  if (grpc::Status status = Enter("Import"); !status.ok()) return status;
  const int broken = TakeBreak("Import");
  v1::ImportRequest request;
  uint64_t resume_after = 0;
  bool first = true;
  for (int rows = 0; stream->Read(&request); ++rows) {
    if (first) {
      common::MutexLock lock(mutex_);
      resume_tokens_.push_back(request.resume_token());
      if (unknown_tokens.count(request.resume_token()) > 0) return {grpc::StatusCode::INVALID_ARGUMENT, "which token?"};
    }
    const bool resumed = first && absl::SimpleAtoi(request.resume_token(), &resume_after);
    if (first && !resumed) resume_after = 0;
    first = false;
    if (rows == broken) return kAway;
    const uint64_t number = request.row().number();
    const auto held = [&] {
      common::MutexLock lock(mutex_);
      return hold_at_ > 0 && number >= hold_at_;
    };
    while (held() && !context->IsCancelled()) absl::SleepFor(absl::Milliseconds(5));
    if (context->IsCancelled()) return grpc::Status::CANCELLED;
    v1::ImportStatus status;
    status.set_number(number);
    status.set_resume_token(absl::StrCat(number));
    common::MutexLock lock(mutex_);
    if (resume_after > 0 && number <= resume_after) {
      status.set_outcome(v1::ImportStatus::SKIPPED);
    } else if (refused_rows.count(number) > 0) {
      status.set_outcome(v1::ImportStatus::REFUSED);
      status.set_message("attempt_id is taken by another attempt");
    } else if (request.row().has_closing()) {
      status.set_outcome(v1::ImportStatus::COMPLETE);
    } else {
      status.set_outcome(imported_.insert(number).second ? v1::ImportStatus::STORED : v1::ImportStatus::DUPLICATE);
    }
    stream->Write(status);
  }
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Verify(grpc::ServerContext*, const v1::VerifyRequest*,
                                grpc::ServerWriter<v1::VerifyProgress>* writer) {
  if (grpc::Status status = Enter("Verify"); !status.ok()) return status;
  for (const v1::VerifyProgress& progress : verification) writer->Write(progress);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::Backup(grpc::ServerContext*, const v1::BackupRequest*, v1::BackupResponse* response) {
  if (grpc::Status status = Enter("Backup"); !status.ok()) return status;
  response->set_last_sequence(99);
  response->set_bytes(2048);
  return grpc::Status::OK;
}

grpc::Status FakeMemory::SealIndex(grpc::ServerContext*, const v1::SealIndexRequest*, v1::SealIndexResponse* response) {
  if (grpc::Status status = Enter("SealIndex"); !status.ok()) return status;
  response->set_items(1000);
  response->set_segments(2);
  response->set_seconds(0.5);
  return grpc::Status::OK;
}

}  // namespace kernelsmith::client
