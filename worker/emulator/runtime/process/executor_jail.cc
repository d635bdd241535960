#include "worker/emulator/runtime/process/executor_jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kernelsmith::emulator {
namespace {

constexpr uint32_t kAllowed[] = {
    __NR_read,          __NR_write,          __NR_readv,           __NR_writev,      __NR_pread64, __NR_lseek,
    __NR_close,         __NR_fstat,          __NR_newfstatat,      __NR_readlinkat,  __NR_mmap,    __NR_munmap,
    __NR_mprotect,      __NR_mremap,         __NR_madvise,         __NR_brk,         __NR_futex,   __NR_sched_yield,
    __NR_rt_sigaction,  __NR_rt_sigprocmask, __NR_rt_sigreturn,    __NR_sigaltstack, __NR_getpid,  __NR_gettid,
    __NR_clock_gettime, __NR_gettimeofday,   __NR_getrandom,       __NR_prlimit64,   __NR_sysinfo, __NR_uname,
    __NR_exit,          __NR_exit_group,     __NR_restart_syscall,
#ifdef __NR_stat
    __NR_stat,          __NR_readlink,
#endif
};

using Program = std::vector<sock_filter>;

void Load(Program& program, size_t offset) {
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}
void Return(Program& program, uint32_t action) { program.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

// Skips `count` instructions unless the loaded value is this one.
void UnlessEqualSkip(Program& program, uint32_t value, uint8_t count) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

constexpr size_t Argument(size_t index) { return offsetof(seccomp_data, args) + 8 * index; }

Program BuildFilter(pid_t self) {
  Program p;
  Load(p, offsetof(seccomp_data, arch));
#if defined(__x86_64__)
  p.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
#else
  p.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0));
#endif
  Return(p, SECCOMP_RET_KILL_PROCESS);
  Load(p, offsetof(seccomp_data, nr));
  for (const uint32_t number : kAllowed) {
    UnlessEqualSkip(p, number, 1);
    Return(p, SECCOMP_RET_ALLOW);
  }
  UnlessEqualSkip(p, __NR_openat, 4);  // the image, and what it needs: for reading only
  Load(p, Argument(2));
  p.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0));
  Return(p, SECCOMP_RET_ALLOW);
  Return(p, SECCOMP_RET_ERRNO | EPERM);
  UnlessEqualSkip(p, __NR_tgkill, 4);  // abort() signals its own process
  Load(p, Argument(0));
  UnlessEqualSkip(p, static_cast<uint32_t>(self), 1);
  Return(p, SECCOMP_RET_ALLOW);
  Return(p, SECCOMP_RET_ERRNO | EPERM);
  Return(p, SECCOMP_RET_ERRNO | EPERM);
  return p;
}

void Limit(int resource, uint64_t most) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

void CloseAllBut(std::initializer_list<int> keep) {
  std::vector<int> kept(keep);
  std::sort(kept.begin(), kept.end());
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > next) ::close_range(next, number - 1, 0);
    next = std::max(next, number + 1);
  }
  ::close_range(next, ~0U, 0);
}

}  // namespace

bool EnterExecutorJail(pid_t parent, std::initializer_list<int> keep, uint64_t address_space_bytes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before this
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
  ::dup2(STDOUT_FILENO, STDERR_FILENO);  // /dev/null since the start of the device process
  CloseAllBut(keep);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_NOFILE, 64);
  Limit(RLIMIT_AS, address_space_bytes);
  Program program = BuildFilter(::getpid());
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace kernelsmith::emulator
