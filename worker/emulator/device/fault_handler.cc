#include "worker/emulator/device/fault_handler.h"

#include <ucontext.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/launch_state.h"

namespace kernelsmith::emulator {
namespace {

constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr size_t kStackBytes = 64 * 1024;

alignas(16) std::byte handler_stack[kStackBytes];
// Where the end of a core runs after a fault: its own stack may be what overflowed.
alignas(16) std::byte end_stack[kStackBytes];
LaunchState* current_launch = nullptr;
volatile int fault_signal = 0;
volatile uintptr_t fault_address = 0;

const char* Describe(int signal) {
  switch (signal) {
    case SIGFPE:
      return "divides an integer by zero";
    case SIGILL:
    case SIGTRAP:
      return "runs into code that must not be reached";
    default:
      return "touches memory that it must not";
  }
}

// Runs on end_stack in place of the instruction that faulted; never returns.
void EndCore() {
  Core& core = Core::Current();
  const bool memory = fault_signal == SIGSEGV || fault_signal == SIGBUS;
  const std::string text =
      absl::StrCat("the kernel ", Describe(fault_signal),
                   memory ? absl::StrCat(", at 0x", absl::Hex(fault_address),
                                         "; check pointers, and the depth of calls and local arrays")
                          : std::string("; check the values it depends on"));
  core.Report(memory ? Check::kOutOfBounds : Check::kArgument,
              core.last_call().line == 0
                  ? Where{"kernel", nullptr, 0}
                  : Where{"kernel after this line", core.last_call().file, core.last_call().line},
              text, /*error=*/true,
              /*stops=*/true);
  core.launch().scheduler().Leave();
}

void Handle(int signal, siginfo_t* info, void* context) {
  if (current_launch == nullptr || Core::CurrentOrNull() == nullptr) {
    ::signal(signal, SIG_DFL);
    return;  // the instruction runs again and ends the process
  }
  fault_signal = signal;
  fault_address = reinterpret_cast<uintptr_t>(info->si_addr);
  auto* state = static_cast<ucontext_t*>(context);
  // As after a call: the stack is 8 bytes off a multiple of 16.
  state->uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(end_stack + kStackBytes - 8);
  state->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&EndCore);
  state->uc_mcontext.gregs[REG_EFL] &= ~greg_t{0x400};
}

}  // namespace

FaultHandler::FaultHandler(LaunchState& launch) {
  current_launch = &launch;
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

FaultHandler::~FaultHandler() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
  current_launch = nullptr;
}

}  // namespace kernelsmith::emulator
