// Variants on disk, so that no reference runs twice for the same inputs, in this worker or another of the host. One
// file per variant, named by everything it depends on; written beside and renamed, so readers see whole files only. The
// least recently used go first when the cache is over its size.
//
// File: "KSVAR001", uint32 length and uint64 checksum of a JSON header, the header, the block of inputs, the block of
// expected outputs. The header holds sizes and checksums of both blocks, and the error figures. Little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/reference/seeds.h"
#include "worker/reference/variant.h"

namespace kernelsmith::worker {

// Thread-safe; several processes may share the folder.
class VariantCache {
 public:
  // The folder is created when something is stored. max_bytes 0 stores nothing.
  VariantCache(std::string folder, int64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // Absent if it is not there, or damaged (then it is removed).
  std::optional<Variant> Load(const v1::TaskCase& task_case, const VariantKey& key, absl::string_view secret) const;
  // A full disk is no error of the caller's work: log it and go on.
  absl::Status Store(const Variant& variant, const VariantKey& key, absl::string_view secret) const;

 private:
  std::string PathOf(const VariantKey& key, absl::string_view secret) const;
  void Evict() const;

  const std::string folder_;
  const int64_t max_bytes_;
};

}  // namespace kernelsmith::worker
