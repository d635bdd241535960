// The coordinator's public C++ interface: typed calls, retries of what may be repeated, absl::Status, no exceptions.
//
//   ASSIGN_OR_RETURN(Client client, Client::Connect({.address = "127.0.0.1:7400"}));
//   v1::JobSpec spec;
//   ASSIGN_OR_RETURN(*spec.mutable_task(), LoadTask("softmax.py"));
//   ASSIGN_OR_RETURN(v1::SubmitJobResponse submitted, client.SubmitJob(spec));
//   client.WatchJob(submitted.job().id(), {}, [](const v1::JobEvent& event) { return true; });
//   ASSIGN_OR_RETURN(v1::Attempt best, client.GetAttempt(submitted.job().id(), 0));
//
// Errors are the server's codes and messages; UNAVAILABLE means that it could not be reached (after the retries).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "kernelsmith/client/connection.h"
#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::client {

// True for a state that a job does not leave by itself.
bool HasEnded(v1::JobState state);

struct WatchOptions {
  uint64_t from_sequence = 0;                             // events with a greater sequence; 0 means all
  absl::Duration reconnect_for = absl::Seconds(120);      // give up after the server was away this long
  std::function<void(const absl::Status&)> on_reconnect;  // told before each reconnection; may be empty
};

// Thread-safe. Cheap to move.
class Client {
 public:
  // Does not dial yet. INVALID_ARGUMENT for an empty address, or plain text to an address that is not loopback.
  static absl::StatusOr<Client> Connect(const ConnectOptions& options);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Submits under `request_id`, or a fresh one if it is empty. A retry uses the same id, so a job is never made twice.
  absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const v1::JobSpec& spec, const std::string& request_id = "") const;
  absl::StatusOr<v1::Job> ExtendJob(const std::string& job_id, const v1::Budget& extra,
                                    const std::string& request_id = "") const;
  absl::StatusOr<v1::Job> GetJob(const std::string& job_id) const;
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) const;
  absl::StatusOr<v1::Job> CancelJob(const std::string& job_id, const std::string& reason) const;

  // Calls `on_event` for every event once and in order, from this thread, until the job has ended; reconnects and
  // resumes by itself. Transient progress (sequence 0) may be lost between connections. Ends with CANCELLED when
  // `on_event` returns false or `stop` is requested, and with UNAVAILABLE when the server stays away.
  absl::Status WatchJob(const std::string& job_id, const WatchOptions& options,
                        const std::function<bool(const v1::JobEvent&)>& on_event, std::stop_token stop = {}) const;

  // Verify and time one candidate, or two interleaved. Progress goes to `on_activity` (may be empty). Breaking off with
  // `stop` cancels the evaluation.
  absl::StatusOr<v1::EvaluationReport> Evaluate(const v1::EvaluateRequest& request,
                                                const std::function<void(const std::string&)>& on_activity = {},
                                                std::stop_token stop = {}) const;
  absl::StatusOr<v1::EvaluationReport> Compare(const v1::CompareRequest& request,
                                               const std::function<void(const std::string&)>& on_activity = {},
                                               std::stop_token stop = {}) const;

  // `round` from 1; 0 means the incumbent's.
  absl::StatusOr<v1::Attempt> GetAttempt(const std::string& job_id, int round) const;

  struct Log {
    int round = 0;
    std::string name;     // "compiler", "candidate output", "prompt", "reply"
    std::string content;  // bytes, not necessarily text
  };
  // `round` 0 means all rounds.
  absl::StatusOr<std::vector<Log>> GetLogs(const std::string& job_id, int round) const;
  // The content, checked against its digest: DATA_LOSS if it differs.
  absl::StatusOr<std::string> GetArtifact(const std::string& job_id, const std::string& digest) const;

  absl::StatusOr<std::vector<v1::Card>> ListCards() const;
  absl::StatusOr<v1::Card> DrainCard(const std::string& worker_id, bool undo) const;

  absl::StatusOr<v1::ListDeadLettersResponse> ListDeadLetters(const v1::ListDeadLettersRequest& request) const;
  // The job that goes on. NOT_FOUND also when an earlier try of this call got through and only its answer was lost.
  absl::StatusOr<v1::Job> ReplayDeadLetter(const std::string& id) const;

  const std::string& address() const;

 private:
  struct Channel;
  explicit Client(std::unique_ptr<Channel> channel);
  std::unique_ptr<Channel> channel_;
};

}  // namespace kernelsmith::client
