// Token counts by content, so that a text is not sent to a tokenizer twice. The same specification, code and items come
// back in every round.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/mutex.h"

namespace kernelsmith::memory {

// Thread-safe. Keeps the `capacity` counts that were used last.
class CountCache {
 public:
  explicit CountCache(size_t capacity) : capacity_(capacity) {}

  // By SHA-256 of the text.
  static std::string KeyOf(absl::string_view text);

  std::optional<int64_t> Get(const std::string& key);
  void Put(const std::string& key, int64_t tokens);

 private:
  using Entry = std::pair<std::string, int64_t>;

  const size_t capacity_;
  common::Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the one used last first
  absl::flat_hash_map<std::string, std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::memory
