#include "client/cli/up/supervisor.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/cli/process/child.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);
constexpr absl::Duration kOrphanPatience = absl::Seconds(5);

// Field 4 of /proc/<pid>/stat; the name in field 2 may hold blanks and parentheses.
pid_t ParentOf(const std::string& pid) {
  const absl::StatusOr<std::string> text = common::ReadFile("/proc/" + pid + "/stat");
  if (!text.ok()) return 0;
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return 0;
  const std::vector<std::string> fields = absl::StrSplit(text->substr(name_end + 1), ' ', absl::SkipEmpty());
  pid_t parent = 0;
  return fields.size() > 1 && absl::SimpleAtoi(fields[1], &parent) ? parent : 0;
}

// The command had the terminal, so that Ctrl-C went to it.
void TakeTerminalBack() {
  if (isatty(STDIN_FILENO) != 1) return;
  signal(SIGTTOU, SIG_IGN);  // a background group that takes the terminal would be stopped
  tcsetpgrp(STDIN_FILENO, getpgrp());
}

}  // namespace

std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return children;
  const absl::Cleanup closer = [folder] { closedir(folder); };
  while (const dirent* entry = readdir(folder)) {
    pid_t pid = 0;
    if (absl::SimpleAtoi(entry->d_name, &pid) && ParentOf(entry->d_name) == parent) children.push_back(pid);
  }
  return children;
}

Supervisor::Supervisor(std::function<void(const std::string&)> say) : say_(std::move(say)) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Supervisor::~Supervisor() {
  StopAll(absl::ZeroDuration(), [] { return true; });
}

void Supervisor::Reap() {
  int wait_status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
    if (pid == command_) {
      command_ = 0;
      command_status_ = wait_status;
      TakeTerminalBack();
      continue;
    }
    for (const auto& daemon : daemons_) {
      if (daemon->pid() != pid) continue;
      const absl::Time now = absl::Now();
      daemon->Ended(wait_status, now, random_);
      if (stopping_) continue;
      say_(absl::StrCat(daemon->name(), " ", daemon->last_end(), "; starting it again in ",
                        absl::FormatDuration(absl::Trunc(daemon->restart_at() - now, absl::Milliseconds(1))),
                        " (log: ", daemon->log_file(), ")"));
    }
  }
}

void Supervisor::Tick() {
  Reap();
  const absl::Time now = absl::Now();
  for (const auto& daemon : daemons_) {
    if (!daemon->due(now)) continue;
    const absl::Status started = daemon->Start(now);
    if (!started.ok()) say_(absl::StrCat("cannot start ", daemon->name(), ": ", started.message()));
  }
  absl::SleepFor(kPoll);
}

absl::Status Supervisor::StartDaemon(DaemonSpec spec, const UpFolders& folders, absl::Duration timeout,
                                     const std::function<absl::Status(const Daemon&)>& ready,
                                     const std::function<bool()>& stopped) {
  daemons_.push_back(std::make_unique<Daemon>(std::move(spec), folders));
  Daemon& daemon = *daemons_.back();
  const absl::Time deadline = absl::Now() + timeout;
  RETURN_IF_ERROR(daemon.Start(absl::Now()));
  absl::Status status = absl::UnavailableError("it has not written its port file");
  while (absl::Now() < deadline) {
    if (stopped()) return absl::CancelledError("stopped while starting");
    Reap();
    if (!daemon.running()) {
      return absl::FailedPreconditionError(absl::StrCat(daemon.name(), " ", daemon.last_end(),
                                                        " before it was ready; the end of ", daemon.log_file(), ":\n",
                                                        daemon.LogTail()));
    }
    if (daemon.LearnAddresses()) {
      status = ready(daemon);
      if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) return status;
    }
    absl::SleepFor(kPoll);
  }
  return absl::DeadlineExceededError(absl::StrCat(daemon.name(), " was not ready within ",
                                                  absl::FormatDuration(timeout), ": ", status.message(), "; see ",
                                                  daemon.log_file()));
}

absl::Status Supervisor::StartCommand(const std::vector<std::string>& arguments,
                                      const std::map<std::string, std::string>& environment) {
  ASSIGN_OR_RETURN(command_, SpawnChild({.arguments = arguments, .environment = environment, .foreground = true}));
  return absl::OkStatus();
}

void Supervisor::SignalCommand(int number) const {
  if (command_ > 0) kill(-command_, number);
}

void Supervisor::StopAll(absl::Duration grace, const std::function<bool()>& hurry) {
  stopping_ = true;
  SignalCommand(SIGKILL);
  for (auto daemon = daemons_.rbegin(); daemon != daemons_.rend(); ++daemon) {
    (*daemon)->Signal(SIGTERM);
    const absl::Time deadline = absl::Now() + grace;
    while ((*daemon)->running() && absl::Now() < deadline && !hurry()) {
      Reap();
      absl::SleepFor(kPoll / 4);
    }
    (*daemon)->KillGroup();
  }
  KillOrphans();
  daemons_.clear();
}

void Supervisor::KillOrphans() {
  const absl::Time deadline = absl::Now() + kOrphanPatience;
  while (absl::Now() < deadline) {
    Reap();
    const std::vector<pid_t> left = ChildrenOf(getpid());
    if (left.empty()) return;
    for (const pid_t pid : left) kill(pid, SIGKILL);
    absl::SleepFor(kPoll / 4);
  }
}

}  // namespace kernelsmith::client
