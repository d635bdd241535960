#include "kernelsmith/client/memory.h"

#include <algorithm>
#include <utility>

#include "client/lib/memory_channel.h"

namespace kernelsmith::client {

using Stub = v1::ExperienceMemory::Stub;

MemoryClient::MemoryClient(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
MemoryClient::MemoryClient(MemoryClient&&) noexcept = default;
MemoryClient& MemoryClient::operator=(MemoryClient&&) noexcept = default;
MemoryClient::~MemoryClient() = default;

absl::StatusOr<MemoryClient> MemoryClient::Connect(const ConnectOptions& options) {
  ASSIGN_OR_RETURN(auto opened, ServiceChannel<v1::ExperienceMemory>::Open(options));
  return MemoryClient(std::make_unique<Channel>(Channel{std::move(*opened)}));
}

absl::StatusOr<v1::RetrieveResponse> MemoryClient::Retrieve(const v1::RetrieveRequest& request) const {
  return channel_->Call(&Stub::Retrieve, request);
}

absl::StatusOr<v1::Item> MemoryClient::GetItem(const std::string& item_id) const {
  v1::GetItemRequest request;
  request.set_item_id(item_id);
  ASSIGN_OR_RETURN(v1::GetItemResponse response, channel_->Call(&Stub::GetItem, request));
  return std::move(*response.mutable_item());
}

absl::StatusOr<std::vector<v1::LineageNode>> MemoryClient::Lineage(const std::string& session,
                                                                   const std::string& operator_name) const {
  v1::LineageRequest request;
  request.set_session(session);
  request.set_operator_name(operator_name);
  request.set_page_size(1000);
  std::vector<v1::LineageNode> nodes;
  do {
    ASSIGN_OR_RETURN(const v1::LineageResponse page, channel_->Call(&Stub::Lineage, request));
    nodes.insert(nodes.end(), page.nodes().begin(), page.nodes().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return nodes;
}

absl::StatusOr<v1::StatsResponse> MemoryClient::Stats() const {
  return channel_->Call(&Stub::Stats, v1::StatsRequest());
}

absl::StatusOr<v1::RecordItemResponse> MemoryClient::RecordItem(const v1::RecordItemRequest& request) const {
  return channel_->Call(&Stub::RecordItem, request);
}

absl::StatusOr<v1::LifecycleResponse> MemoryClient::Supersede(const v1::SupersedeRequest& request) const {
  return channel_->Call(&Stub::Supersede, request);
}

absl::StatusOr<v1::LifecycleResponse> MemoryClient::Retire(const v1::RetireRequest& request) const {
  return channel_->Call(&Stub::Retire, request);
}

absl::StatusOr<v1::PromoteResponse> MemoryClient::Promote(const v1::PromoteRequest& request) const {
  return channel_->Call(&Stub::Promote, request);
}

absl::StatusOr<v1::LifecycleResponse> MemoryClient::Revoke(const v1::RevokeRequest& request) const {
  return channel_->Call(&Stub::Revoke, request);
}

absl::StatusOr<v1::ListConflictsResponse> MemoryClient::ListConflicts(const v1::Filter& filter, int limit) const {
  v1::ListConflictsResponse all;
  v1::ListConflictsRequest request;
  *request.mutable_filter() = filter;
  do {
    request.set_page_size(std::min(limit - all.conflicts_size(), 200));
    ASSIGN_OR_RETURN(const v1::ListConflictsResponse page, channel_->Call(&Stub::ListConflicts, request));
    all.mutable_conflicts()->MergeFrom(page.conflicts());
    all.set_next_page_token(page.next_page_token());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && all.conflicts_size() < limit);
  return all;
}

absl::StatusOr<v1::ListResidentsResponse> MemoryClient::ListResidents(const v1::ListResidentsRequest& request) const {
  return channel_->Call(&Stub::ListResidents, request);
}

absl::Status MemoryClient::Export(const v1::ExportRequest& request,
                                  const std::function<absl::Status(const v1::ExchangeRow&)>& on_row,
                                  std::stop_token stop) const {
  return ReadStream<v1::ExchangeRow>(
      *channel_, [&](Stub& stub, grpc::ClientContext* context) { return stub.Export(context, request); }, on_row, stop);
}

absl::StatusOr<v1::VerifyProgress> MemoryClient::Verify(
    const std::function<void(const v1::VerifyProgress&)>& on_progress, std::stop_token stop) const {
  v1::VerifyProgress last;
  const absl::Status status = ReadStream<v1::VerifyProgress>(
      *channel_, [](Stub& stub, grpc::ClientContext* context) { return stub.Verify(context, v1::VerifyRequest()); },
      [&](const v1::VerifyProgress& progress) {
        last = progress;
        if (on_progress) on_progress(progress);
        return absl::OkStatus();
      },
      stop);
  RETURN_IF_ERROR(status);
  if (!last.done()) return absl::InternalError("the server ended the verification without a verdict");
  return last;
}

absl::StatusOr<v1::BackupResponse> MemoryClient::Backup(const std::string& directory, std::stop_token stop) const {
  v1::BackupRequest request;
  request.set_directory(directory);
  return channel_->CallUntilStopped(&Stub::Backup, request, stop);
}

absl::StatusOr<v1::SealIndexResponse> MemoryClient::SealIndex(std::stop_token stop) const {
  return channel_->CallUntilStopped(&Stub::SealIndex, v1::SealIndexRequest(), stop);
}

const std::string& MemoryClient::address() const { return channel_->options.address; }
absl::Duration MemoryClient::patience() const { return channel_->options.retry_for; }

}  // namespace kernelsmith::client
