// Exports of the memory in files: JSON lines, checked row by row (docs/formats.md).
//
//   ASSIGN_OR_RETURN(ExportSummary wrote, ExportToFile(memory, v1::ExportRequest(), "team.jsonl"));
//   ASSIGN_OR_RETURN(ImportSummary took, ImportFromFile(other_memory, "team.jsonl", {}));
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kernelsmith/client/memory.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

struct ExportSummary {
  uint64_t attempts = 0;
  uint64_t items = 0;
  int64_t bytes = 0;
  std::string sha256;  // of the closing row
};

// Writes to `path` with ".partial" behind it and renames at the end, so that `path` appears whole or not at all; an
// interrupted export leaves nothing and is simply made again. ALREADY_EXISTS if there is such a file. DATA_LOSS if what
// came is not what the server hashed, or had no end. Starts over while the server is UNAVAILABLE, for the channel's
// patience.
absl::StatusOr<ExportSummary> ExportToFile(const MemoryClient& memory, const v1::ExportRequest& request,
                                           const std::string& path,
                                           const std::function<void(const ExportSummary&)>& on_progress = {},
                                           std::stop_token stop = {});

struct ImportSummary {
  uint64_t stored = 0;
  uint64_t duplicates = 0;
  uint64_t refused = 0;
  uint64_t skipped = 0;  // taken by an earlier try
  int64_t bytes_read = 0;
  int64_t total_bytes = 0;  // of the file
  bool resumed = false;     // went on where an earlier try stopped
  bool complete = false;    // the closing row agreed with what came
};

struct ImportOptions {
  // Goes on for this long without an answer while the server is UNAVAILABLE.
  absl::Duration reconnect_for = absl::Seconds(30);
  std::function<void(const ImportSummary&)> on_progress;
  std::function<void(const v1::ImportStatus&)> on_refused;  // each row that was not taken, with its reason
};

// Where an import keeps how far it came: beside the file. It goes when the import is complete.
std::string ResumeFileOf(const std::string& path);

// Sends the file and counts the answers. Refused rows do not end it. Interrupted in whatever way (`stop`: CANCELLED), a
// later call with the same file goes on behind the last answer; one with another file under that name starts anew.
// INVALID_ARGUMENT: no such file, or a line that is no row. DATA_LOSS: rows that were changed, are missing or cut off;
// what came before them is stored. FAILED_PRECONDITION: a newer format. ABORTED: the server stopped, for example
// because its disk is full.
absl::StatusOr<ImportSummary> ImportFromFile(const MemoryClient& memory, const std::string& path,
                                             const ImportOptions& options, std::stop_token stop = {});

}  // namespace kernelsmith::client
