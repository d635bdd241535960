// Random calls of several clients of two teams against one server: every kind of fact, in every order that the service
// accepts. Afterwards a fold of the log equals what is served, also after kill -9, and neither team sees the other's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::memory::testing {

struct EventOptions {
  std::string program;  // path of kernelsmith-memory
  std::string data;     // folder of the store
  int64_t events = 0;   // calls that write
  int64_t seed = 1;
};

struct EventOutcome {
  int64_t accepted = 0;             // calls that the service answered with OK
  int64_t refused = 0;              // that it refused for a stated reason, for example a retired item
  bool equal = false;               // Verify
  bool equal_after_kill = false;    // Verify after kill -9 and a restart
  std::vector<std::string> damage;  // answers that must not be, items of the other team, differences
};

absl::StatusOr<EventOutcome> RunRandomEvents(const EventOptions& options);

}  // namespace kernelsmith::memory::testing
