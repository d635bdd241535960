// Opens RocksDB the way every store of the project does: column families created on demand, checksums on, a torn tail
// of the log tolerated after a crash, damage in the middle refused. RocksDB's warnings are lines of the program's log.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelsmith::common {

// A column family besides the default one.
struct RocksFamily {
  std::string name;
  rocksdb::ColumnFamilyOptions options;
};

// Options that every store shares.
rocksdb::Options RocksOptions();

// An open database. Closing it happens in the destructor.
class RocksStore {
 public:
  // Opens or creates `path` with these column families besides the default one. `format` is stamped at creation; a
  // database stamped with a greater one is refused with FAILED_PRECONDITION, an older one is left for the caller to
  // upgrade. UNAVAILABLE if another process has it open, DATA_LOSS if it is damaged.
  static absl::StatusOr<std::unique_ptr<RocksStore>> Open(const std::string& path,
                                                          const std::vector<std::string>& families, uint32_t format);
  // As above with options of the caller's, which start from RocksOptions().
  static absl::StatusOr<std::unique_ptr<RocksStore>> Open(const std::string& path,
                                                          const std::vector<RocksFamily>& families, uint32_t format,
                                                          const rocksdb::DBOptions& options);
  ~RocksStore();
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;

  rocksdb::DB& db() { return *db_; }
  // REQUIRES: index < families.size() of Open.
  rocksdb::ColumnFamilyHandle* family(size_t index) { return handles_[index + 1]; }
  uint32_t stored_format() const { return stored_format_; }
  // Stamps the current format after an upgrade, and makes every earlier write durable.
  absl::Status StampFormat(uint32_t format);
  // Drops everything in a family at once. REQUIRES: index < families.size(); nobody uses the store meanwhile, and
  // nobody uses it after an error.
  absl::Status RecreateFamily(size_t index);
  int64_t SizeBytes();

 private:
  explicit RocksStore(std::vector<RocksFamily> families) : families_(std::move(families)) {}

  const std::vector<RocksFamily> families_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // default family first
  uint32_t stored_format_ = 0;
};

// Options of a write that must survive a power cut.
rocksdb::WriteOptions SyncedWrite();

absl::Status FromRocks(const rocksdb::Status& status, const std::string& what);

// Eight bytes, most significant first: sorts like the number.
std::string BigEndian64(uint64_t value);
// REQUIRES: at least eight bytes.
uint64_t ReadBigEndian64(absl::string_view bytes);

}  // namespace kernelsmith::common
