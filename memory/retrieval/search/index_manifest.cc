#include "memory/retrieval/search/index_manifest.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr char kFile[] = "manifest";
constexpr size_t kChecksumDigits = 64;

}  // namespace

// The file: 64 hexadecimal digits, the SHA-256 of the rest, and the serialised message.
absl::StatusOr<IndexManifest> ReadManifest(const std::string& folder) {
  absl::StatusOr<std::string> bytes = common::ReadFile(absl::StrCat(folder, "/", kFile));
  if (absl::IsNotFound(bytes.status())) return IndexManifest();
  RETURN_IF_ERROR(bytes.status());
  const std::string checksum = bytes->substr(0, kChecksumDigits);
  const std::string content = bytes->size() > kChecksumDigits ? bytes->substr(kChecksumDigits) : "";
  IndexManifest manifest;
  if (common::Sha256Hex(content) != checksum || !manifest.ParseFromString(content)) {
    return absl::DataLossError(absl::StrCat("the manifest of the search index in ", folder,
                                            " is damaged; the index is built again from the log"));
  }
  if (manifest.format() > kIndexFormat) {
    return absl::FailedPreconditionError(absl::StrCat("the search index in ", folder, " has format ", manifest.format(),
                                                      ", this program knows up to ", kIndexFormat,
                                                      "; use the newer program that wrote it"));
  }
  return manifest;
}

absl::Status WriteManifest(const std::string& folder, IndexManifest manifest) {
  manifest.set_format(kIndexFormat);
  const std::string content = manifest.SerializeAsString();
  return common::WriteFileDurably(absl::StrCat(folder, "/", kFile), absl::StrCat(common::Sha256Hex(content), content));
}

void RemoveOtherFiles(const std::string& folder, const IndexManifest& manifest) {
  std::set<std::string> kept = {kFile};
  for (const auto& segment : manifest.lexical()) kept.insert(segment.file());
  for (const auto& segment : manifest.vectors()) kept.insert(segment.file());
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!kept.contains(entry->path().filename().string())) std::filesystem::remove(entry->path(), ignored);
  }
}

}  // namespace kernelsmith::memory
