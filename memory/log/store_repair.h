// Salvages a damaged store: copies every fact whose checksum holds into a new store, with its number, and lists what is
// lost. The damaged folder is not changed. docs/operations.md has the procedure.
//
//   ASSIGN_OR_RETURN(const RepairReport report, RepairStore("/data/memory", "/data/memory.repaired"));
//   std::cout << RepairText(report);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::memory {

// A fact that was there and cannot be read any more.
struct LostFact {
  std::string team;
  uint64_t sequence = 0;
  std::string key;  // "kind id" or "kind producer id", from its head or its idempotency key; empty if both are gone
};

struct RepairReport {
  uint64_t salvaged = 0;                             // facts in the new store
  uint64_t last_sequence = 0;                        // of them
  std::vector<LostFact> lost;                        // by sequence
  std::vector<std::string> numbers_without_a_trace;  // "7", "12-40": below last_sequence, in no family
  std::vector<std::string> notes;                    // what was found damaged
};

// `target` must not exist, or be an empty folder. UNAVAILABLE if a process has `damaged` open, NOT_FOUND if it holds no
// store, ALREADY_EXISTS for a target in use; after any error `target` is as it was.
absl::StatusOr<RepairReport> RepairStore(const std::string& damaged, const std::string& target);

// For people: one line for each figure, note and lost fact.
std::string RepairText(const RepairReport& report);

}  // namespace kernelsmith::memory
