#include "common/content_store.h"

#include <sys/stat.h>
#include <utime.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

constexpr absl::string_view kScheme = "sha256:";

}  // namespace

std::string DigestOf(absl::string_view content) { return absl::StrCat(kScheme, Sha256Hex(content)); }

absl::StatusOr<ContentStore> ContentStore::Open(std::string folder) {
  RETURN_IF_ERROR(MakeFolders(folder));
  return ContentStore(std::move(folder));
}

absl::StatusOr<std::string> ContentStore::PathOf(absl::string_view digest) const {
  absl::string_view hex = digest;
  if (!absl::ConsumePrefix(&hex, kScheme) || hex.size() != 64 ||
      hex.find_first_not_of("0123456789abcdef") != absl::string_view::npos) {
    return InvalidField("digest", absl::StrCat("'", digest, "' is not \"sha256:\" and 64 hexadecimal digits"));
  }
  return absl::StrCat(folder_, "/", hex.substr(0, 2), "/", hex);
}

absl::StatusOr<v1::ArtifactRef> ContentStore::Put(absl::string_view content, absl::string_view name,
                                                  absl::string_view media_type) const {
  v1::ArtifactRef ref;
  ref.set_digest(DigestOf(content));
  ref.set_size_bytes(static_cast<int64_t>(content.size()));
  ref.set_name(std::string(name));
  ref.set_media_type(std::string(media_type));
  ASSIGN_OR_RETURN(const std::string path, PathOf(ref.digest()));
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && info.st_size == ref.size_bytes()) {
    utime(path.c_str(), nullptr);
    return ref;
  }
  RETURN_IF_ERROR(MakeFolders(std::filesystem::path(path).parent_path().string()));
  RETURN_IF_ERROR(WriteFileDurably(path, content));
  return ref;
}

absl::StatusOr<std::string> ContentStore::Get(absl::string_view digest) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(digest));
  auto content = ReadFile(path);
  if (!content.ok()) return Annotate(content.status(), absl::StrCat("artifact ", digest));
  if (DigestOf(*content) != digest) {
    return absl::DataLossError(
        absl::StrCat("artifact ", digest, " is damaged on disk; restore ", path, " from a backup"));
  }
  return content;
}

bool ContentStore::Contains(absl::string_view digest) const {
  const auto path = PathOf(digest);
  struct stat info;
  return path.ok() && stat(path->c_str(), &info) == 0;
}

ContentStore::Collected ContentStore::Collect(absl::Time now, absl::Duration age,
                                              const absl::flat_hash_set<std::string>& referenced) const {
  Collected collected;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    struct stat info;
    const std::string path = it->path().string();
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (absl::FromUnixSeconds(info.st_mtime) > now - age) continue;
    if (referenced.contains(absl::StrCat(kScheme, it->path().filename().string()))) continue;
    std::error_code ignored;  // another process may have removed it first
    if (std::filesystem::remove(it->path(), ignored)) {
      ++collected.files;
      collected.bytes += info.st_size;
    }
  }
  return collected;
}

}  // namespace kernelsmith::common
