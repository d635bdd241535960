// What a jail with a user id of its own owns: its work folder, and in the weakest isolation its processes.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"

namespace kernelsmith::worker {

// Makes uid the owner of the folder and of everything in it. Does not follow links.
absl::Status GiveFolderTo(const std::string& folder, uid_t uid);

// Kills every process of that user, again and again until there is none. For jails without a pid namespace.
void KillProcessesOf(uid_t uid);

}  // namespace kernelsmith::worker
