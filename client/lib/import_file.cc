#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/lib/retry.h"
#include "common/exchange_rows.h"
#include "common/file_io.h"
#include "common/status.h"
#include "kernelsmith/client/exchange_file.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kSaveEvery = absl::Seconds(1);

// How far an import came: what lies in the resume file.
struct ResumePoint {
  std::string export_sha256;  // hash of the manifest: another export starts anew
  std::string server;
  std::string token;
};

ResumePoint ReadResumePoint(const std::string& path) {
  const absl::StatusOr<std::string> text = common::ReadFile(path);
  if (!text.ok()) return {};
  const nlohmann::json document = nlohmann::json::parse(*text, nullptr, false);
  const auto field = [&](const char* name) {
    const auto found = document.find(name);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!document.is_object()) return {};
  return {.export_sha256 = field("export_sha256"), .server = field("server"), .token = field("resume_token")};
}

absl::Status WriteResumePoint(const std::string& path, const ResumePoint& point) {
  const nlohmann::ordered_json document = {
      {"export_sha256", point.export_sha256}, {"server", point.server}, {"resume_token", point.token}};
  return common::WriteFileAtomically(path, document.dump(2) + "\n");
}

// Reads rows and checks that they are those of one whole export.
class RowReader {
 public:
  explicit RowReader(const std::string& path) : path_(path), in_(path, std::ios::binary) {}

  absl::StatusOr<std::optional<v1::ExchangeRow>> Next() {
    std::string line;
    do {
      ++line_number_;
      if (!std::getline(in_, line)) return AtEnd();
      bytes_ += static_cast<int64_t>(line.size()) + 1;
    } while (line.empty());
    absl::StatusOr<v1::ExchangeRow> row = common::DecodeRow(line);
    // The last line of a file that was cut off is no JSON.
    if (!row.ok() && in_.eof() && line_number_ > 1) return CutOff();
    if (!row.ok()) return common::Annotate(row.status(), absl::StrCat(path_, " line ", line_number_));
    const absl::Status fits = chain_.Add(*row);
    if (!fits.ok()) return common::Annotate(fits, absl::StrCat(path_, " line ", line_number_));
    return std::optional<v1::ExchangeRow>(*std::move(row));
  }

  int64_t bytes() const { return bytes_.load(); }

 private:
  absl::StatusOr<std::optional<v1::ExchangeRow>> AtEnd() {
    if (in_.bad()) return absl::DataLossError(absl::StrCat("cannot read ", path_));
    if (line_number_ == 1) return common::InvalidField("file", absl::StrCat(path_, " is empty"));
    if (!chain_.closed()) return CutOff();
    return std::optional<v1::ExchangeRow>();
  }
  absl::Status CutOff() const {
    return absl::DataLossError(
        absl::StrCat(path_, " ends at line ", line_number_ - 1,
                     " without a closing row: the file was cut off; the rows before are imported"));
  }

  std::string path_;
  std::ifstream in_;
  common::RowChain chain_;
  uint64_t line_number_ = 0;
  std::atomic<int64_t> bytes_{0};
};

class FileImport {
 public:
  FileImport(const MemoryClient& memory, std::string path, const ImportOptions& options, std::stop_token stop)
      : memory_(memory), path_(std::move(path)), options_(options), stop_(std::move(stop)) {}

  absl::StatusOr<ImportSummary> Run() {
    RETURN_IF_ERROR(Open());
    absl::Status status = TryUntilGone();
    if (summary_.resumed && !answered_ && RefusesToken(status)) {
      // The server does not know the token any more. Every row is idempotent, so the import starts anew.
      point_.token.clear();
      summary_.resumed = false;
      status = TryUntilGone();
    }
    RETURN_IF_ERROR(Save(status.ok() && summary_.complete));
    RETURN_IF_ERROR(status);
    if (!summary_.complete) {
      return absl::AbortedError(absl::StrCat(
          "the import stopped before its closing row: ", refusal_.empty() ? "the server ended it" : refusal_,
          "; given again, it goes on there"));
    }
    return summary_;
  }

 private:
  absl::Status Open() {
    std::error_code error;
    summary_.total_bytes = static_cast<int64_t>(fs::file_size(path_, error));
    if (error) return common::InvalidField("file", absl::StrCat("cannot read ", path_, ": ", error.message()));
    RowReader reader(path_);
    ASSIGN_OR_RETURN(const std::optional<v1::ExchangeRow> manifest, reader.Next());
    point_ = ReadResumePoint(ResumeFileOf(path_));
    if (point_.export_sha256 != manifest->sha256() || point_.server != memory_.address()) {
      point_ = {.export_sha256 = manifest->sha256(), .server = memory_.address(), .token = ""};
    }
    summary_.resumed = !point_.token.empty();
    return absl::OkStatus();
  }

  static bool RefusesToken(const absl::Status& status) {
    return absl::IsInvalidArgument(status) || absl::IsNotFound(status) || absl::IsFailedPrecondition(status);
  }

  absl::Status TryUntilGone() {
    for (;;) {
      answered_ = false;
      const absl::Status status = Try();
      if (!absl::IsUnavailable(status) || stop_.stop_requested()) return status;
      if (answered_) last_answer_ = absl::Now();
      if (absl::Now() - last_answer_ > options_.reconnect_for) return status;
      if (!SleepUnlessStopped(absl::Milliseconds(200), stop_)) return absl::CancelledError("the import was stopped");
    }
  }

  // One connection. Rows up to the resume point are sent again; the server skips them.
  absl::Status Try() {
    RowReader reader(path_);
    return memory_.Import(
        point_.token, [&] { return reader.Next(); },
        [&](const v1::ImportStatus& status) {
          summary_.bytes_read = reader.bytes();
          Take(status);
        },
        stop_);
  }

  void Take(const v1::ImportStatus& status) {
    answered_ = true;
    const uint64_t row = status.number() > 0 ? 1 : 0;  // the manifest is answered too, and is no record
    switch (status.outcome()) {
      case v1::ImportStatus::STORED:
        summary_.stored += row;
        break;
      case v1::ImportStatus::DUPLICATE:
        summary_.duplicates += row;
        break;
      case v1::ImportStatus::REFUSED:
        ++summary_.refused;
        refusal_ = status.message();
        if (options_.on_refused) options_.on_refused(status);
        break;
      case v1::ImportStatus::SKIPPED:
        summary_.skipped += row;
        break;
      case v1::ImportStatus::COMPLETE:
        summary_.complete = true;
        break;
      default:
        break;
    }
    if (!status.resume_token().empty()) point_.token = status.resume_token();
    if (options_.on_progress) options_.on_progress(summary_);
    const absl::Time now = absl::Now();
    if (now - saved_ < kSaveEvery) return;
    saved_ = now;
    // What cannot be written now is written at the end, or costs rows that are sent twice.
    WriteResumePoint(ResumeFileOf(path_), point_).IgnoreError();
  }

  absl::Status Save(bool complete) {
    std::error_code error;
    if (complete) {
      fs::remove(ResumeFileOf(path_), error);
      return absl::OkStatus();
    }
    if (point_.token.empty()) return absl::OkStatus();
    return WriteResumePoint(ResumeFileOf(path_), point_);
  }

  const MemoryClient& memory_;
  const std::string path_;
  const ImportOptions& options_;
  const std::stop_token stop_;
  ResumePoint point_;
  ImportSummary summary_;
  std::string refusal_;  // the last one
  bool answered_ = false;
  absl::Time saved_ = absl::Now();
  absl::Time last_answer_ = absl::Now();
};

}  // namespace

std::string ResumeFileOf(const std::string& path) { return path + ".resume"; }

absl::StatusOr<ImportSummary> ImportFromFile(const MemoryClient& memory, const std::string& path,
                                             const ImportOptions& options, std::stop_token stop) {
  return FileImport(memory, path, options, std::move(stop)).Run();
}

}  // namespace kernelsmith::client
