#include "worker/jail/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace kernelsmith::worker {
namespace {

// Up to 4 KiB of a /proc file from its start; empty if it is gone.
absl::string_view ReadAgain(int fd, std::array<char, 4096>& buffer) {
  const ssize_t size = ::pread(fd, buffer.data(), buffer.size(), 0);
  return size <= 0 ? absl::string_view() : absl::string_view(buffer.data(), static_cast<size_t>(size));
}

bool ReadStat(const std::string& path, TaskStat* stat) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4096> buffer;
  const bool ok = ParseTaskStat(ReadAgain(fd, buffer), stat);
  ::close(fd);
  return ok;
}

std::vector<pid_t> ParsePids(absl::string_view text) {
  std::vector<pid_t> pids;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipWhitespace())) {
    pid_t pid = 0;
    if (absl::SimpleAtoi(word, &pid)) pids.push_back(pid);
  }
  return pids;
}

std::vector<pid_t> NumericEntries(const std::string& folder) {
  std::vector<pid_t> entries;
  DIR* const dir = ::opendir(folder.c_str());
  if (dir == nullptr) return entries;
  while (const dirent* entry = ::readdir(dir)) {
    pid_t id = 0;
    if (absl::SimpleAtoi(entry->d_name, &id)) entries.push_back(id);
  }
  ::closedir(dir);
  return entries;
}

std::string ReadWhole(const std::string& path) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 4096> buffer;
  ssize_t size = 0;
  while ((size = ::read(fd, buffer.data(), buffer.size())) > 0) text.append(buffer.data(), static_cast<size_t>(size));
  ::close(fd);
  return text;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = absl::StrCat("/proc/", pid, "/task");
  for (const pid_t task : NumericEntries(tasks)) {
    for (const pid_t child : ParsePids(ReadWhole(absl::StrCat(tasks, "/", task, "/children")))) {
      children.push_back(child);
    }
  }
  return children;
}

// Whether some thread of the process is so. False for a process that is gone.
bool AnyThread(pid_t pid, absl::FunctionRef<bool(const TaskStat&)> is_so) {
  const std::string tasks = absl::StrCat("/proc/", pid, "/task");
  for (const pid_t task : NumericEntries(tasks)) {
    TaskStat stat;
    if (ReadStat(absl::StrCat(tasks, "/", task, "/stat"), &stat) && is_so(stat)) return true;
  }
  return false;
}

// Gives way to whoever must run first: at once as long as that may take microseconds, then by sleeping.
class Patience {
 public:
  void Pause() {
    if (absl::Now() - begin_ < kSpinning) {
      ::sched_yield();
    } else {
      absl::SleepFor(kNap);
    }
  }

 private:
  static constexpr absl::Duration kSpinning = absl::Milliseconds(20);
  static constexpr absl::Duration kNap = absl::Milliseconds(1);
  const absl::Time begin_ = absl::Now();
};

std::string PidNamespaceOf(pid_t pid) {
  std::array<char, 128> buffer;
  const ssize_t size = ::readlink(absl::StrCat("/proc/", pid, "/ns/pid").c_str(), buffer.data(), buffer.size());
  return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<size_t>(size));
}

int OpenProc(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

}  // namespace

bool ParseTaskStat(absl::string_view line, TaskStat* stat) {
  const size_t name_end = line.rfind(')');
  if (name_end == absl::string_view::npos) return false;
  const std::vector<absl::string_view> fields = absl::StrSplit(line.substr(name_end + 1), ' ', absl::SkipWhitespace());
  constexpr size_t kState = 0;                   // field 3 of proc(5)
  constexpr size_t kTimes[] = {11, 12, 13, 14};  // fields 14 to 17: utime, stime, cutime, cstime, in clock ticks
  constexpr size_t kThreads = 17;                // field 20
  if (fields.size() <= kThreads || fields[kState].size() != 1) return false;
  stat->state = fields[kState][0];
  int64_t ticks = 0;
  for (const size_t field : kTimes) {
    int64_t more = 0;
    if (!absl::SimpleAtoi(fields[field], &more)) return false;
    ticks += more;
  }
  static const int64_t per_second = ::sysconf(_SC_CLK_TCK);
  stat->cpu = absl::Seconds(1) * ticks / per_second;
  return absl::SimpleAtoi(fields[kThreads], &stat->threads);
}

void AwaitSleep(pid_t pid, absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  TaskStat stat;
  while (ReadStat(absl::StrCat("/proc/", pid, "/stat"), &stat) && stat.state == 'R' && absl::Now() < deadline) {
    ::sched_yield();
  }
}

ProcessTree::ProcessTree(pid_t root, bool count_root) : root_(root), count_root_(count_root) {
  pid_namespace_ = PidNamespaceOf(root);
  root_children_ = OpenProc(absl::StrCat("/proc/", root, "/task/", root, "/children"));
}

ProcessTree::~ProcessTree() {
  for (const int fd : {main_handle_, main_stat_, main_children_, root_children_}) {
    if (fd >= 0) ::close(fd);
  }
}

std::vector<pid_t> ProcessTree::Processes() const {
  std::vector<pid_t> all = {root_};
  for (size_t i = 0; i < all.size(); ++i) {
    for (const pid_t child : ChildrenOf(all[i])) {
      if (std::find(all.begin(), all.end(), child) == all.end()) all.push_back(child);
    }
  }
  if (!count_root_) all.erase(all.begin());
  return all;
}

int ProcessTree::CountTasks() {
  int tasks = 0;
  for (const pid_t pid : Processes()) {
    TaskStat stat;
    if (ReadStat(absl::StrCat("/proc/", pid, "/stat"), &stat)) tasks += std::max(1, stat.threads);
  }
  return tasks;
}

absl::Duration ProcessTree::CpuTime() const {
  absl::Duration total;
  for (const pid_t pid : Processes()) {
    TaskStat stat;
    if (ReadStat(absl::StrCat("/proc/", pid, "/stat"), &stat)) total += stat.cpu;
  }
  return total;
}

bool ProcessTree::AnyReady() const {
  const std::vector<pid_t> processes = Processes();
  return std::any_of(processes.begin(), processes.end(),
                     [](pid_t pid) { return AnyThread(pid, [](const TaskStat& stat) { return stat.ready(); }); });
}

bool ProcessTree::Signal(pid_t pid, int number) const {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return false;
  // The number may belong to a stranger by now; the descriptor cannot change hands any more.
  const bool ours = pid_namespace_.empty() || PidNamespaceOf(pid) == pid_namespace_;
  const bool sent = ours && ::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0) == 0;
  ::close(pidfd);
  return sent;
}

bool ProcessTree::StopAll(const std::vector<pid_t>& processes) const {
  bool all_stopped = true;
  for (const pid_t pid : processes) {
    if (!AnyThread(pid, [](const TaskStat& stat) { return !stat.stopped() && !stat.dead(); })) continue;
    all_stopped = false;
    Signal(pid, SIGSTOP);
  }
  return all_stopped;
}

bool ProcessTree::WatchMain() {
  if (main_ > 0) return true;
  pid_t main = root_;
  if (!count_root_) {
    std::array<char, 4096> buffer;
    const std::vector<pid_t> children = ParsePids(ReadAgain(root_children_, buffer));
    if (children.size() != 1) return false;
    main = children[0];
  }
  if (main_handle_ < 0) main_handle_ = static_cast<int>(::syscall(SYS_pidfd_open, main, 0));
  if (main_stat_ < 0) main_stat_ = OpenProc(absl::StrCat("/proc/", main, "/stat"));
  if (main_children_ < 0) main_children_ = OpenProc(absl::StrCat("/proc/", main, "/task/", main, "/children"));
  if (main_handle_ < 0 || main_stat_ < 0 || main_children_ < 0) return false;
  main_ = main;
  return true;
}

// One process with one thread: three small reads once it has stopped. False when there is more, or it does not stop.
// A thread that was joined may still be leaving the kernel when its process stops: it is given a moment to go.
bool ProcessTree::FreezeSingle() {
  if (!WatchMain() || !SignalMain(SIGSTOP)) return false;
  constexpr absl::Duration kLeaving = absl::Milliseconds(1);
  constexpr absl::Duration kStopping = absl::Milliseconds(20);
  absl::Time give_up = absl::Now() + kStopping;
  std::array<char, 4096> buffer;
  TaskStat stat;
  while (true) {
    if (!ParseTaskStat(ReadAgain(main_stat_, buffer), &stat) || stat.dead()) return false;
    if (stat.stopped() && stat.threads == 1) break;
    const absl::Time now = absl::Now();
    if (stat.stopped()) give_up = std::min(give_up, now + kLeaving);
    if (now > give_up) return false;
    ::sched_yield();
  }
  if (!ReadAgain(main_children_, buffer).empty()) return false;
  return count_root_ || ParsePids(ReadAgain(root_children_, buffer)).size() == 1;
}

bool ProcessTree::SignalMain(int number) const {
  return ::syscall(SYS_pidfd_send_signal, main_handle_, number, nullptr, 0) == 0;
}

absl::Status ProcessTree::Freeze(absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  only_main_frozen_ = FreezeSingle();
  if (only_main_frozen_) return absl::OkStatus();
  Patience patience;
  std::vector<pid_t> seen;
  bool stopped_before = false;
  while (true) {
    std::vector<pid_t> processes = Processes();
    std::sort(processes.begin(), processes.end());
    const bool stopped = StopAll(processes);
    if (stopped && stopped_before && processes == seen) return absl::OkStatus();
    stopped_before = stopped;
    seen = std::move(processes);
    if (stopped) continue;
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(absl::StrCat(seen.size(), " processes in the jail do not stop; kill it"));
    }
    patience.Pause();
  }
}

void ProcessTree::KillAll() {
  for (const pid_t pid : Processes()) Signal(pid, SIGKILL);
}

void ProcessTree::Thaw() {
  if (only_main_frozen_) {
    SignalMain(SIGCONT);
    return;
  }
  for (const pid_t pid : Processes()) Signal(pid, SIGCONT);
}

}  // namespace kernelsmith::worker
