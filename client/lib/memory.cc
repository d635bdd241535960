#include "kernelsmith/client/memory.h"

#include <utility>

#include "client/lib/channel.h"
#include "kernelsmith/v1/memory.grpc.pb.h"

namespace kernelsmith::client {

using v1::ExperienceMemory;

struct MemoryClient::Channel : ServiceChannel<ExperienceMemory> {};

MemoryClient::MemoryClient(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
MemoryClient::MemoryClient(MemoryClient&&) noexcept = default;
MemoryClient& MemoryClient::operator=(MemoryClient&&) noexcept = default;
MemoryClient::~MemoryClient() = default;

absl::StatusOr<MemoryClient> MemoryClient::Connect(const ConnectOptions& options) {
  ASSIGN_OR_RETURN(auto opened, ServiceChannel<ExperienceMemory>::Open(options));
  return MemoryClient(std::make_unique<Channel>(Channel{std::move(*opened)}));
}

absl::StatusOr<v1::RetrieveResponse> MemoryClient::Retrieve(const v1::RetrieveRequest& request) const {
  return channel_->Call(&ExperienceMemory::Stub::Retrieve, request);
}

absl::StatusOr<v1::Item> MemoryClient::GetItem(const std::string& item_id) const {
  v1::GetItemRequest request;
  request.set_item_id(item_id);
  ASSIGN_OR_RETURN(v1::GetItemResponse response, channel_->Call(&ExperienceMemory::Stub::GetItem, request));
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
    ASSIGN_OR_RETURN(const v1::LineageResponse page, channel_->Call(&ExperienceMemory::Stub::Lineage, request));
    nodes.insert(nodes.end(), page.nodes().begin(), page.nodes().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return nodes;
}

absl::StatusOr<v1::StatsResponse> MemoryClient::Stats() const {
  return channel_->Call(&ExperienceMemory::Stub::Stats, v1::StatsRequest());
}

}  // namespace kernelsmith::client
