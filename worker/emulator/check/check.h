// What a trace shows to be wrong with a kernel. Pure.
//
// Example:
//   for (const Finding& f : CheckTrace(reader, soc, {.auto_sync = true})) ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/trace/reader.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

struct Place {
  std::string operation;  // "DataCopy"
  std::string file;
  uint32_t line = 0;
  Pipe pipe = Pipe::kScalar;
  uint16_t core = 0;
};

struct Finding {
  Check check;
  bool error = true;  // false: a note
  Place place;        // of the later access, where there are two
  Place other;        // races, conflicts: the earlier one; line 0 if none
  Space space = Space::kNone;
  uint16_t buffer = 0;  // as in Access
  uint64_t offset = 0;  // first byte concerned
  uint64_t bytes = 0;
  std::string hazard;  // races: "RAW", "WAR" or "WAW"
  std::string text;    // one sentence: what happened, to what, what to do
  uint32_t count = 1;  // occurrences at the same pair of places, folded
};

struct CheckOptions {
  bool auto_sync = true;  // --cce-auto-sync: edges it inserts count
  size_t max_findings = 50;
  uint64_t max_runs = 1 << 24;  // separate runs of strided accesses that are analysed; beyond, a note says so
};

// Findings of the executor first, then those of this analysis; equal ones folded, errors before notes.
std::vector<Finding> CheckTrace(const TraceReader& trace, const v1::Soc& soc, const CheckOptions& options);

// "race", "out_of_bounds", ...
const char* CheckName(Check check);

}  // namespace kernelsmith::emulator
