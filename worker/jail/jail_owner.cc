#include "worker/jail/jail_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

std::vector<pid_t> ProcessesOfUser(uid_t uid) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    pid_t pid = 0;
    struct stat info = {};
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    if (::stat(entry.path().c_str(), &info) == 0 && info.st_uid == uid) found.push_back(pid);
  }
  return found;
}

}  // namespace

absl::Status GiveFolderTo(const std::string& folder, uid_t uid) {
  const auto give = [uid](const std::string& path) -> absl::Status {
    if (::lchown(path.c_str(), uid, uid) == 0 || errno == ENOENT) return absl::OkStatus();
    return common::ErrnoStatus(errno, absl::StrCat("cannot give ", path, " to a jail"));
  };
  RETURN_IF_ERROR(give(folder));
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    RETURN_IF_ERROR(give(entry.path().string()));
  }
  return absl::OkStatus();
}

void KillProcessesOf(uid_t uid) {
  constexpr int kRounds = 1000;  // a fork bomb is outrun: it has as many processes as its limit allows
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<pid_t> found = ProcessesOfUser(uid);
    if (found.empty()) return;
    for (const pid_t pid : found) ::kill(pid, SIGKILL);
  }
}

}  // namespace kernelsmith::worker
