#include "worker/reference/variant_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

int64_t BytesOf(const Variant& variant) {
  return variant.inputs.memory().size() + variant.expected.values.memory().size();
}

}  // namespace

std::shared_ptr<const Variant> VariantStore::Find(const std::string& key) {
  common::MutexLock lock(mutex_);
  for (auto entry = recent_.begin(); entry != recent_.end(); ++entry) {
    if (entry->key != key) continue;
    recent_.splice(recent_.begin(), recent_, entry);
    return recent_.front().variant;
  }
  return nullptr;
}

void VariantStore::Keep(const std::string& key, std::shared_ptr<const Variant> variant) {
  common::MutexLock lock(mutex_);
  recent_.push_front({key, std::move(variant)});
  int64_t total = 0;
  for (auto entry = recent_.begin(); entry != recent_.end();) {
    total += BytesOf(*entry->variant);
    entry = total > memory_bytes_ ? recent_.erase(entry) : std::next(entry);
  }
}

absl::StatusOr<std::shared_ptr<const Variant>> VariantStore::Get(
    const v1::TaskCase& task_case, const VariantKey& key, absl::string_view secret,
    absl::FunctionRef<absl::StatusOr<Reference*>()> reference, TimeLimit& limit, std::stop_token stop) {
  const std::string name = VariantDigest(secret, key);
  if (auto found = Find(name)) return found;
  if (std::optional<Variant> stored = cache_.Load(task_case, key, secret)) {
    auto variant = std::make_shared<const Variant>(*std::move(stored));
    Keep(name, variant);
    return variant;
  }
  ASSIGN_OR_RETURN(Reference* const source, reference());
  Variant made;
  ASSIGN_OR_RETURN(made.inputs, source->Draw(task_case, VariantSeed(secret, key), limit, stop));
  ASSIGN_OR_RETURN(made.expected, source->Expect(task_case, made.inputs, limit, stop));
  if (absl::Status stored = cache_.Store(made, key, secret); !stored.ok()) {
    common::LogWarning("reference.cache_not_written", {{"error", std::string(stored.message())}});
  }
  auto variant = std::make_shared<const Variant>(std::move(made));
  Keep(name, variant);
  return variant;
}

}  // namespace kernelsmith::worker
