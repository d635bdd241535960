#include "worker/jail/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/mutex.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

// Everything the child needs, laid out before vfork.
struct Prepared {
  const char* program;
  std::vector<char*> argv;
  std::vector<char*> env;
  const std::vector<std::pair<int, int>>* fds;
  std::vector<int> copies;   // one per fd, filled by the child
  std::vector<int> targets;  // sorted
  int first_free = 3;        // above every target
  const std::vector<std::pair<int, struct rlimit>>* limits;
  const char* folder;
  bool die_with_parent;
  pid_t parent;
};

bool PlaceDescriptors(Prepared& p) {
  for (size_t i = 0; i < p.fds->size(); ++i) {
    p.copies[i] = ::fcntl((*p.fds)[i].first, F_DUPFD_CLOEXEC, p.first_free);
    if (p.copies[i] < 0) return false;
  }
  for (size_t i = 0; i < p.fds->size(); ++i) {
    if (::dup2(p.copies[i], (*p.fds)[i].second) < 0) return false;
  }
  int next = 0;
  for (const int target : p.targets) {
    if (target > next) ::syscall(SYS_close_range, next, target - 1, 0);
    next = target + 1;
  }
  return ::syscall(SYS_close_range, next, ~0U, 0) == 0;
}

void DieFirstWhenMemoryIsShort() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(fd, "1000", 4);
  ::close(fd);
}

// Runs in the child, in the parent's memory: system calls only. Returns errno; success does not return.
int BecomeProgram(Prepared& p) {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  ::setsid();
  if (p.die_with_parent && (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != p.parent)) return ESRCH;
  DieFirstWhenMemoryIsShort();
  if (!PlaceDescriptors(p)) return errno;
  if (::chdir(p.folder) != 0) return errno;
  for (const auto& [resource, limit] : *p.limits) {
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return errno;
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(p.program, p.argv.data(), p.env.data());
  return errno;
}

// The child reports a failure through the memory it shares with its parent until exec.
[[gnu::noinline]] pid_t Fork(Prepared& prepared, volatile int* failure) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) {
    *failure = BecomeProgram(prepared);
    ::_exit(127);
  }
  if (pid < 0) *failure = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

class Launcher {
 public:
  Launcher() {
    std::thread([this] { Run(); }).detach();
  }

  pid_t Start(Prepared& prepared, int* failure) {
    Request request{&prepared};
    common::MutexLock lock(mutex_);
    requests_.push_back(&request);
    changed_.NotifyAll();
    while (!request.done) changed_.Wait(mutex_);
    *failure = request.failure;
    return request.pid;
  }

 private:
  struct Request {
    Prepared* prepared;
    pid_t pid = -1;
    int failure = 0;
    bool done = false;
  };

  [[noreturn]] void Run() {
    ::pthread_setname_np(::pthread_self(), "jail-launcher");
    while (true) {
      Request* const request = Next();
      volatile int failure = 0;
      const pid_t pid = Fork(*request->prepared, &failure);
      common::MutexLock lock(mutex_);
      request->pid = pid;
      request->failure = failure;
      request->done = true;
      changed_.NotifyAll();
    }
  }

  Request* Next() {
    common::MutexLock lock(mutex_);
    while (requests_.empty()) changed_.Wait(mutex_);
    Request* const request = requests_.front();
    requests_.pop_front();
    return request;
  }

  common::Mutex mutex_;
  common::CondVar changed_;
  std::deque<Request*> requests_ GUARDED_BY(mutex_);
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<pid_t> Launch(const LaunchPlan& plan) {
  static Launcher& launcher = *new Launcher();  // lives as long as its thread: to the end of the program
  Prepared prepared;
  prepared.program = plan.argv[0].c_str();
  prepared.argv = Pointers(plan.argv);
  prepared.env = Pointers(plan.env);
  prepared.fds = &plan.fds;
  prepared.copies.resize(plan.fds.size());
  for (const auto& [here, there] : plan.fds) prepared.targets.push_back(there);
  std::sort(prepared.targets.begin(), prepared.targets.end());
  if (!prepared.targets.empty()) prepared.first_free = std::max(3, prepared.targets.back() + 1);
  prepared.limits = &plan.limits;
  prepared.folder = plan.folder.empty() ? "/" : plan.folder.c_str();
  prepared.die_with_parent = plan.die_with_parent;
  prepared.parent = ::getpid();

  int failure = 0;
  const pid_t pid = launcher.Start(prepared, &failure);
  if (failure == 0) return pid;
  if (pid > 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return common::ErrnoStatus(failure, absl::StrCat("cannot start ", plan.argv[0]));
}

}  // namespace kernelsmith::worker
