#include "worker/runner/fault_report.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "worker/runner/protocol.h"
#include "worker/runner/syscall_filter.h"

namespace kernelsmith::worker::runner {

RunningCall g_running_call;

namespace {

struct Range {
  const std::byte* begin;
  const std::byte* end;
};
std::array<Range, 64> g_inputs;
size_t g_input_count = 0;
alignas(16) std::array<char, 65536> g_stack;

bool IsInput(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  for (size_t i = 0; i < g_input_count; ++i) {
    if (at >= g_inputs[i].begin && at < g_inputs[i].end) return true;
  }
  return false;
}

// More than 7/8 of the address space allowed is in use: a failed allocation is the likely cause.
bool NearMemoryLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 64> text = {};
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  if (size <= 0) return false;
  rlim_t pages = 0;
  for (const char* digit = text.data(); *digit >= '0' && *digit <= '9'; ++digit) {
    pages = pages * 10 + static_cast<rlim_t>(*digit - '0');
  }
  return pages * 4096 > limit.rlim_cur / 8 * 7;
}

void Describe(int number, const siginfo_t& info, ReplyMessage& reply) {
  const bool bad_address = number == SIGSEGV || number == SIGBUS;
  if (number == SIGSYS) {
    const char* const name = RefusedCallName(info.si_syscall);
    reply.hint = Hint::kForbiddenCall;
    ::strncpy(reply.text, name == nullptr ? "a system call" : name, sizeof reply.text - 1);
  } else if (bad_address && IsInput(info.si_addr)) {
    reply.hint = Hint::kInputWrite;
    ::strncpy(reply.text, "write to an input, which is read-only", sizeof reply.text - 1);
  } else if (NearMemoryLimit()) {
    reply.hint = Hint::kOutOfMemory;
    ::strncpy(reply.text, "the memory limit was nearly reached", sizeof reply.text - 1);
  }
}

void OnFault(int number, siginfo_t* info, void*) {
  ReplyMessage reply;
  reply.kind = Reply::kFault;
  reply.sequence = g_running_call.sequence;
  reply.slot = g_running_call.slot;
  reply.code = number;
  Describe(number, *info, reply);
  ::send(kSocket, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
  // The disposition is the default again (SA_RESETHAND). A fault repeats on return; the others are sent anew.
  if (number == SIGSYS || number == SIGABRT) ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), number);
}

}  // namespace

void NoteInputs(const std::byte* begin, size_t bytes) {
  if (g_input_count < g_inputs.size()) g_inputs[g_input_count++] = {begin, begin + bytes};
}

void InstallFaultHandlers() {
  stack_t stack = {};
  stack.ss_sp = g_stack.data();
  stack.ss_size = g_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS}) ::sigaction(number, &action, nullptr);
}

}  // namespace kernelsmith::worker::runner
