// Requests and answers of the reference process: JSON behind a 4-byte little-endian length on a Unix stream socket,
// with descriptors attached to the length. The peer is not trusted: sizes are capped, what it sends may be anything.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace kernelsmith::worker {

// Calls what it is given, with the time until which that may wait, until it returns true; false once the peer was
// waited for long enough. AwaitWithin is one.
using Awaiter = absl::FunctionRef<bool(absl::FunctionRef<bool(absl::Time)> done)>;

// One end. Closes its descriptor. Thread-compatible.
class Channel {
 public:
  // Both ends: {here, there}. The second is a plain descriptor for the child; the caller closes it.
  static absl::StatusOr<std::pair<Channel, int>> MakePair();
  Channel(Channel&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  // At most 64 descriptors. UNAVAILABLE when the peer is gone; DEADLINE_EXCEEDED; CANCELLED when stop is requested.
  absl::Status Send(absl::string_view message, absl::Span<const int> descriptors, Awaiter await,
                    std::stop_token stop = {});
  // As Send; also DATA_LOSS for a message longer than 64 MiB.
  absl::StatusOr<std::string> Receive(Awaiter await, std::stop_token stop = {});

 private:
  explicit Channel(int fd) : fd_(fd) {}
  absl::Status AwaitEvent(short events, Awaiter await, const std::stop_token& stop);
  absl::Status ReadExactly(char* data, size_t size, Awaiter await, const std::stop_token& stop);

  int fd_ = -1;
};

}  // namespace kernelsmith::worker
