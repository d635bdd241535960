// The manifest of a search index: one small file that names the segments, replaced as a whole, so that a crash leaves
// the old or the new set of segments.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/storage/v1/index_manifest.pb.h"

namespace kernelsmith::memory {

using IndexManifest = storage::v1::IndexManifest;

constexpr uint32_t kIndexFormat = 1;

// Empty if there is none. DATA_LOSS if it is damaged, FAILED_PRECONDITION if a newer program wrote it.
absl::StatusOr<IndexManifest> ReadManifest(const std::string& folder);

absl::Status WriteManifest(const std::string& folder, IndexManifest manifest);

// Removes segments and unfinished files that the manifest does not name. A folder that cannot be read is left alone.
void RemoveOtherFiles(const std::string& folder, const IndexManifest& manifest);

}  // namespace kernelsmith::memory
