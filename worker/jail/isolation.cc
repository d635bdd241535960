#include "worker/jail/isolation.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr int64_t kScratchBytes = int64_t{256} << 20;  // of /tmp and /dev/shm each

using Words = std::vector<std::string>;

void Append(Words& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// /bin, /lib, ... are links into /usr on a merged system, folders elsewhere.
void AddSystemFolder(Words& words, const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (!error) {
    Append(words, {"--symlink", target.string(), path});
  } else if (Exists(path)) {
    Append(words, {"--ro-bind", path, path});
  }
}

// bubblewrap makes missing parents for its own user only; these are for everyone.
void AddParents(Words& words, std::set<std::string>& made, const std::string& inside) {
  for (size_t slash = inside.find('/', 1); slash != std::string::npos; slash = inside.find('/', slash + 1)) {
    const std::string parent = inside.substr(0, slash);
    if (made.insert(parent).second) Append(words, {"--perms", "0755", "--dir", parent});
  }
}

void AddSystem(Words& words, std::set<std::string>& made, const std::vector<std::string>& devices) {
  Append(words, {"--ro-bind", "/usr", "/usr"});
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt"}) AddSystemFolder(words, path);
  AddParents(words, made, "/etc/x");
  for (const char* path : {"/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/ld.so.conf",
                           "/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd"}) {
    if (Exists(path)) Append(words, {"--ro-bind", path, path});
  }
  AddParents(words, made, "/sys/devices/system/x");
  if (Exists("/sys/devices/system/cpu")) {
    Append(words, {"--ro-bind", "/sys/devices/system/cpu", "/sys/devices/system/cpu"});
  }
  const std::string size = absl::StrCat(kScratchBytes);
  Append(words, {"--proc", "/proc", "--dev", "/dev"});
  for (const std::string& device : devices) Append(words, {"--dev-bind", device, device});
  Append(words, {"--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  Append(words, {"--perms", "1777", "--size", size, "--tmpfs", "/tmp"});
  made.insert({"/usr", "/dev", "/tmp", "/proc"});
}

Words BwrapCommand(const JailSpec& spec, Isolation isolation, int status) {
  Words words = {"/usr/bin/bwrap"};
  if (isolation == Isolation::kBwrapUser) {
    Append(words, {"--unshare-user", "--disable-userns"});
  } else {
    Append(words, {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add",
                   "CAP_DAC_READ_SEARCH"});  // to enter the work folder, which is the jail user's
  }
  Append(words, {"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"});
  Append(words, {"--hostname", "jail", "--die-with-parent", "--new-session"});
  Append(words, {"--info-fd", absl::StrCat(status)});
  std::set<std::string> made;
  AddSystem(words, made, spec.devices);
  if (!spec.work_dir.empty()) {
    Append(words, {"--bind", spec.work_dir, "/work", "--chdir", "/work"});
    made.insert("/work");
  } else {
    Append(words, {"--chdir", "/tmp"});
  }
  for (const auto& [host, inside] : spec.read_only) {
    AddParents(words, made, inside);
    Append(words, {"--ro-bind", host, inside});
  }
  Append(words, {"--remount-ro", "/", "--"});
  return words;
}

// Without a mount namespace, words that name a path inside are rewritten to the path on the host.
std::string ToHostPath(const JailSpec& spec, const std::string& word) {
  const auto translate = [&word](const std::string& inside, const std::string& host) -> std::string {
    if (word == inside) return host;
    return absl::StartsWith(word, absl::StrCat(inside, "/")) ? absl::StrCat(host, word.substr(inside.size())) : "";
  };
  for (const auto& [host, inside] : spec.read_only) {
    if (std::string path = translate(inside, host); !path.empty()) return path;
  }
  if (!spec.work_dir.empty()) {
    if (std::string path = translate("/work", spec.work_dir); !path.empty()) return path;
  }
  return word;
}

// Who may use a device node besides root is its group.
std::string GroupsOf(const std::vector<std::string>& devices) {
  std::set<gid_t> groups;
  for (const std::string& device : devices) {
    struct stat info = {};
    if (::stat(device.c_str(), &info) == 0) groups.insert(info.st_gid);
  }
  return groups.empty() ? "--clear-groups" : absl::StrCat("--groups=", absl::StrJoin(groups, ","));
}

void AddLimit(LaunchPlan& plan, int resource, int64_t value) {
  plan.limits.emplace_back(resource, rlimit{static_cast<rlim_t>(value), static_cast<rlim_t>(value)});
}

void AddLimits(LaunchPlan& plan, const ResourceLimits& limits) {
  AddLimit(plan, RLIMIT_CORE, 0);
  AddLimit(plan, RLIMIT_MSGQUEUE, 0);
  if (limits.file_bytes > 0) AddLimit(plan, RLIMIT_FSIZE, limits.file_bytes);
  if (limits.open_files > 0) AddLimit(plan, RLIMIT_NOFILE, limits.open_files);
  if (limits.cpu_time < absl::InfiniteDuration()) {
    AddLimit(plan, RLIMIT_CPU,
             std::max<int64_t>(1, absl::ToInt64Seconds(absl::Ceil(limits.cpu_time, absl::Seconds(1)))));
  }
  if (limits.memory_bytes > 0) AddLimit(plan, RLIMIT_AS, limits.memory_bytes);
}

absl::Status Check(const JailSpec& spec) {
  if (spec.argv.empty() || !absl::StartsWith(spec.argv[0], "/")) {
    return absl::InvalidArgumentError("a jail needs a program with an absolute path as argv[0]");
  }
  for (const auto& [here, inside] : spec.fds) {
    if (here < 0 || inside < 3) {
      return absl::InvalidArgumentError(absl::StrCat("descriptor ", here, " cannot become ", inside, " in a jail"));
    }
  }
  if (!spec.work_dir.empty() && !Exists(spec.work_dir)) {
    return absl::NotFoundError(absl::StrCat("work folder ", spec.work_dir, " does not exist"));
  }
  for (const auto& [host, inside] : spec.read_only) {
    if (!Exists(host)) return absl::NotFoundError(absl::StrCat(host, ", to be shown as ", inside, ", does not exist"));
  }
  return absl::OkStatus();
}

}  // namespace

const char* IsolationName(Isolation isolation) {
  switch (isolation) {
    case Isolation::kBwrapUid:
      return "bwrap(uid,pid,net,ipc,uts,cgroup,mount)+rlimits";
    case Isolation::kBwrapUser:
      return "bwrap(user,pid,net,ipc,uts,cgroup,mount)+rlimits";
    case Isolation::kRlimits:
      break;
  }
  return "rlimits";
}

uid_t JailUid(pid_t worker, int turn) {
  return (uid_t{1} << 30) + static_cast<uid_t>(worker) * 64 + static_cast<uid_t>(turn) % 64;
}

absl::StatusOr<JailDescriptors> ChooseDescriptors(const JailSpec& spec) {
  std::vector<int> free;
  for (int candidate = 3; candidate < 10; ++candidate) {
    const bool taken = std::any_of(spec.fds.begin(), spec.fds.end(),
                                   [candidate](const std::pair<int, int>& fd) { return fd.second == candidate; });
    if (!taken) free.push_back(candidate);
  }
  if (free.size() < 2) return absl::InvalidArgumentError("a jail needs two descriptors below 10 for itself");
  return JailDescriptors{.status = free[0], .gate = free[1]};
}

absl::StatusOr<LaunchPlan> PlanJail(const JailSpec& spec, Isolation isolation, uid_t uid,
                                    const JailDescriptors& descriptors) {
  RETURN_IF_ERROR(Check(spec));
  LaunchPlan plan;
  if (isolation != Isolation::kRlimits) {
    plan.argv = BwrapCommand(spec, isolation, descriptors.status);
  } else {
    plan.folder = spec.work_dir.empty() ? "/tmp" : spec.work_dir;
    plan.die_with_parent = true;
  }
  const int processes = spec.limits.processes;
  if (uid != 0) {
    const std::string id = absl::StrCat(uid);
    Append(plan.argv, {"/usr/bin/setpriv", absl::StrCat("--reuid=", id), absl::StrCat("--regid=", id),
                       GroupsOf(spec.devices), "--no-new-privs", "--inh-caps=-all"});
    if (plan.die_with_parent) plan.argv.push_back("--pdeathsig=KILL");  // a new user id forgets it
    plan.argv.push_back("--");
    if (processes > 0) AddLimit(plan, RLIMIT_NPROC, processes);
  } else if (isolation == Isolation::kBwrapUser && processes > 0) {
    // Inside the new user namespace the count starts at zero, the jail's init included; outside it would include
    // everything the user runs.
    const std::string count = absl::StrCat(processes + 1);
    Append(plan.argv, {"/usr/bin/prlimit", absl::StrCat("--nproc=", count, ":", count), "--"});
  }
  if (isolation != Isolation::kRlimits) {
    const std::string gate = absl::StrCat(descriptors.gate);
    Append(plan.argv,
           {"/bin/sh", "-c", absl::StrCat("echo >&", gate, "; read -r go <&", gate, " && exec \"$@\" ", gate, ">&-"),
            "gate"});
  }
  for (const std::string& word : spec.argv) {
    plan.argv.push_back(isolation == Isolation::kRlimits ? ToHostPath(spec, word) : word);
  }
  for (const auto& [name, value] : spec.env) {
    plan.env.push_back(absl::StrCat(name, "=", isolation == Isolation::kRlimits ? ToHostPath(spec, value) : value));
  }
  plan.fds = spec.fds;
  AddLimits(plan, spec.limits);
  return plan;
}

}  // namespace kernelsmith::worker
