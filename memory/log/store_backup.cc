#include "memory/log/store_backup.h"

#include <fcntl.h>
#include <rocksdb/utilities/checkpoint.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/ids.h"
#include "common/status.h"
#include "memory/log/open_read_only.h"
#include "memory/log/record_scan.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {
namespace {

namespace fs = std::filesystem;

absl::Status SyncFolder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  return synced ? absl::OkStatus() : common::ErrnoStatus(error, absl::StrCat("cannot sync ", folder.string()));
}

absl::Status MakeCheckpoint(rocksdb::DB& db, const fs::path& folder) {
  rocksdb::Checkpoint* raw = nullptr;
  rocksdb::Status made = rocksdb::Checkpoint::Create(&db, &raw);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  if (made.ok()) made = checkpoint->CreateCheckpoint(folder.string());
  return common::FromRocks(made, absl::StrCat("cannot back up to ", folder.string()));
}

absl::StatusOr<BackupSummary> ReadBack(const fs::path& folder) {
  ASSIGN_OR_RETURN(const auto copy,
                   ReadOnlyStore::Open(folder.string(), rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords));
  RETURN_IF_ERROR(common::FromRocks(copy->db().VerifyChecksum(), "the backup does not read back as it was written"));
  BackupSummary summary;
  ASSIGN_OR_RETURN(summary.last_sequence, LastSequence(copy->db(), copy->family(kFacts)));
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    summary.bytes += static_cast<int64_t>(file.file_size(error));
  }
  if (error) return common::ErrnoStatus(error.value(), absl::StrCat("cannot list ", folder.string()));
  return summary;
}

}  // namespace

absl::StatusOr<BackupSummary> BackUpStore(common::RocksStore& store, const std::string& directory) {
  const fs::path target = fs::path(directory).lexically_normal();
  if (!target.is_absolute() || !target.has_filename()) {
    return common::InvalidField("directory", absl::StrCat("is '", directory, "'; give an absolute path of a folder"));
  }
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_empty(target, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(directory, " is there already and not empty; name a new folder for the backup"));
  }
  RETURN_IF_ERROR(common::MakeFolders(target.parent_path().string()));
  const fs::path unfinished = absl::StrCat(target.string(), ".", common::RandomId(), ".unfinished");
  const absl::Cleanup remove = [&unfinished] {
    std::error_code ignored;  // after success there is nothing to remove
    fs::remove_all(unfinished, ignored);
  };
  RETURN_IF_ERROR(MakeCheckpoint(store.db(), unfinished));
  ASSIGN_OR_RETURN(const BackupSummary summary, ReadBack(unfinished));
  RETURN_IF_ERROR(SyncFolder(unfinished));
  fs::rename(unfinished, target, error);  // also over an empty folder
  if (error) return common::ErrnoStatus(error.value(), absl::StrCat("cannot name the backup ", directory));
  RETURN_IF_ERROR(SyncFolder(target.parent_path()));
  return summary;
}

}  // namespace kernelsmith::memory
