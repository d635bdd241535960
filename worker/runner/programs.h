// Programs of ours that run inside jails, and what a jail can read of them.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelsmith::worker {

// `given` if it is not empty, else the program beside this one, or in ../bin or ../libexec of its folder.
// FAILED_PRECONDITION if it is in none of them.
absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& given);

// A jail may run under a user id of its own: whether all users have these rights (S_IROTH, S_IXOTH). NOT_FOUND,
// FAILED_PRECONDITION.
absl::Status CheckReadableByAll(const std::string& path, mode_t mode);

// Folder of the running program.
std::string FolderOfThisProgram();

}  // namespace kernelsmith::worker
