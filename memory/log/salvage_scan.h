// Reads a family of records from a damaged database: what can be read, past what cannot.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

// Key and value of one readable record, in no promised order.
using SalvageVisitor = std::function<void(absl::string_view key, absl::string_view value)>;

// Visits the records of `teams` in a family with FactKey keys. Where an iterator stops at damage, the numbers behind
// are asked for one by one up to `last_sequence`. False if something was unreadable.
bool SalvageRecords(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::set<std::string>& teams,
                    uint64_t last_sequence, const SalvageVisitor& visit);

// Visits what stands in a family before the first damage and behind the last one, from both ends. False if something
// was unreadable.
bool SalvageEnds(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const SalvageVisitor& visit);

}  // namespace kernelsmith::memory
