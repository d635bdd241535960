#include "server/data_folder.h"

#include <openssl/rand.h>

#include <filesystem>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/ids.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr char kProducerPrefix[] = "coordinator";

absl::StatusOr<std::string> ReadOrMake(const std::string& path,
                                       const std::function<absl::StatusOr<std::string>()>& make) {
  if (std::filesystem::exists(path)) return common::ReadFile(path);
  ASSIGN_OR_RETURN(const std::string content, make());
  RETURN_IF_ERROR(common::WriteFileDurably(path, content));
  return content;
}

absl::StatusOr<std::string> RandomSecret() {
  std::string secret(kSecretBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), kSecretBytes) == 1) return secret;
  return absl::InternalError("the system gives no random bytes for the input secret");
}

}  // namespace

absl::StatusOr<DataFolder> DataFolder::Open(const std::string& path) {
  RETURN_IF_ERROR(common::MakeFolders(path));
  DataFolder folder;
  ASSIGN_OR_RETURN(folder.producer, ReadOrMake(path + "/producer", []() -> absl::StatusOr<std::string> {
                     return common::ShortId(kProducerPrefix);
                   }));
  ASSIGN_OR_RETURN(folder.input_secret, ReadOrMake(path + "/input_secret", RandomSecret));
  if (!absl::StartsWith(folder.producer, kProducerPrefix)) {
    return absl::DataLossError(absl::StrCat(path, "/producer does not name a coordinator; restore it from a backup"));
  }
  if (folder.input_secret.size() != kSecretBytes) {
    return absl::DataLossError(
        absl::StrCat(path, "/input_secret is not ", kSecretBytes, " bytes long; restore it from a backup"));
  }
  return folder;
}

}  // namespace kernelsmith::server
