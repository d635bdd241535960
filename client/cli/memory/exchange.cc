#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/memory/commands.h"
#include "client/cli/memory/filter_options.h"
#include "client/cli/progress_display.h"
#include "client/cli/text/format.h"
#include "common/status.h"
#include "kernelsmith/client/exchange_file.h"

namespace kernelsmith::client {
namespace {

constexpr int kMostRefusals = 20;  // shown one by one

struct ExportOptions {
  std::string file;
  FilterOptions filter;
  std::vector<std::string> held_out;
  uint64_t from_sequence = 0;
};

int Export(const ExportOptions& options, const Session& session) {
  v1::ExportRequest request;
  absl::StatusOr<v1::Filter> filter = FilterFrom(options.filter);
  if (!filter.ok()) return session.Fail(filter.status());
  *request.mutable_filter() = *std::move(filter);
  request.mutable_held_out_operators()->Add(options.held_out.begin(), options.held_out.end());
  request.set_from_sequence(options.from_sequence);
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  absl::StatusOr<ExportSummary> wrote;
  {
    ProgressDisplay progress(session, "exporting");
    wrote = ExportToFile(
        *memory, request, options.file,
        [&](const ExportSummary& so_far) {
          progress.Show(
              {.done = 0,
               .total = 0,
               .detail = absl::StrCat(so_far.attempts + so_far.items, " records, ", FormatBytes(so_far.bytes))});
        },
        session.surroundings.interrupted);
  }
  if (session.surroundings.interrupted.stop_requested()) {
    session.err() << "interrupted; " << options.file << " was not written" << std::endl;
    return kExitDetached;
  }
  if (!wrote.ok()) return session.Fail(wrote.status());
  if (session.json) {
    session.out() << nlohmann::ordered_json{{"file", options.file},
                                            {"attempts", wrote->attempts},
                                            {"items", wrote->items},
                                            {"bytes", wrote->bytes},
                                            {"sha256", wrote->sha256}}
                         .dump()
                  << std::endl;
  } else {
    session.out() << wrote->attempts << " attempts and " << wrote->items << " other items written to " << options.file
                  << " (" << FormatBytes(wrote->bytes) << ")" << std::endl;
  }
  return kExitOk;
}

nlohmann::ordered_json SummaryJson(const ImportSummary& took) {
  return {{"stored", took.stored},   {"duplicates", took.duplicates}, {"refused", took.refused},
          {"skipped", took.skipped}, {"resumed", took.resumed},       {"complete", took.complete}};
}

int Import(const std::string& file, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  absl::StatusOr<ImportSummary> took;
  ImportSummary so_far;
  int shown = 0;
  {
    ProgressDisplay progress(session, "importing");
    ImportOptions options;
    options.reconnect_for = absl::Seconds(session.patience_s);
    options.on_progress = [&](const ImportSummary& now) {
      so_far = now;
      progress.Show({.done = now.bytes_read,
                     .total = now.total_bytes,
                     .detail = absl::StrCat(now.stored + now.duplicates + now.refused + now.skipped, " records")});
    };
    options.on_refused = [&](const v1::ImportStatus& status) {
      if (session.json) {
        session.PrintJsonLine("refused", status);
      } else if (++shown > kMostRefusals) {
        if (shown == kMostRefusals + 1) progress.Say("further refused rows are only counted; --json lists them all");
      } else {
        progress.Say(absl::StrCat("row ", status.number(), " refused: ", OneLine(status.message(), 300)));
      }
    };
    took = ImportFromFile(*memory, file, options, session.surroundings.interrupted);
  }
  if (session.surroundings.interrupted.stop_requested() && !took.ok()) {
    session.err() << "interrupted after " << so_far.stored + so_far.duplicates + so_far.refused + so_far.skipped
                  << " records; the same command goes on there (" << ResumeFileOf(file) << ")" << std::endl;
    return kExitDetached;
  }
  if (!took.ok()) return session.Fail(took.status());
  if (session.json) {
    session.out() << nlohmann::ordered_json{{"import", SummaryJson(*took)}}.dump() << std::endl;
  } else {
    session.out() << took->stored << " records stored, " << took->duplicates << " were there already, " << took->refused
                  << " refused";
    if (took->resumed) session.out() << "; " << took->skipped << " were imported before the interruption";
    session.out() << std::endl;
  }
  return took->refused > 0 ? kExitFailed : kExitOk;
}

}  // namespace

void AddMemoryExchange(Command& memory, Session& session) {
  auto options = std::make_shared<ExportOptions>();
  Command write = memory.Add("export", "write the team's records to a file of JSON lines");
  write.Option("file", options->file, "the file, which must not exist").Required();
  AddFilterOptions(write, options->filter);
  write.Option("--exclude-operator", options->held_out, "nothing that stems from this operator; may be repeated");
  write.Option("--from-sequence", options->from_sequence, "only records from this sequence number on");
  write.Footer(
      "Each row carries its hash and the last one a hash over all: import notices what was changed or cut "
      "off.\n\nExample:\n"
      "  kernelsmith memory export team.jsonl --family matmul --exclude-operator softmax");
  write.Run([options, &session] { session.exit_code = Export(*options, session); });

  auto file = std::make_shared<std::string>();
  Command read = memory.Add("import", "take the records of an export");
  read.Option("file", *file, "a file of memory export").Required();
  read.Footer(
      "What is there already is not stored twice. An interrupted import goes on where it stopped when the command is "
      "given "
      "again. The exit code is 1 if rows were refused.\n\nExample:\n  kernelsmith memory import team.jsonl");
  read.Run([file, &session] { session.exit_code = Import(*file, session); });
}

}  // namespace kernelsmith::client
