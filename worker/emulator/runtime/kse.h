/* What libascendcl.so of the emulated CANN exports beside the ACL functions. The first group is called by code that the
   driver generates; the second is how a program that knows it runs on an emulated card learns more than ACL tells.
   Plain C. A real CANN has none of these symbols. */
#ifndef KERNELSMITH_EMULATOR_KSE_H_
#define KERNELSMITH_EMULATOR_KSE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kse_argument {
  const void* value;
  uint32_t size;
} kse_argument;

/* Registers a device image (an ELF shared object; stays valid until the process ends). Never fails: what is wrong with
   the image is reported at the first launch. */
void* kseRegisterImage(const void* elf, size_t bytes);
/* `stub` is the address of the host function that stands for the kernel; `name` its mangled device name. */
void kseRegisterKernel(void* image, const void* stub, const char* name);
/* Enqueues a launch. Values are copied. Errors are kept for aclrtGetLastError, as for kernels launched by <<<>>>. */
int kseLaunch(const void* stub, uint32_t blocks, void* stream, const kse_argument* arguments, uint32_t n_arguments);

/* "emulated-cann <version>". */
const char* kseLabel(void);
/* What happened on device `device` that was not yet told: a JSON object, one line of printable ASCII,
     {"launches": [{"kernel": "add", "blocks": 8, "us": 12.5, "end": "done", "message": "", "truncated": false,
       "auto_sync": true,
       "cores": [{"core": "aiv 0", "us": 11.0, "pipes": {"scalar": 1.0, "vector": 2.0, "mte2": 3.0, "mte3": 2.5},
         "bytes_read": 4096, "bytes_written": 2048}],
       "findings": [{"severity": "error", "check": "race", "operation": "Add", "pipe": "V", "buffer": "UB",
         "buffer_index": 1, "offset": 0, "bytes": 256, "core": "aiv 0", "file": "k.asc", "line": 12, "text": "...",
         "count": 3, "hazard": "RAW", "other_operation": "DataCopy", "other_pipe": "MTE2", "other_core": "aiv 0",
         "other_file": "k.asc", "other_line": 10}]}]}
   "end" is done, fault, timeout, hang, assert or unknown_kernel; pipes that did nothing are left out; "us" is simulated
   and includes the launch; "core" is "aiv <block>.<sub-block>" where blocks have several; what does not apply is "" or
   0. At most the last 64 launches, 50 findings each. Returns the bytes needed; writes at most `capacity`, and forgets
   what it wrote if all of it fitted. With a null buffer nothing is forgotten. Waits for what is enqueued. After the
   device was reset there is nothing to tell. */
size_t kseReport(int32_t device, char* buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
