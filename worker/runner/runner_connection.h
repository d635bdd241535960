// The worker's end of the socket to a runner: sends requests, receives answers, believes nothing (README.md).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "worker/runner/protocol.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

// Thread-compatible.
class RunnerConnection {
 public:
  enum class Received { kReply, kClosed, kTimeout, kGarbage };

  RunnerConnection() = default;
  ~RunnerConnection();
  RunnerConnection(const RunnerConnection&) = delete;
  RunnerConnection& operator=(const RunnerConnection&) = delete;

  absl::Status Open();
  int their_end() const { return theirs_; }
  void CloseTheirEnd();

  // False if the other side is gone.
  bool Send(absl::string_view packet, absl::Span<const int> fds = {});
  Received Receive(absl::Time deadline, runner::ReplyMessage* reply);
  // A packet of any content, at most `max_bytes`; a longer one is garbage.
  Received ReceivePacket(absl::Time deadline, size_t max_bytes, std::string* packet);
  // True if an answer waits that nobody asked for.
  bool HasStrayReply() const;

 private:
  int ours_ = -1;
  int theirs_ = -1;
};

std::string EncodeLoad(absl::string_view object_path, int cpu_count);
// INVALID_ARGUMENT if the case does not fit into one packet.
absl::StatusOr<std::string> EncodeMap(const SlotPool& pool);
std::string EncodeCall(uint32_t sequence, int pool, absl::Span<const int> slots);
std::string EncodeQuit();

// Text of a reply, whatever bytes it holds: up to the first zero, at most its capacity.
std::string TextOf(const runner::ReplyMessage& reply);

}  // namespace kernelsmith::worker
