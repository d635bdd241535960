// Starting child processes from a program with threads: everything is prepared before fork, and the child only makes
// async-signal-safe calls before exec.
//
//   ASSIGN_OR_RETURN(pid_t pid, SpawnChild({.arguments = {"/usr/bin/make"}, .output_file = "make.log"}));
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::client {

struct ChildOptions {
  std::vector<std::string> arguments;              // the program first; looked up in PATH if it has no slash
  std::map<std::string, std::string> environment;  // added to this process's
  std::string output_file;                         // stdout and stderr are appended here; empty: inherited
  int output_fd = -1;                              // or go to this descriptor
  bool foreground = false;                         // takes the terminal, if there is one
};

// The child leads a process group of its own, has no signal blocked, and is killed when the thread that started it
// ends. Errors of exec are returned: NOT_FOUND if there is no such program.
absl::StatusOr<pid_t> SpawnChild(const ChildOptions& options);

// 0 to 255: the exit code, or 128 + signal.
int ExitCodeOfWait(int wait_status);

// "ended with code 3", "was killed by signal 9 (Killed)"
std::string DescribeWait(int wait_status);

}  // namespace kernelsmith::client
