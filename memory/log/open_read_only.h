// Opens a store to read it, without a lock and without changing anything in its folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/rocks.h"

namespace kernelsmith::memory {

class ReadOnlyStore {
 public:
  // Opens those of the known families that are there. `recovery` says what to do with damage in the write-ahead log.
  static absl::StatusOr<std::unique_ptr<ReadOnlyStore>> Open(const std::string& folder,
                                                             rocksdb::WALRecoveryMode recovery);
  ~ReadOnlyStore();
  ReadOnlyStore(const ReadOnlyStore&) = delete;
  ReadOnlyStore& operator=(const ReadOnlyStore&) = delete;

  rocksdb::DB& db() { return *db_; }
  // By the numbers of store_families.h; null if the store has no such family.
  rocksdb::ColumnFamilyHandle* family(size_t index) { return families_[index]; }

 private:
  ReadOnlyStore() = default;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;   // all of them, owned
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // by number
};

}  // namespace kernelsmith::memory
