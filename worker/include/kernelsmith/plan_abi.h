// What the plan of a candidate for Ascend sees. A candidate is two files: kernel.asc, device code alone, with kernels
//
//   extern "C" __global__ __vector__ void softmax(GM_ADDR x, GM_ADDR y, GM_ADDR tiling);   // pointers only
//
// and plan.cpp, host code that runs in a process of its own, away from the card:
//
//   extern "C" int ks_plan(const ks_call* call, struct ks_plan* plan);   // 0 on success
//
// The plan is called once per case, with the shapes but without data (ks_tensor.data is null), and says what to launch.
// It must give the same answer for the same shapes. The worker copies the tiling bytes to the card, makes the
// workspace, and makes the launches in order on one stream. ks_call.cpu_count is the number of vector cores of the
// card.
//
//   static int32_t tiling[4];
//   extern "C" int ks_plan(const ks_call* call, ks_plan* plan) {
//     tiling[0] = (int32_t)call->inputs[0].shape[0];
//     plan->tiling = tiling;
//     plan->tiling_bytes = sizeof tiling;
//     ks_launch* launch = ks_add_launch(plan, "softmax", call->cpu_count);
//     ks_add_input(launch, 0);
//     ks_add_output(launch, 0);
//     ks_add_tiling(launch, 0);
//     return 0;
//   }
//
// Plain C; on the include path of every plan as <kernelsmith/plan_abi.h>.
#ifndef KERNELSMITH_PLAN_ABI_H_
#define KERNELSMITH_PLAN_ABI_H_

#include "kernelsmith/kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KS_PLAN_MAX_LAUNCHES 16
#define KS_PLAN_MAX_ARGUMENTS 32
#define KS_PLAN_MAX_NAME 128
#define KS_PLAN_MAX_TILING_BYTES 65536

typedef enum ks_argument_kind {
  KS_ARGUMENT_INPUT = 1,      // value: index of the input; element (0, 0, ...) of it
  KS_ARGUMENT_OUTPUT = 2,     // value: index of the output
  KS_ARGUMENT_WORKSPACE = 3,  // value: byte offset into the workspace, a multiple of 32
  KS_ARGUMENT_TILING = 4      // value: byte offset into the tiling bytes, a multiple of 32
} ks_argument_kind;

typedef struct ks_argument {
  int32_t kind;  // ks_argument_kind
  int32_t reserved;
  int64_t value;
} ks_argument;

typedef struct ks_launch {
  char kernel[KS_PLAN_MAX_NAME];  // name of an extern "C" kernel in kernel.asc
  uint32_t blocks;                // 1 to 65535
  uint32_t n_arguments;
  ks_argument arguments[KS_PLAN_MAX_ARGUMENTS];
} ks_launch;

// No typedef: the entry of a plan has the same name.
struct ks_plan {
  uint32_t abi_version;      // KS_ABI_VERSION, set by the caller
  uint32_t n_launches;       // 0 when ks_plan is called
  uint64_t workspace_bytes;  // arbitrary content before each call
  uint64_t zeroed_bytes;     // leading bytes of the workspace that are set to zero before each call; at most 1 MiB
  uint64_t tiling_bytes;     // at most KS_PLAN_MAX_TILING_BYTES
  const void* tiling;        // read after ks_plan returned; 32-byte aligned on the card
  ks_launch launches[KS_PLAN_MAX_LAUNCHES];
};

// Next launch of the plan, or null when it is full.
static inline ks_launch* ks_add_launch(struct ks_plan* plan, const char* kernel, uint32_t blocks) {
  ks_launch* launch;
  uint32_t i = 0;
  if (plan->n_launches >= KS_PLAN_MAX_LAUNCHES) return 0;
  launch = &plan->launches[plan->n_launches++];
  for (; kernel[i] != 0 && i + 1 < KS_PLAN_MAX_NAME; ++i) launch->kernel[i] = kernel[i];
  launch->kernel[i] = 0;
  launch->blocks = blocks;
  launch->n_arguments = 0;
  return launch;
}

static inline void ks_add_argument(ks_launch* launch, int32_t kind, int64_t value) {
  if (launch == 0 || launch->n_arguments >= KS_PLAN_MAX_ARGUMENTS) return;
  launch->arguments[launch->n_arguments].kind = kind;
  launch->arguments[launch->n_arguments].reserved = 0;
  launch->arguments[launch->n_arguments].value = value;
  ++launch->n_arguments;
}
static inline void ks_add_input(ks_launch* launch, int64_t index) { ks_add_argument(launch, KS_ARGUMENT_INPUT, index); }
static inline void ks_add_output(ks_launch* launch, int64_t index) {
  ks_add_argument(launch, KS_ARGUMENT_OUTPUT, index);
}
static inline void ks_add_workspace(ks_launch* launch, int64_t offset) {
  ks_add_argument(launch, KS_ARGUMENT_WORKSPACE, offset);
}
static inline void ks_add_tiling(ks_launch* launch, int64_t offset) {
  ks_add_argument(launch, KS_ARGUMENT_TILING, offset);
}

#ifdef __cplusplus
}
#endif

#endif  // KERNELSMITH_PLAN_ABI_H_
