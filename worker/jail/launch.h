// Starts a child process from a multi-threaded program: between vfork and exec only system calls run. All children are
// made by one thread that lives as long as the program, because PR_SET_PDEATHSIG ends a child with the *thread* that
// made it.
//
// Example:
//   LaunchPlan plan;
//   plan.argv = {"/usr/bin/true"};
//   plan.fds = {{null_fd, 0}, {out, 1}, {err, 2}};
//   absl::StatusOr<pid_t> pid = Launch(plan);   // the caller waits for it
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::worker {

struct LaunchPlan {
  std::vector<std::string> argv;                      // argv[0] is an absolute path
  std::vector<std::string> env;                       // NAME=value, the whole environment
  std::vector<std::pair<int, int>> fds;               // descriptor here, descriptor there; all others are closed
  std::vector<std::pair<int, struct rlimit>> limits;  // resource, limit
  std::string folder;                                 // current directory; empty: "/"
  bool die_with_parent = false;                       // send SIGKILL to the child when this process dies
};

// The child leads a session of its own, has default signal dispositions, is the first choice of the out-of-memory
// killer, and is killed when this process dies. NOT_FOUND, PERMISSION_DENIED, ... if the program cannot be executed.
absl::StatusOr<pid_t> Launch(const LaunchPlan& plan);

}  // namespace kernelsmith::worker
