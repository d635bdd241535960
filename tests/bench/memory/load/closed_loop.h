// Calls in closed loops: each of `connections` keeps `window` calls outstanding, all driven by one thread, so that the
// generator takes little of the machine it shares with the server. Requests and replies are bytes: serialise
// beforehand.
//
//   RunClosedLoop({.address = address, .method = kRetrieve, .connections = 8},
//                 [&](int) { return next < requests.size() ? &requests[next++] : nullptr; },
//                 [&](const Reply& reply) { latencies.push_back(reply.latency); });
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace kernelsmith::memory::bench {

inline constexpr char kRecordAttempt[] = "/kernelsmith.v1.ExperienceMemory/RecordAttempt";
inline constexpr char kRecordAttempts[] = "/kernelsmith.v1.ExperienceMemory/RecordAttempts";
inline constexpr char kRetrieve[] = "/kernelsmith.v1.ExperienceMemory/Retrieve";
inline constexpr char kAssembleContext[] = "/kernelsmith.v1.ExperienceMemory/AssembleContext";

struct Reply {
  int connection = 0;
  const std::string* request = nullptr;  // as `next` gave it
  absl::Status status;
  std::string bytes;  // of the response, if ok
  absl::Duration latency;
};

struct LoopOptions {
  std::string address;  // host:port, loopback
  std::string method;
  int connections = 1;                           // each its own
  int window = 1;                                // calls outstanding a connection
  absl::Duration deadline = absl::Seconds(600);  // of one call
  bool keep_replies = false;                     // fill Reply::bytes
};

// `next` gives the next request of a connection, which stays where it is until its reply; null: none now, ask again
// after the next reply. Ends once nothing is outstanding and `next` has nothing for any connection. Both run in this
// thread.
void RunClosedLoop(const LoopOptions& options, const std::function<const std::string*(int connection)>& next,
                   const std::function<void(const Reply&)>& done);

}  // namespace kernelsmith::memory::bench
