#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/lib/retry.h"
#include "common/exchange_rows.h"
#include "common/status.h"
#include "kernelsmith/client/exchange_file.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

// One try: an open file that rows are checked and written to.
class RowFile {
 public:
  explicit RowFile(const std::string& path) : path_(path), out_(path, std::ios::binary | std::ios::trunc) {}

  absl::Status Add(const v1::ExchangeRow& row) {
    if (!out_) return Failed();
    RETURN_IF_ERROR(common::CheckRow(row));
    RETURN_IF_ERROR(chain_.Add(row));
    ASSIGN_OR_RETURN(const std::string line, common::EncodeRow(row));
    out_ << line << '\n';
    if (!out_) return Failed();
    summary_.attempts += row.has_attempt() ? 1 : 0;
    summary_.items += row.has_item() ? 1 : 0;
    summary_.bytes += static_cast<int64_t>(line.size()) + 1;
    if (row.has_closing()) summary_.sha256 = row.closing().sha256();
    return absl::OkStatus();
  }

  absl::Status Close() {
    out_.close();
    if (!out_) return Failed();
    if (!chain_.closed()) return absl::DataLossError("the export has no closing row: the server ended it early");
    return absl::OkStatus();
  }

  const ExportSummary& summary() const { return summary_; }

 private:
  absl::Status Failed() const {
    return common::InvalidField("file", absl::StrCat("cannot write ", path_, "; check the folder and its free space"));
  }

  std::string path_;
  std::ofstream out_;
  common::RowChain chain_;
  ExportSummary summary_;
};

}  // namespace

absl::StatusOr<ExportSummary> ExportToFile(const MemoryClient& memory, const v1::ExportRequest& request,
                                           const std::string& path,
                                           const std::function<void(const ExportSummary&)>& on_progress,
                                           std::stop_token stop) {
  std::error_code error;
  if (fs::exists(path, error)) {
    return absl::AlreadyExistsError(absl::StrCat(path, " exists; name another file, or remove it"));
  }
  const std::string partial = path + ".partial";
  ExportSummary summary;
  // A broken stream starts over: an export is read in one go, so that its hashes hold.
  const absl::Status status = RetryUnavailable(memory.patience(), [&]() -> absl::Status {
    RowFile file(partial);
    const auto take = [&](const v1::ExchangeRow& row) {
      const absl::Status added = file.Add(row);
      if (added.ok() && on_progress) on_progress(file.summary());
      return added;
    };
    RETURN_IF_ERROR(memory.Export(request, take, stop));
    RETURN_IF_ERROR(file.Close());
    summary = file.summary();
    return absl::OkStatus();
  });
  if (!status.ok()) {
    fs::remove(partial, error);
    return status;
  }
  fs::rename(partial, path, error);
  if (error) return common::InvalidField("file", absl::StrCat("cannot rename to ", path, ": ", error.message()));
  return summary;
}

}  // namespace kernelsmith::client
