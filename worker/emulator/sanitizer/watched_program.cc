#include "worker/emulator/sanitizer/watched_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace kernelsmith::emulator {
namespace {

// A named pipe in a folder of its own; both go with this object.
class NamedPipe {
 public:
  absl::Status Open() {
    const char* base = std::getenv("TMPDIR");
    folder_ = absl::StrCat(base == nullptr || *base == '\0' ? "/tmp" : base, "/mssanitizer-XXXXXX");
    if (::mkdtemp(folder_.data()) == nullptr) {
      folder_.clear();
      return absl::InternalError(absl::StrCat("no temporary folder: ", std::strerror(errno), "; set TMPDIR"));
    }
    path_ = folder_ + "/findings";
    if (::mkfifo(path_.c_str(), 0600) != 0) return absl::InternalError(absl::StrCat("no pipe: ", std::strerror(errno)));
    fd_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return fd_ >= 0 ? absl::OkStatus() : absl::InternalError(absl::StrCat("no pipe: ", std::strerror(errno)));
  }
  ~NamedPipe() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
    if (!folder_.empty()) ::rmdir(folder_.c_str());
  }
  const std::string& path() const { return path_; }
  int fd() const { return fd_; }

 private:
  std::string folder_;
  std::string path_;
  int fd_ = -1;
};

// Takes what is there. True while somebody has the pipe open for writing.
bool Read(int fd, std::string& rest, const std::function<void(const std::string&)>& take) {
  char part[65536];
  for (;;) {
    const ssize_t got = ::read(fd, part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 && errno == EAGAIN;
    rest.append(part, static_cast<size_t>(got));
    size_t begin = 0;
    for (size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take(rest.substr(begin, end - begin));
    }
    rest.erase(0, begin);
  }
}

}  // namespace

absl::StatusOr<int> RunWatched(const std::vector<std::string>& program,
                               const std::function<void(const std::string& line)>& take) {
  NamedPipe pipe;
  if (absl::Status opened = pipe.Open(); !opened.ok()) return opened;
  ::setenv("KERNELSMITH_EMULATED_FINDINGS", pipe.path().c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : program) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (const int error = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ); error != 0) {
    return absl::NotFoundError(absl::StrCat("cannot start ", program[0], ": ", std::strerror(error)));
  }
  std::string rest;
  int status = 0;
  bool running = true;
  bool writers = true;
  constexpr int kLookMs = 20;  // a pipe that nobody has open for writing cannot be waited for
  while (running || writers) {
    pollfd waiting{pipe.fd(), POLLIN, 0};
    ::poll(&waiting, 1, kLookMs);
    if ((waiting.revents & POLLHUP) != 0 && running) ::usleep(kLookMs * 1000);
    if (running && ::waitpid(pid, &status, WNOHANG) == pid) running = false;
    writers = Read(pipe.fd(), rest, take);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace kernelsmith::emulator
