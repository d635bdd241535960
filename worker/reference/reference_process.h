// The Python process that runs one task's reference, in a jail. It speaks the channel's JSON; bulk data goes through
// shared memory whose descriptors travel with a request.
//
// Example:
//   auto process = *ReferenceProcess::Start(options);
//   TimeLimit limit(absl::Seconds(30));
//   auto answer = process->Call({{"op", "inspect"}, ...}, {}, limit);
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/file_io.h"
#include "nlohmann/json.hpp"
#include "worker/jail/jail.h"
#include "worker/reference/baseline_card.h"
#include "worker/reference/channel.h"

namespace kernelsmith::worker {

struct ReferenceOptions {
  std::string python = "/usr/bin/python3";   // with torch
  int threads = 1;                           // of PyTorch
  int64_t memory_bytes = int64_t{16} << 30;  // address space; torch alone reserves several GiB
  BaselineCard card;                         // that the baseline runs on; by default the host
};

// Thread-compatible, except Kill.
class ReferenceProcess {
 public:
  // Returns before Python is up. Errors are the host's fault.
  static absl::StatusOr<std::unique_ptr<ReferenceProcess>> Start(const ReferenceOptions& options);

  // Sends a request and waits for its answer. INVALID_ARGUMENT if the task is wrong (message is for its author), or its
  // code ended the process; RESOURCE_EXHAUSTED if it needs too much memory; DEADLINE_EXCEEDED (the limit is over, the
  // process is killed), CANCELLED (killed) or UNAVAILABLE (it died; the message holds what it printed last). Once the
  // process has ended alive() is false. Several calls may share a limit.
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request, absl::Span<const int> descriptors,
                                      TimeLimit& limit, std::stop_token stop = {});

  bool alive() const { return alive_; }
  // Whether the process itself still runs.
  bool Running() { return alive_ && process_->Running(); }
  // Stops and continues all its threads, so that none of them spins while something else is timed.
  absl::Status Freeze() { return process_->Freeze(); }
  absl::Status Thaw() { return process_->Thaw(); }
  void Kill() { process_->Kill(); }

 private:
  ReferenceProcess(common::TemporaryFolder folder, Channel channel, std::unique_ptr<JailedProcess> process)
      : folder_(std::move(folder)), channel_(std::move(channel)), process_(std::move(process)) {}
  absl::Status Ended(const absl::Status& why);

  common::TemporaryFolder folder_;
  Channel channel_;
  std::unique_ptr<JailedProcess> process_;
  bool alive_ = true;
};

}  // namespace kernelsmith::worker
