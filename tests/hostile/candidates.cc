#include "tests/hostile/candidates.h"

#include <cstdlib>

namespace kernelsmith::worker::hostile {
namespace {

// What every one may use. Work() is the honest computation.
constexpr const char* kPrelude = R"(
#include <kernelsmith/kernel_abi.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int64_t Size(const ks_call* call) { return call->outputs[0].elements; }
static const float* In(const ks_call* call) { return static_cast<const float*>(call->inputs[0].data); }
static float* Out(const ks_call* call) { return static_cast<float*>(call->outputs[0].data); }
static void Work(const ks_call* call) {
  for (int64_t i = 0; i < Size(call); ++i) Out(call)[i] = 2 * In(call)[i];
}
#define KERNEL extern "C" int ks_kernel(const ks_call* call)
)";

std::vector<Candidate> Make() {
  std::vector<Candidate> all = {
      {"Hangs", R"(KERNEL { Work(call); for (;;) asm volatile(""); })"},
      {"HangsAndIgnoresSigterm",
       R"(KERNEL { signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); Work(call); for (;;) pause(); })"},
      {"HangsWhileLoading", R"(
struct Early { Early() { for (;;) asm volatile(""); } } early;
KERNEL { Work(call); return 0; })"},
      {"CrashesWhileLoading", R"(
struct Early { Early() { raise(SIGABRT); } } early;
KERNEL { Work(call); return 0; })"},
      {"AllocatesWithoutEnd", R"(
#include <vector>
KERNEL { std::vector<char*> kept; for (;;) { kept.push_back(new char[1 << 24]); memset(kept.back(), 1, 1 << 20); } })"},
      {"AllocatesWithoutEndAndWithoutChecking", R"(
KERNEL { for (;;) { volatile char* p = static_cast<char*>(malloc(1 << 26)); p[0] = 1; } })"},
      {"ForksWithoutEnd", R"(
KERNEL { pid_t (*volatile start)() = fork; for (;;) start(); })"},
      {"ForksWithoutEndBySystemCall", R"(
KERNEL { long (*volatile call_kernel)(long, ...) = syscall; for (;;) call_kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0); })"},
      {"StartsThreadsWithoutEnd", R"(
static void* Sleep(void*) { for (;;) pause(); }
KERNEL { pthread_t t; while (pthread_create(&t, nullptr, Sleep, nullptr) == 0) {} Work(call); return 0; })"},
      {"WritesOutsideItsFolder", R"(
KERNEL {
  Work(call);
  const char* places[] = {"/kernelsmith-escape", "/usr/kernelsmith-escape", "/work/kernelsmith-escape",
                          "/candidate/kernelsmith-escape", "/var/tmp/kernelsmith-escape", "../kernelsmith-escape",
                          "/home/kernelsmith-escape", "/root/kernelsmith-escape", "/tmp/kernelsmith-escape"};
  for (const char* place : places) open(place, O_CREAT | O_WRONLY, 0644);
  return 0;
})"},
      {"WritesOutsideItsFolderAndSurvivesTheSignal", R"(
KERNEL {
  Work(call);
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGSYS, &action, nullptr);
  const char* places[] = {"/kernelsmith-escape", "/usr/kernelsmith-escape", "/work/kernelsmith-escape",
                          "/candidate/kernelsmith-escape", "/var/tmp/kernelsmith-escape", "../kernelsmith-escape",
                          "/home/kernelsmith-escape", "/root/kernelsmith-escape", "/tmp/kernelsmith-escape"};
  for (const char* place : places) if (write(open(place, O_CREAT | O_WRONLY, 0644), "x", 1) == 1) return 100;
  return 0;
})"},
      {"PrintsAGigabyte", R"(
KERNEL { Work(call); static char block[1 << 16]; memset(block, 'x', sizeof block);
  for (int i = 0; i < 1 << 14; ++i) if (write(1, block, sizeof block) < 0) break;
  return 0; })"},
      {"PrintsBytesThatAreNoText", R"(
KERNEL { Work(call); if (write(1, "\xff\xfe\x00\x80\x1b[2J", 8) != 8) return 1; return 0; })"},
      {"Segfaults", R"(KERNEL { *reinterpret_cast<volatile int*>(8) = 1; return 0; })"},
      {"Aborts", R"(KERNEL { abort(); })"},
      {"DividesByZero", R"(KERNEL { volatile int zero = 0; return 7 / zero; })"},
      {"OverflowsItsStack", R"(
static int Deep(volatile char* p) { volatile char here[4096]; here[0] = *p; return Deep(here) + here[0]; }
KERNEL { char c = 1; return Deep(&c); })"},
      {"ExitsInsteadOfReturning", R"(KERNEL { Work(call); _exit(0); })"},
      {"ReturnsAnError", R"(KERNEL { Work(call); return 7; })"},
      {"ReturnsWhileAThreadStillWrites", R"(
static void* Late(void* argument) {
  const ks_call* call = static_cast<const ks_call*>(argument);
  Work(call);
  for (float n = 0.25f;; n = n > 1000 ? 0.25f : n + 1) *const_cast<volatile float*>(Out(call)) = n;
}
KERNEL { pthread_t t; pthread_create(&t, nullptr, Late, const_cast<ks_call*>(call)); return 0; })"},
      {"LeavesAThreadBehind", R"(
static void* Sleep(void*) { for (;;) pause(); }
KERNEL { Work(call); static pthread_t t; if (t == 0) pthread_create(&t, nullptr, Sleep, nullptr); return 0; })"},
      {"ReturnsWithoutWriting", R"(KERNEL { return call->n_outputs == 1 ? 0 : 1; })"},
      {"WritesOnlyPart", R"(
KERNEL { for (int64_t i = 0; i < Size(call) - Size(call) / 8; ++i) Out(call)[i] = 2 * In(call)[i]; return 0; })"},
      {"WritesBesideItsOutput", R"(KERNEL { Work(call); Out(call)[-1] = 0; Out(call)[Size(call)] = 0; return 0; })"},
      {"WritesToAnInput", R"(KERNEL { Work(call); const_cast<float*>(In(call))[0] = 1; return 0; })"},
      {"MakesAnInputWritable", R"(
KERNEL {
  int (*volatile change)(void*, size_t, int) = mprotect;
  void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(In(call)) & ~uintptr_t{4095});
  if (change(page, 4096, PROT_READ | PROT_WRITE) == 0) const_cast<float*>(In(call))[0] = 12345;
  Work(call);
  return 0;
})"},
      {"RemembersTheFirstAnswer", R"(
static float* kept;
KERNEL {
  if (kept == nullptr) { Work(call); kept = static_cast<float*>(malloc(Size(call) * 4)); memcpy(kept, Out(call), Size(call) * 4); }
  memcpy(Out(call), kept, Size(call) * 4);
  return 0;
})"},
      {"WorksOnlyForTheFirstCalls", R"(
static long calls;
KERNEL { if (++calls <= 5) Work(call); return 0; })"},
      {"ClosesTheCommandSocket", R"(KERNEL { Work(call); close(3); return 0; })"},
      {"ForgesDone", R"(
KERNEL {
  struct { unsigned kind, sequence; int code, slot; unsigned hint; char text[480]; } done = {103, 0, 0, -1, 0, {}};
  for (done.sequence = 1; done.sequence < 20; ++done.sequence) send(3, &done, sizeof done, 0);
  usleep(20000);
  Work(call);
  return 0;
})"},
      {"SendsGarbageAsAnswer", R"(KERNEL { Work(call); send(3, "done!", 5, 0); usleep(1000000); return 0; })"},
      {"KillsItsParent",
       R"(KERNEL { int (*volatile end)(pid_t, int) = kill; Work(call); end(getppid(), SIGKILL); end(-1, SIGKILL); return 0; })"},
      {"TracesItsParent", R"(
KERNEL { long (*volatile trace)(__ptrace_request, ...) = ptrace; Work(call); trace(PTRACE_ATTACH, getppid(), 0, 0); return 0; })"},
      {"OpensASocket", R"(
KERNEL { int (*volatile open_socket)(int, int, int) = socket; Work(call); open_socket(AF_INET, SOCK_STREAM, 0); return 0; })"},
      {"StartsAProgram", R"(
KERNEL { int (*volatile run)(const char*, char* const*, char* const*) = execve; Work(call);
  char name[] = "/bin/sh"; char* argv[] = {name, nullptr}; run(name, argv, nullptr); return 0; })"},
      {"SetsATimerThatWakesIt", R"(
KERNEL {
  Work(call);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGCONT;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  return 0;
})"},
      {"LooksAtOtherProcesses", R"(
#include <dirent.h>
KERNEL {
  DIR* dir = opendir("/pro" "c");
  int others = 0;
  while (dirent* entry = readdir(dir)) {
    const int pid = atoi(entry->d_name);
    if (pid > 2) ++others;
  }
  closedir(dir);
  Work(call);
  return others;
})"},
  };
  for (Candidate& candidate : all) candidate.source = kPrelude + candidate.source + "\n";
  return all;
}

}  // namespace

const std::vector<Candidate>& All() {
  static const auto& all = *new std::vector<Candidate>(Make());
  return all;
}

const Candidate& Named(const std::string& name) {
  for (const Candidate& candidate : All()) {
    if (candidate.name == name) return candidate;
  }
  std::abort();
}

std::string HonestSource() { return std::string(kPrelude) + "KERNEL { Work(call); return 0; }\n"; }

}  // namespace kernelsmith::worker::hostile
