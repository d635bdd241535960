// Programs the driver runs. Signals that ask the driver to stop are blocked while it works and answered while it waits
// for a child: the child is ended, the wait says CANCELLED, folders are removed on the way out, and main() dies of the
// signal.
//
// Example:
//   InterruptScope interrupts;
//   StatusOr<Child> child = Child::Start({.argv = {"/usr/bin/clang-16", "--version"}});
//   StatusOr<int> code = child->Wait();
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

// One at a time, in main().
class InterruptScope {
 public:
  InterruptScope();
  // The signal that cancelled a wait, or 0.
  static int Received();
};

struct Command {
  std::vector<std::string> argv;  // argv[0] is a path
  std::string stderr_file;        // empty: the driver's own
  bool feeds_stdin = false;
};

class Child {
 public:
  static absl::StatusOr<Child> Start(const Command& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Ends and collects a child that was not waited for.
  ~Child();

  // Writes to the child's standard input and closes it. A child that does not read is no error.
  void Feed(const std::string& bytes);
  // Its exit code; 128 + signal for one that was killed. CANCELLED: the driver was asked to stop.
  absl::StatusOr<int> Wait();

 private:
  Child(pid_t pid, int stdin_fd) : pid_(pid), stdin_(stdin_fd) {}
  pid_t pid_;
  int stdin_;
};

// Start and wait.
absl::StatusOr<int> Run(const Command& command);

// `name` as an executable of PATH, else `compiled_in`. NOT_FOUND names both.
absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& compiled_in);

}  // namespace kernelsmith::emulator
