#include "worker/jail/running_jail.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/mutex.h"
#include "common/status.h"
#include "worker/jail/handshake.h"
#include "worker/jail/isolation.h"
#include "worker/jail/jail_owner.h"
#include "worker/jail/launch.h"
#include "worker/jail/memory_exhaustion.h"
#include "worker/jail/output_drain.h"
#include "worker/jail/process_tree.h"

namespace kernelsmith::worker {
namespace {

class RunningJail final : public JailedProcess {
 public:
  RunningJail(Isolation isolation, const ResourceLimits& limits)
      : isolation_(isolation), output_(limits.output_bytes), errors_(limits.output_bytes) {}

  ~RunningJail() override {
    if (thread_.joinable()) {
      Kill();
      thread_.join();
    }
    for (const int fd : {program_handle_, init_handle_}) {
      if (fd >= 0) ::close(fd);
    }
  }

  absl::Status Begin(const JailSpec& spec) {
    RETURN_IF_ERROR(output_.Open());
    RETURN_IF_ERROR(errors_.Open());
    Handshake handshake;
    RETURN_IF_ERROR(handshake.Open());
    ASSIGN_OR_RETURN(const LaunchPlan plan, Plan(spec, handshake));
    ASSIGN_OR_RETURN(program_, Launch(plan));
    for (OutputDrain* drain : {&output_, &errors_}) drain->CloseWriteEnd();
    handshake.CloseTheirEnds();
    began_ = absl::Now();
    program_handle_ = static_cast<int>(::syscall(SYS_pidfd_open, program_, 0));
    const bool bubblewrap = isolation_ != Isolation::kRlimits;
    const pid_t root = bubblewrap ? handshake.AwaitInit() : program_;
    if (root > 0) {
      init_handle_ = static_cast<int>(::syscall(SYS_pidfd_open, root, 0));
      tree_.emplace(root, /*count_root=*/!bubblewrap);
    }
    thread_ = std::thread([this] { Drain(); });
    if (!bubblewrap || (root > 0 && handshake.OpenGate(root))) return absl::OkStatus();
    const ExitReport report = Wait(absl::Now());
    return absl::InternalError(absl::StrCat("the jail for ", spec.argv[0], " did not start: ", report.errors));
  }

  ExitReport Wait(absl::Time deadline) override {
    {
      common::MutexLock lock(mutex_);
      while (!finished_ && absl::Now() < deadline)
        changed_.WaitFor(mutex_, std::min(deadline - absl::Now(), absl::Hours(1)));
      if (finished_) return report_;
    }
    End(ExitKind::kDeadline);
    common::MutexLock lock(mutex_);
    return report_;
  }

  ExitReport Wait(TimeLimit& limit) override {
    const bool ended = AwaitWithin(limit, *this, [this](absl::Time until) {
      common::MutexLock lock(mutex_);
      while (!finished_ && absl::Now() < until) changed_.WaitUntil(mutex_, until);
      return finished_;
    });
    if (!ended) End(limit.starved() ? ExitKind::kStarved : ExitKind::kDeadline);
    common::MutexLock lock(mutex_);
    return report_;
  }

  bool Running() override {
    common::MutexLock lock(mutex_);
    return !finished_;
  }

  absl::Status Freeze() override {
    if (!tree_.has_value()) return absl::FailedPreconditionError("the jail never started");
    return tree_->Freeze();
  }

  absl::Status Thaw() override {
    if (tree_.has_value()) tree_->Thaw();
    return absl::OkStatus();
  }

  int CountTasks() override { return tree_.has_value() && Running() ? tree_->CountTasks() : 0; }

  ProcessorUse Use() override {
    if (!tree_.has_value() || !Running()) return {};
    return {.used = tree_->CpuTime(), .ready = tree_->AnyReady()};
  }

  void Kill() override { End(ExitKind::kKilled); }

 private:
  absl::StatusOr<LaunchPlan> Plan(const JailSpec& spec, const Handshake& handshake) {
    static std::atomic<int> turn{0};
    if (::geteuid() == 0 && isolation_ != Isolation::kBwrapUser) uid_ = JailUid(::getpid(), turn++);
    ASSIGN_OR_RETURN(const JailDescriptors descriptors, ChooseDescriptors(spec));
    ASSIGN_OR_RETURN(LaunchPlan plan, PlanJail(spec, isolation_, uid_, descriptors));
    if (uid_ != 0 && !spec.work_dir.empty()) RETURN_IF_ERROR(GiveFolderTo(spec.work_dir, uid_));
    plan.fds.insert(plan.fds.end(), {{handshake.null_fd(), 0}, {output_.write_fd(), 1}, {errors_.write_fd(), 2}});
    if (isolation_ != Isolation::kRlimits) {
      plan.fds.emplace_back(handshake.their_status(), descriptors.status);
      plan.fds.emplace_back(handshake.their_gate(), descriptors.gate);
    }
    return plan;
  }

  // The thread of this jail: takes output, and reaps the program when it ends.
  void Drain() {
    ::pthread_setname_np(::pthread_self(), "jail-drain");
    bool open = true;
    while (open) {
      pollfd fds[] = {{output_.ended() ? -1 : output_.read_fd(), POLLIN, 0},
                      {errors_.ended() ? -1 : errors_.read_fd(), POLLIN, 0},
                      {program_handle_, POLLIN, 0}};
      if (::poll(fds, 3, -1) < 0 && errno != EINTR) break;
      open = fds[2].revents == 0;
      for (OutputDrain* drain : {&output_, &errors_}) drain->Read();
      if (open && (output_.overflowed() || errors_.overflowed())) {
        Terminate(ExitKind::kOutputLimit);
        AwaitEnd(program_handle_);
        open = false;
      }
    }
    // bubblewrap may end before the jail's init has taken the rest of the jail with it.
    if (init_handle_ >= 0) {
      ::syscall(SYS_pidfd_send_signal, init_handle_, SIGKILL, nullptr, 0);
      AwaitEnd(init_handle_);
    }
    Finish();
  }

  static void AwaitEnd(int handle) {
    pollfd fd = {handle, POLLIN, 0};
    while (::poll(&fd, 1, -1) < 0 && errno == EINTR) {
    }
  }

  void Finish() {
    int status = 0;
    struct rusage usage = {};
    while (::wait4(program_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (isolation_ == Isolation::kRlimits && uid_ != 0) KillProcessesOf(uid_);
    ExitReport report;
    report.wall = absl::Now() - began_;
    report.peak_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
    report.output = output_.Take();
    report.errors = errors_.Take();
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // bubblewrap and setpriv pass a signal on as 128 + its number.
    constexpr int kSignalBase = 128;
    if (code > kSignalBase && code <= kSignalBase + SIGRTMAX) {
      report.kind = ExitKind::kSignalled;
      report.signal = code - kSignalBase;
    } else {
      report.code = code;
    }
    common::MutexLock lock(mutex_);
    if (reason_.has_value()) {
      report.kind = *reason_;
    } else if (LooksOutOfMemory(report)) {
      report.kind = ExitKind::kMemoryLimit;
    }
    report_ = std::move(report);
    finished_ = true;
    changed_.NotifyAll();
  }

  // Sends the end; does not wait. The first reason counts.
  void Terminate(ExitKind reason) {
    {
      common::MutexLock lock(mutex_);
      if (finished_) return;
      if (!reason_.has_value()) reason_ = reason;
    }
    if (isolation_ == Isolation::kRlimits && tree_.has_value()) tree_->KillAll();
    // The death of its init ends everything in a pid namespace, and the init is reaped only after that.
    const int handle = init_handle_ >= 0 ? init_handle_ : program_handle_;
    ::syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  }

  void End(ExitKind reason) {
    Terminate(reason);
    const absl::Time patience = absl::Now() + absl::Seconds(5);
    common::MutexLock lock(mutex_);
    while (!finished_) {
      changed_.WaitFor(mutex_, absl::Seconds(1));
      if (!finished_ && absl::Now() > patience) {
        ::syscall(SYS_pidfd_send_signal, program_handle_, SIGKILL, nullptr, 0);
      }
    }
  }

  const Isolation isolation_;
  uid_t uid_ = 0;
  pid_t program_ = -1;       // our child: bubblewrap, or the program itself
  int program_handle_ = -1;  // pidfd
  int init_handle_ = -1;     // pidfd of the first process inside
  absl::Time began_;
  OutputDrain output_;  // used by the thread alone once it runs
  OutputDrain errors_;
  std::optional<ProcessTree> tree_;
  std::thread thread_;

  common::Mutex mutex_;
  common::CondVar changed_;
  bool finished_ GUARDED_BY(mutex_) = false;
  std::optional<ExitKind> reason_ GUARDED_BY(mutex_);
  ExitReport report_ GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<JailedProcess>> StartJail(Isolation isolation, const JailSpec& spec) {
  auto jail = std::make_unique<RunningJail>(isolation, spec.limits);
  RETURN_IF_ERROR(jail->Begin(spec));
  return jail;
}

}  // namespace kernelsmith::worker
