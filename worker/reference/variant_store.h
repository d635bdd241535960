// Variants by key: from memory, from disk, else from the reference.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/mutex.h"
#include "worker/reference/variant_cache.h"

namespace kernelsmith::worker {

// Thread-safe.
class VariantStore {
 public:
  VariantStore(VariantCache cache, int64_t memory_bytes) : cache_(std::move(cache)), memory_bytes_(memory_bytes) {}

  // `reference` is called only when the variant is in neither memory nor cache. Errors are those of the reference.
  absl::StatusOr<std::shared_ptr<const Variant>> Get(const v1::TaskCase& task_case, const VariantKey& key,
                                                     absl::string_view secret,
                                                     absl::FunctionRef<absl::StatusOr<Reference*>()> reference,
                                                     TimeLimit& limit, std::stop_token stop = {});

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Variant> variant;
  };
  std::shared_ptr<const Variant> Find(const std::string& key);
  void Keep(const std::string& key, std::shared_ptr<const Variant> variant);

  const VariantCache cache_;
  const int64_t memory_bytes_;
  common::Mutex mutex_;
  std::list<Entry> recent_ GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace kernelsmith::worker
