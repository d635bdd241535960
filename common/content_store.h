// Files by the SHA-256 of their content: prompts, replies, candidates, reports, logs. A file is complete or absent; the
// digest is checked on reading.
//
//   ASSIGN_OR_RETURN(v1::ArtifactRef ref, store.Put(text, "kernel.cpp", "text/x-c++src"));
//   ASSIGN_OR_RETURN(std::string text, store.Get(ref.digest()));
#pragma once

#include <functional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::common {

// Thread-safe; also between processes.
class ContentStore {
 public:
  static absl::StatusOr<ContentStore> Open(std::string folder);

  // Stores durably (write, fsync, rename). Storing again what is there costs a stat and renews its age.
  absl::StatusOr<v1::ArtifactRef> Put(absl::string_view content, absl::string_view name,
                                      absl::string_view media_type) const;
  // NOT_FOUND, or DATA_LOSS if the bytes do not match the digest.
  absl::StatusOr<std::string> Get(absl::string_view digest) const;
  bool Contains(absl::string_view digest) const;

  struct Collected {
    int64_t files = 0;
    int64_t bytes = 0;
  };
  // Removes files older than `age` whose digest is not in `referenced`, and abandoned temporary files.
  Collected Collect(absl::Time now, absl::Duration age, const absl::flat_hash_set<std::string>& referenced) const;

 private:
  explicit ContentStore(std::string folder) : folder_(std::move(folder)) {}
  absl::StatusOr<std::string> PathOf(absl::string_view digest) const;
  std::string folder_;
};

// "sha256:<hex>" of the content.
std::string DigestOf(absl::string_view content);

}  // namespace kernelsmith::common
