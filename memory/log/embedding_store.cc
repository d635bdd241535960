#include "memory/log/embedding_store.h"

#include <rocksdb/table_properties.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {
namespace {

static_assert(std::endian::native == std::endian::little, "the stored numbers are little endian");

constexpr char kFloats = 1;  // first byte of a value: binary32 numbers follow
constexpr size_t kDigits = 64;
constexpr int64_t kForgottenShare = 16;

// 32 bytes for 64 hexadecimal digits; empty for anything else.
std::string StoredKey(const std::string& key) {
  const bool digits =
      std::all_of(key.begin(), key.end(), [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
  return digits && key.size() == kDigits ? absl::HexStringToBytes(key) : "";
}

// A crash may take the latest along. The write-ahead log is the facts' alone: a full disk must not hit it here.
rocksdb::WriteOptions Unlogged() {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return options;
}

}  // namespace

// Counts from the tables themselves: RocksDB's own estimate leaves out those that were there when it was opened.
EmbeddingStore::EmbeddingStore(common::RocksStore& store, int64_t capacity) : store_(store), capacity_(capacity) {
  uint64_t in_memory = 0;
  store_.db().GetIntProperty(store_.family(kEmbeddings), rocksdb::DB::Properties::kNumEntriesActiveMemTable,
                             &in_memory);
  auto count = static_cast<int64_t>(in_memory);
  rocksdb::TablePropertiesCollection tables;
  if (store_.db().GetPropertiesOfAllTables(store_.family(kEmbeddings), &tables).ok()) {
    for (const auto& [file, table] : tables) {  // a deletion is an entry too, and takes another one away
      count += static_cast<int64_t>(table->num_entries) - 2 * static_cast<int64_t>(table->num_deletions);
    }
  }
  count_ = std::max<int64_t>(count, 0);
}

std::optional<Vector> EmbeddingStore::Get(const std::string& key) {
  const std::string stored = StoredKey(key);
  rocksdb::PinnableSlice value;
  if (stored.empty() || !store_.db().Get(rocksdb::ReadOptions(), store_.family(kEmbeddings), stored, &value).ok() ||
      value.empty() || value[0] != kFloats || (value.size() - 1) % sizeof(float) != 0) {
    return std::nullopt;
  }
  Vector vector((value.size() - 1) / sizeof(float));
  std::memcpy(vector.data(), value.data() + 1, value.size() - 1);
  return vector;
}

void EmbeddingStore::Put(const std::string& key, const Vector& vector) {
  const std::string stored = StoredKey(key);
  if (stored.empty()) return;
  rocksdb::PinnableSlice known;
  if (store_.db().Get(rocksdb::ReadOptions(), store_.family(kEmbeddings), stored, &known).ok()) return;
  std::string value(1 + vector.size() * sizeof(float), kFloats);
  std::memcpy(value.data() + 1, vector.data(), vector.size() * sizeof(float));
  if (!store_.db().Put(Unlogged(), store_.family(kEmbeddings), stored, value).ok()) return;
  if (++count_ > capacity_) Forget(std::string(stored.rbegin(), stored.rend()));
}

// Keys are hashes, so those behind any place are a random choice, and a hash read backwards is a random place.
void EmbeddingStore::Forget(const std::string& from) {
  const int64_t wanted = (capacity_ + kForgottenShare - 1) / kForgottenShare;
  count_ -= wanted;  // before they are gone, so that other threads do not forget them too
  rocksdb::WriteBatch batch;
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it(store_.db().NewIterator(options, store_.family(kEmbeddings)));
  for (it->Seek(from); batch.Count() < wanted; it->Next()) {
    if (!it->Valid()) it->SeekToFirst();
    if (!it->Valid()) break;
    batch.Delete(store_.family(kEmbeddings), it->key());
  }
  if (!store_.db().Write(Unlogged(), &batch).ok()) count_ += wanted;
}

}  // namespace kernelsmith::memory
