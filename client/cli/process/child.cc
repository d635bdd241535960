#include "client/cli/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

// Strings for execvpe: this process's environment with the additions.
std::vector<std::string> MergedEnvironment(const std::map<std::string, std::string>& additions) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (!additions.contains(text.substr(0, text.find('=')))) merged.push_back(text);
  }
  for (const auto& [name, value] : additions) merged.push_back(absl::StrCat(name, "=", value));
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Prepared {
  char** arguments;
  char** environment;
  int output = -1;
  int error_pipe = -1;
  bool foreground = false;
  pid_t parent = 0;
};

// Between fork and exec. Only async-signal-safe calls.
[[noreturn]] void BecomeProgram(const Prepared& prepared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != prepared.parent) _exit(127);
  setpgid(0, 0);
  signal(SIGTTOU, SIG_IGN);
  if (prepared.foreground) tcsetpgrp(STDIN_FILENO, getpid());
  for (const int number : {SIGTTOU, SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) signal(number, SIG_DFL);
  if (prepared.output >= 0) {
    dup2(prepared.output, STDOUT_FILENO);
    dup2(prepared.output, STDERR_FILENO);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(prepared.arguments[0], prepared.arguments, prepared.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(prepared.error_pipe, &error, sizeof error);
  _exit(127);
}

}  // namespace

absl::StatusOr<pid_t> SpawnChild(const ChildOptions& options) {
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = MergedEnvironment(options.environment);
  std::vector<char*> argument_pointers = Pointers(arguments);
  std::vector<char*> environment_pointers = Pointers(environment);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return common::ErrnoStatus(errno, "cannot make a pipe");
  const absl::Cleanup close_reader = [&ends] { close(ends[0]); };
  int log = -1;
  if (!options.output_file.empty()) {
    log = open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0) {
      const int error = errno;
      close(ends[1]);
      return common::ErrnoStatus(error, absl::StrCat("cannot open ", options.output_file));
    }
  }
  const Prepared prepared{.arguments = argument_pointers.data(),
                          .environment = environment_pointers.data(),
                          .output = log >= 0 ? log : options.output_fd,
                          .error_pipe = ends[1],
                          .foreground = options.foreground && isatty(STDIN_FILENO) == 1,
                          .parent = getpid()};
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(prepared);
  const int fork_error = errno;
  close(ends[1]);
  if (log >= 0) close(log);
  if (pid < 0) return common::ErrnoStatus(fork_error, absl::StrCat("cannot start ", arguments[0]));
  setpgid(pid, pid);  // here too, so that the group exists when this function returns
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(ends[0], &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return pid;  // the pipe closed on exec
  waitpid(pid, nullptr, 0);
  return common::ErrnoStatus(error, absl::StrCat("cannot run ", arguments[0]));
}

int ExitCodeOfWait(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string DescribeWait(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return absl::StrCat("ended with code ", WEXITSTATUS(wait_status));
  return absl::StrCat("was killed by signal ", WTERMSIG(wait_status), " (", strsignal(WTERMSIG(wait_status)), ")");
}

}  // namespace kernelsmith::client
