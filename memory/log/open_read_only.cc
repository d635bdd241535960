#include "memory/log/open_read_only.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {

absl::StatusOr<std::unique_ptr<ReadOnlyStore>> ReadOnlyStore::Open(const std::string& folder,
                                                                   rocksdb::WALRecoveryMode recovery) {
  rocksdb::Options options = StoreOptions();
  options.create_if_missing = false;
  options.create_missing_column_families = false;
  options.wal_recovery_mode = recovery;
  const std::string what = absl::StrCat("cannot read the store in ", folder);
  std::vector<std::string> names;
  RETURN_IF_ERROR(common::FromRocks(rocksdb::DB::ListColumnFamilies(options, folder, &names), what));
  const std::vector<common::RocksFamily> known = StoreFamilies({});
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) descriptors.emplace_back(name, rocksdb::ColumnFamilyOptions());

  auto store = std::unique_ptr<ReadOnlyStore>(new ReadOnlyStore);
  rocksdb::DB* db = nullptr;
  RETURN_IF_ERROR(
      common::FromRocks(rocksdb::DB::OpenForReadOnly(options, folder, descriptors, &store->handles_, &db), what));
  store->db_.reset(db);
  for (const common::RocksFamily& family : known) {
    const auto place = std::find(names.begin(), names.end(), family.name);
    store->families_.push_back(place == names.end() ? nullptr : store->handles_[place - names.begin()]);
  }
  return store;
}

ReadOnlyStore::~ReadOnlyStore() {
  if (!db_) return;
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
}

}  // namespace kernelsmith::memory
