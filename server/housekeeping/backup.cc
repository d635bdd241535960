#include "server/housekeeping/backup.h"

#include <rocksdb/utilities/checkpoint.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/rocks.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

namespace fs = std::filesystem;

// True for a folder that holds a RocksDB database.
bool IsDatabase(const fs::path& folder) { return fs::exists(folder / "CURRENT"); }

// Opens the database as it is, whatever its families are, so that a running coordinator is noticed.
absl::Status CheckpointDatabase(const fs::path& source, const fs::path& target) {
  std::vector<std::string> families;
  const rocksdb::DBOptions options;
  RETURN_IF_ERROR(common::FromRocks(rocksdb::DB::ListColumnFamilies(options, source.string(), &families),
                                    absl::StrCat("cannot read ", source.string())));
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& family : families) descriptors.emplace_back(family, rocksdb::ColumnFamilyOptions());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, source.string(), descriptors, &handles, &opened);
  if (!status.ok()) {
    return absl::UnavailableError(
        absl::StrCat("cannot open ", source.string(), ": ", status.ToString(), "; stop the coordinator first"));
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::Checkpoint* raw = nullptr;
  rocksdb::Status made = rocksdb::Checkpoint::Create(db.get(), &raw);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  if (made.ok()) made = checkpoint->CreateCheckpoint(target.string());
  for (rocksdb::ColumnFamilyHandle* handle : handles) db->DestroyColumnFamilyHandle(handle);
  return common::FromRocks(made, absl::StrCat("cannot back up ", source.string()));
}

absl::Status LinkFile(const fs::path& source, const fs::path& target) {
  std::error_code error;
  fs::create_hard_link(source, target, error);
  if (error) fs::copy_file(source, target, error);
  if (!error) return absl::OkStatus();
  return common::ErrnoStatus(error.value(), absl::StrCat("cannot copy ", source.string(), " to ", target.string()));
}

absl::Status CopyTree(const fs::path& source, const fs::path& target) {
  RETURN_IF_ERROR(common::MakeFolders(target.string()));
  std::error_code error;
  fs::directory_iterator entries(source, error);
  if (error) return common::ErrnoStatus(error.value(), absl::StrCat("cannot read ", source.string()));
  for (const fs::directory_entry& entry : entries) {
    const fs::path copy = target / entry.path().filename();
    if (!entry.is_directory()) {
      RETURN_IF_ERROR(LinkFile(entry.path(), copy));
    } else if (IsDatabase(entry.path())) {
      RETURN_IF_ERROR(CheckpointDatabase(entry.path(), copy));
    } else {
      RETURN_IF_ERROR(CopyTree(entry.path(), copy));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BackUp(const std::string& data_dir, const std::string& target) {
  if (fs::exists(target)) {
    return absl::AlreadyExistsError(absl::StrCat(target, " exists; name a folder that does not, for the backup"));
  }
  if (!fs::is_directory(data_dir)) return absl::NotFoundError(absl::StrCat("no folder ", data_dir, " to back up"));
  const absl::Status copied = CopyTree(data_dir, target);
  // Half a backup is none.
  std::error_code ignored;
  if (!copied.ok()) fs::remove_all(target, ignored);
  return copied;
}

}  // namespace kernelsmith::server
