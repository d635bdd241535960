#include "worker/runner/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <vector>

namespace kernelsmith::worker::runner {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the system-call filter knows x86_64 and aarch64"
#endif

struct Refused {
  int number;
  const char* name;
};

constexpr Refused kRefused[] = {
#ifdef __NR_fork
    {__NR_fork, "fork"},
    {__NR_vfork, "vfork"},
#endif
    {__NR_execve, "execve"},
    {__NR_execveat, "execveat"},
    {__NR_ptrace, "ptrace"},
    {__NR_process_vm_readv, "process_vm_readv"},
    {__NR_process_vm_writev, "process_vm_writev"},
    {__NR_kill, "kill"},
    {__NR_tkill, "tkill"},
    {__NR_rt_sigqueueinfo, "rt_sigqueueinfo"},
    {__NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo"},
    {__NR_pidfd_open, "pidfd_open"},
    {__NR_pidfd_send_signal, "pidfd_send_signal"},
    {__NR_timer_create, "timer_create"},
    {__NR_mq_open, "mq_open"},
    {__NR_mq_notify, "mq_notify"},
    {__NR_socket, "socket"},
    {__NR_bind, "bind"},
    {__NR_connect, "connect"},
    {__NR_listen, "listen"},
    {__NR_unshare, "unshare"},
    {__NR_setns, "setns"},
    {__NR_mount, "mount"},
    {__NR_umount2, "umount"},
    {__NR_pivot_root, "pivot_root"},
    {__NR_chroot, "chroot"},
    {__NR_bpf, "bpf"},
    {__NR_perf_event_open, "perf_event_open"},
    {__NR_userfaultfd, "userfaultfd"},
    {__NR_io_uring_setup, "io_uring_setup"},
    {__NR_io_setup, "io_setup"},
    {__NR_memfd_create, "memfd_create"},
    {__NR_shmget, "shmget"},
    {__NR_shmat, "shmat"},
    {__NR_keyctl, "keyctl"},
    {__NR_add_key, "add_key"},
#ifdef __NR_creat
    {__NR_creat, "creat"},
    {__NR_mkdir, "mkdir"},
    {__NR_unlink, "unlink"},
    {__NR_rename, "rename"},
    {__NR_link, "link"},
    {__NR_symlink, "symlink"},
    {__NR_mknod, "mknod"},
#endif
    {__NR_mkdirat, "mkdirat"},
    {__NR_unlinkat, "unlinkat"},
    {__NR_renameat2, "renameat2"},
    {__NR_linkat, "linkat"},
    {__NR_symlinkat, "symlinkat"},
    {__NR_mknodat, "mknodat"},
    {__NR_truncate, "truncate"},
};

constexpr uint32_t kWritingFlags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

using Program = std::vector<sock_filter>;

constexpr uint32_t Argument(int index) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args)) + 8 * static_cast<uint32_t>(index);  // low half
}

void Load(Program& program, uint32_t offset) { program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
void Return(Program& program, uint32_t action) { program.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
// Runs the next instruction only if the loaded value is (not) this one.
void IfEqual(Program& program, uint32_t value) { program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)); }
void IfBitClear(Program& program, uint32_t bit) { program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 1, 0)); }
void IfAnyBitSet(Program& program, uint32_t bits) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
}
// Skips `count` instructions unless the loaded value is this one.
void UnlessEqualSkip(Program& program, uint32_t value, uint8_t count) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

Program BuildProgram() {
  Program p;
  Load(p, offsetof(seccomp_data, arch));
  p.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  Return(p, SECCOMP_RET_KILL_PROCESS);
  Load(p, offsetof(seccomp_data, nr));
#ifdef __X32_SYSCALL_BIT
  p.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, __X32_SYSCALL_BIT, 0, 1));
  Return(p, SECCOMP_RET_KILL_PROCESS);
#endif
  for (const Refused& refused : kRefused) {
    IfEqual(p, static_cast<uint32_t>(refused.number));
    Return(p, SECCOMP_RET_TRAP);
  }
  // These hide their flags in memory; the C library falls back to clone and openat.
  for (const uint32_t number : {__NR_clone3, __NR_openat2}) {
    IfEqual(p, number);
    Return(p, SECCOMP_RET_ERRNO | ENOSYS);
  }
  // Files are opened for reading only.
#ifdef __NR_open
  UnlessEqualSkip(p, __NR_open, 4);
  Load(p, Argument(1));
  IfAnyBitSet(p, kWritingFlags);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
#endif
  UnlessEqualSkip(p, __NR_openat, 4);
  Load(p, Argument(2));
  IfAnyBitSet(p, kWritingFlags);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
  // clone makes threads only.
  UnlessEqualSkip(p, __NR_clone, 4);
  Load(p, Argument(0));
  IfBitClear(p, CLONE_THREAD);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
  // abort() sends itself SIGABRT; nobody sends SIGCONT.
  UnlessEqualSkip(p, __NR_tgkill, 4);
  Load(p, Argument(2));
  IfEqual(p, SIGCONT);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
  // No descriptor may be made to send a signal of choice.
  UnlessEqualSkip(p, __NR_fcntl, 4);
  Load(p, Argument(1));
  IfEqual(p, F_SETSIG);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
  // Nor the death of a parent.
  UnlessEqualSkip(p, __NR_prctl, 4);
  Load(p, Argument(0));
  IfEqual(p, PR_SET_PDEATHSIG);
  Return(p, SECCOMP_RET_TRAP);
  Return(p, SECCOMP_RET_ALLOW);
  Return(p, SECCOMP_RET_ALLOW);
  return p;
}

}  // namespace

bool InstallSyscallFilter() {
  Program program = BuildProgram();
  const sock_fprog code = {static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code, 0, 0) == 0;
}

const char* RefusedCallName(int number) {
  if (number == __NR_clone) return "clone of a process";
  if (number == __NR_tgkill) return "tgkill with SIGCONT";
  if (number == __NR_fcntl) return "fcntl with F_SETSIG";
  if (number == __NR_prctl) return "prctl with PR_SET_PDEATHSIG";
  if (number == __NR_openat) return "open for writing";
#ifdef __NR_open
  if (number == __NR_open) return "open for writing";
#endif
  for (const Refused& refused : kRefused) {
    if (refused.number == number) return refused.name;
  }
  return nullptr;
}

}  // namespace kernelsmith::worker::runner
