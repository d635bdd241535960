// The experience memory: search, items, lineage, life cycle, exchange, upkeep.
//
//   ASSIGN_OR_RETURN(MemoryClient memory, MemoryClient::Connect({.address = "127.0.0.1:7401"}));
//   v1::RetrieveRequest request;
//   request.set_query("softmax vectorised exp");
//   ASSIGN_OR_RETURN(v1::RetrieveResponse found, memory.Retrieve(request));
//
// knowledge.h makes items from documents and kernels, exchange_file.h keeps exports in files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/client/connection.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

// Thread-safe. Cheap to move. Calls that change something are idempotent: a repeat changes nothing and says so. A call
// that takes `stop` has no limit of time; it ends with CANCELLED when that is requested.
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

  absl::StatusOr<v1::RecordItemResponse> RecordItem(const v1::RecordItemRequest& request) const;
  absl::StatusOr<v1::LifecycleResponse> Supersede(const v1::SupersedeRequest& request) const;
  absl::StatusOr<v1::LifecycleResponse> Retire(const v1::RetireRequest& request) const;
  absl::StatusOr<v1::PromoteResponse> Promote(const v1::PromoteRequest& request) const;
  absl::StatusOr<v1::LifecycleResponse> Revoke(const v1::RevokeRequest& request) const;
  // At most `limit` of them, over pages; next_page_token is set if there are more.
  absl::StatusOr<v1::ListConflictsResponse> ListConflicts(const v1::Filter& filter, int limit) const;
  absl::StatusOr<v1::ListResidentsResponse> ListResidents(const v1::ListResidentsRequest& request) const;

  // Gives every row to `on_row`, in order. A status of its own ends the stream and is returned. A broken connection is
  // UNAVAILABLE: the rows so far were given.
  absl::Status Export(const v1::ExportRequest& request,
                      const std::function<absl::Status(const v1::ExchangeRow&)>& on_row,
                      std::stop_token stop = {}) const;

  // Sends the rows that `next` gives, until it gives none or fails, and hands every answer to `on_status`. `next` is
  // called from another thread than `on_status`. `resume_token` is of the last status that an earlier try saw, or
  // empty. An error of `next` is returned once the rows before it are answered.
  using NextRow = std::function<absl::StatusOr<std::optional<v1::ExchangeRow>>()>;
  absl::Status Import(const std::string& resume_token, const NextRow& next,
                      const std::function<void(const v1::ImportStatus&)>& on_status, std::stop_token stop = {}) const;

  // The last message of the stream: `done` with its verdict.
  absl::StatusOr<v1::VerifyProgress> Verify(const std::function<void(const v1::VerifyProgress&)>& on_progress = {},
                                            std::stop_token stop = {}) const;
  // `directory` is on the server's host. If an earlier try got through and only its answer was lost, the directory is
  // refused because it is no longer empty.
  absl::StatusOr<v1::BackupResponse> Backup(const std::string& directory, std::stop_token stop = {}) const;
  absl::StatusOr<v1::SealIndexResponse> SealIndex(std::stop_token stop = {}) const;

  const std::string& address() const;
  absl::Duration patience() const;  // ConnectOptions::retry_for

 private:
  struct Channel;
  explicit MemoryClient(std::unique_ptr<Channel> channel);
  std::unique_ptr<Channel> channel_;
};

}  // namespace kernelsmith::client
