#include "worker/emulator/driver/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

extern char** environ;

namespace kernelsmith::emulator {
namespace {

int received_signal = 0;

sigset_t WaitedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

// Without PWD: clang would prefer it to the folder's real name, which is what the overlay speaks of.
std::vector<char*> ChildEnvironment() {
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "PWD=", 4) != 0) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  return environment;
}

}  // namespace

InterruptScope::InterruptScope() {
  const sigset_t set = WaitedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int InterruptScope::Received() { return received_signal; }

absl::StatusOr<Child> Child::Start(const Command& command) {
  int ends[2] = {-1, -1};
  if (command.feeds_stdin && pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no pipe: ", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (command.feeds_stdin) {
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  if (!command.stderr_file.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, command.stderr_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words = command.argv;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> environment = ChildEnvironment();
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (ends[0] >= 0) close(ends[0]);
  if (error != 0) {
    if (ends[1] >= 0) close(ends[1]);
    return absl::NotFoundError(absl::StrCat("cannot run ", command.argv[0], ": ", std::strerror(error)));
  }
  return Child(pid, ends[1]);
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)), stdin_(std::exchange(other.stdin_, -1)) {}

Child::~Child() {
  if (stdin_ >= 0) close(stdin_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::Feed(const std::string& bytes) {
  for (size_t written = 0; written < bytes.size();) {
    const ssize_t n = write(stdin_, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) written += static_cast<size_t>(n);
  }
  close(std::exchange(stdin_, -1));
}

absl::StatusOr<int> Child::Wait() {
  const sigset_t set = WaitedSignals();
  while (true) {
    int status = 0;
    const pid_t done = waitpid(pid_, &status, WNOHANG);
    if (done == pid_) {
      pid_ = 0;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (done < 0 && errno != EINTR) return absl::InternalError(absl::StrCat("waitpid: ", std::strerror(errno)));
    const int number = sigwaitinfo(&set, nullptr);
    if (number > 0 && number != SIGCHLD) {
      received_signal = number;
      return absl::CancelledError("interrupted");
    }
  }
}

absl::StatusOr<int> Run(const Command& command) {
  absl::StatusOr<Child> child = Child::Start(command);
  if (!child.ok()) return child.status();
  return child->Wait();
}

absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& compiled_in) {
  const char* path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (folder.empty()) continue;
    std::string candidate = absl::StrCat(folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  if (access(compiled_in.c_str(), X_OK) == 0) return compiled_in;
  return absl::NotFoundError(absl::StrCat("'", name, "' is neither in PATH nor at ", compiled_in,
                                          "; install the packages clang-16 and lld-16"));
}

}  // namespace kernelsmith::emulator
