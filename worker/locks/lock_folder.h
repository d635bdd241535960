// The folder of the host-wide locks. Workers of several users share it, so it is open to everybody and sticky, like
// /tmp: anyone may add a lock file, only its owner may remove it.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace kernelsmith::worker {

// Where workers lock that are not told otherwise: kernelsmith-locks in the folder for temporary files (TMPDIR, else
// /tmp). All of one host must agree on it.
std::string DefaultLockFolder();

// Makes the folder and its parents; leaves one that is there as it is.
absl::Status MakeLockFolder(const std::string& path);

}  // namespace kernelsmith::worker
