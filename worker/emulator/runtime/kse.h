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
/* What happened since the last call on device `device`: a JSON object, one line,
     {"launches": [{"kernel": "add", "blocks": 8, "us": 12.5, "end": "done", "message": "", "truncated": false,
       "cores": [{"core": "aiv 0", "us": 11.0, "pipes": {"scalar": 1.0, "vector": 2.0, "mte2": 3.0, "mte3": 2.5}}],
       "findings": [{"severity": "error", "check": "race", "operation": "Add", "buffer": "UB", "offset": 0, "bytes":
   256, "core": "aiv 0", "file": "k.asc", "line": 12, "text": "...", "count": 3, "hazard": "RAW", "other_operation":
   "DataCopy", "other_line": 10}]}]} At most the last 64 launches, 50 findings each. Returns the bytes needed; writes at
   most `capacity`. With a null buffer nothing is forgotten. Waits for what is enqueued. */
size_t kseReport(int32_t device, char* buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
