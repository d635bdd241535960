// Reading the experience memory: search, single items, the lineage of attempts, counts.
//
//   ASSIGN_OR_RETURN(MemoryClient memory, MemoryClient::Connect({.address = "127.0.0.1:7401"}));
//   v1::RetrieveRequest request;
//   request.set_query("softmax vectorised exp");
//   ASSIGN_OR_RETURN(v1::RetrieveResponse found, memory.Retrieve(request));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/client/connection.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

// Thread-safe. Cheap to move.
class MemoryClient {
 public:
  // Does not dial yet. INVALID_ARGUMENT for an empty address, or plain text to an address that is not loopback.
  static absl::StatusOr<MemoryClient> Connect(const ConnectOptions& options);
  MemoryClient(MemoryClient&&) noexcept;
  MemoryClient& operator=(MemoryClient&&) noexcept;
  ~MemoryClient();

  absl::StatusOr<v1::RetrieveResponse> Retrieve(const v1::RetrieveRequest& request) const;
  absl::StatusOr<v1::Item> GetItem(const std::string& item_id) const;
  // Every page of the forest of one job (or of all, if `session` is empty), filtered by operator if that is not empty.
  absl::StatusOr<std::vector<v1::LineageNode>> Lineage(const std::string& session,
                                                       const std::string& operator_name) const;
  absl::StatusOr<v1::StatsResponse> Stats() const;

 private:
  struct Channel;
  explicit MemoryClient(std::unique_ptr<Channel> channel);
  std::unique_ptr<Channel> channel_;
};

}  // namespace kernelsmith::client
