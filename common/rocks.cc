#include "common/rocks.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/logging.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

constexpr char kFormatKey[] = "format";  // in the default column family, a decimal number

// What RocksDB warns of becomes lines of the program's log. Its own log is a file in the data folder, and on a full
// disk it ends the process: the line after one that could not be written fails an assertion.
class ProgramLog : public rocksdb::Logger {
 public:
  ProgramLog() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}

  void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || level >= rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    std::array<char, 1024> line;  // longer ones are cut
    const int size = std::vsnprintf(line.data(), line.size(), format, arguments);
    if (size < 0) return;
    const std::string text(line.data(), std::min(static_cast<size_t>(size), line.size() - 1));
    if (level == rocksdb::InfoLogLevel::WARN_LEVEL) {
      LogWarning("rocksdb", {{"says", text}});
    } else {
      LogError("rocksdb", {{"says", text}});
    }
  }
};

}  // namespace

rocksdb::Options RocksOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.paranoid_checks = true;
  options.atomic_flush = true;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.max_background_jobs = 2;
  options.info_log = std::make_shared<ProgramLog>();
  return options;
}

absl::Status FromRocks(const rocksdb::Status& status, const std::string& what) {
  if (status.ok()) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": ", status.ToString());
  if (status.IsNotFound()) return absl::NotFoundError(message);
  if (status.IsCorruption()) return absl::DataLossError(message);
  if (status.IsNoSpace()) return absl::ResourceExhaustedError(message);
  if (status.IsInvalidArgument()) return absl::FailedPreconditionError(message);
  return absl::UnavailableError(message);
}

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::Open(const std::string& path,
                                                             const std::vector<std::string>& families,
                                                             uint32_t format) {
  std::vector<RocksFamily> descriptors;
  for (const auto& name : families) descriptors.push_back({.name = name, .options = {}});
  return Open(path, descriptors, format, RocksOptions());
}

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::Open(const std::string& path,
                                                             const std::vector<RocksFamily>& families, uint32_t format,
                                                             const rocksdb::DBOptions& options) {
  RETURN_IF_ERROR(MakeFolders(path));
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  for (const auto& family : families) descriptors.emplace_back(family.name, family.options);
  // RocksDB wants every family opened; those of a newer format are, so that its stamp can be read and named.
  std::vector<std::string> stored;
  rocksdb::DB::ListColumnFamilies(options, path, &stored).PermitUncheckedError();  // fails where nothing is yet
  for (const std::string& name : stored) {
    const auto same = [&](const rocksdb::ColumnFamilyDescriptor& known) { return known.name == name; };
    if (std::none_of(descriptors.begin(), descriptors.end(), same)) {
      descriptors.emplace_back(name, rocksdb::ColumnFamilyOptions());
    }
  }

  auto store = std::unique_ptr<RocksStore>(new RocksStore(families));
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(options, path, descriptors, &store->handles_, &db);
  if (!opened.ok()) {
    if (opened.ToString().find("lock") != std::string::npos) {
      return absl::UnavailableError(absl::StrCat(
          "the store in ", path, " is open in another process; stop that one or choose another data folder (",
          opened.ToString(), ")"));
    }
    return FromRocks(opened, absl::StrCat("cannot open the store in ", path));
  }
  store->db_.reset(db);

  std::string stamp;
  const rocksdb::Status read = db->Get(rocksdb::ReadOptions(), kFormatKey, &stamp);
  if (read.IsNotFound()) {
    RETURN_IF_ERROR(store->StampFormat(format));
    return store;
  }
  RETURN_IF_ERROR(FromRocks(read, absl::StrCat("cannot read the format of ", path)));
  if (!absl::SimpleAtoi(stamp, &store->stored_format_)) {
    return absl::DataLossError(absl::StrCat("the format stamp of ", path, " is not a number; restore a backup"));
  }
  if (store->stored_format_ > format) {
    return absl::FailedPreconditionError(absl::StrCat("the store in ", path, " has format ", store->stored_format_,
                                                      ", this program knows up to ", format,
                                                      "; use the newer program that wrote it"));
  }
  return store;
}

RocksStore::~RocksStore() {
  if (!db_) return;
  for (auto* handle : handles_) {
    if (handle != nullptr) db_->DestroyColumnFamilyHandle(handle);
  }
}

absl::Status RocksStore::StampFormat(uint32_t format) {
  RETURN_IF_ERROR(FromRocks(db_->Put(SyncedWrite(), kFormatKey, absl::StrCat(format)), "cannot stamp the format"));
  stored_format_ = format;
  return absl::OkStatus();
}

absl::Status RocksStore::RecreateFamily(size_t index) {
  rocksdb::ColumnFamilyHandle*& handle = handles_[index + 1];
  const std::string what = absl::StrCat("cannot empty ", families_[index].name);
  RETURN_IF_ERROR(FromRocks(db_->DropColumnFamily(handle), what));
  db_->DestroyColumnFamilyHandle(handle);
  handle = nullptr;
  return FromRocks(db_->CreateColumnFamily(families_[index].options, families_[index].name, &handle), what);
}

int64_t RocksStore::SizeBytes() {
  int64_t total = 0;
  for (auto* handle : handles_) {
    uint64_t files = 0;
    uint64_t memory = 0;
    db_->GetIntProperty(handle, rocksdb::DB::Properties::kTotalSstFilesSize, &files);
    db_->GetIntProperty(handle, rocksdb::DB::Properties::kCurSizeAllMemTables, &memory);
    total += static_cast<int64_t>(files + memory);
  }
  return total;
}

rocksdb::WriteOptions SyncedWrite() {
  rocksdb::WriteOptions options;
  options.sync = true;
  return options;
}

std::string BigEndian64(uint64_t value) {
  std::string bytes(8, '\0');
  for (int i = 7; i >= 0; --i, value >>= 8) bytes[static_cast<size_t>(i)] = static_cast<char>(value & 0xff);
  return bytes;
}

uint64_t ReadBigEndian64(absl::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace kernelsmith::common
