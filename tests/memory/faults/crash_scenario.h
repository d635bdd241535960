// kill -9 of the memory server while it records and seals, and what is left afterwards.
//
// Every record carries two words of its own, one in the case and one in the journal, so that each item can be asked for
// by id and by search. After each kill: what was acknowledged is whole (both items, by id and by search); what was in
// flight is there whole or not at all. At the end the same once more, and Verify says that a fold of the log equals
// what is served.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::memory::testing {

struct CrashOptions {
  std::string program;   // path of kernelsmith-memory
  std::string data;      // folder of the store; may be filled already
  int64_t attempts = 0;  // of the corpus, recorded first if they are not there
  int kills = 5;
  int64_t seed = 1;
  int64_t seal_after = 500;  // items, so that sealing and merging happen all the time
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // progress
};

struct CrashOutcome {
  int kills = 0;  // while records were being written
  int kills_while_starting = 0;
  int64_t acknowledged = 0;
  int64_t in_flight = 0;            // when the server was killed
  int64_t in_flight_stored = 0;     // of those, there afterwards
  bool equal = false;               // Verify
  std::vector<std::string> damage;  // one sentence for everything lost, half there or different
};

// An error if the server does not start or does not answer.
absl::StatusOr<CrashOutcome> RunCrashScenario(const CrashOptions& options);

}  // namespace kernelsmith::memory::testing
