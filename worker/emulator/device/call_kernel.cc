#include "worker/emulator/device/call_kernel.h"

#include <alloca.h>

#include <cstring>

// void kse_call_slots(void* entry, const uint64_t* slots, size_t n): slots in rcx, rdx, r8, r9 and xmm0..3, the rest on
// the stack above the 32 bytes that the callee may use for the first four. `n` is even and at least 4.
asm(R"(
    .text
    .hidden kse_call_slots
    .globl kse_call_slots
    .type kse_call_slots, @function
kse_call_slots:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax
    leaq (,%rdx,8), %r10
    subq %r10, %rsp
    movq %rdx, %rcx
    movq %rsp, %rdi
    cld
    rep movsq
    movq (%rsp), %rcx
    movq 8(%rsp), %rdx
    movq 16(%rsp), %r8
    movq 24(%rsp), %r9
    movq %rcx, %xmm0
    movq %rdx, %xmm1
    movq %r8, %xmm2
    movq %r9, %xmm3
    call *%rax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size kse_call_slots, .-kse_call_slots
)");

extern "C" void kse_call_slots(void* entry, const uint64_t* slots, size_t n);

namespace kernelsmith::emulator {
namespace {

constexpr size_t kAlignment = 64;

bool FitsSlot(uint32_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

}  // namespace

void CallKernel(void* entry, const std::vector<KernelArgument>& arguments) {
  size_t n = (arguments.size() + 1) / 2 * 2;
  if (n < 4) n = 4;
  auto* slots = static_cast<uint64_t*>(alloca(n * sizeof(uint64_t)));
  std::memset(slots, 0, n * sizeof(uint64_t));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& argument = arguments[i];
    if (FitsSlot(argument.size)) {
      std::memcpy(&slots[i], argument.bytes, argument.size);
      continue;
    }
    auto copy = reinterpret_cast<uintptr_t>(alloca(argument.size + kAlignment));
    copy = (copy + kAlignment - 1) & ~uintptr_t{kAlignment - 1};
    std::memcpy(reinterpret_cast<void*>(copy), argument.bytes, argument.size);
    slots[i] = copy;
  }
  kse_call_slots(entry, slots, n);
}

}  // namespace kernelsmith::emulator
