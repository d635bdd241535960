// A device image for tests, made by the host's compiler: kernels in the calling convention of images, without the
// instrumentation that the driver adds, so that what they do is what foreign code could do.
//
//   adds(int* p, int n)          p[i] += 1
//   sums(long a, long b, long* out)   *out = a + b
//   crashes(), aborts(), leaves() touch address 0, execute an illegal instruction, end the process
//   endless()                    never returns
//   tries(long* results)         forbidden system calls; what each returned
//   shouts()                     writes "hello" to whatever descriptor it has
//   scribbles()                  overwrites the stack of its caller
#pragma once

#include <string>

#include "tests/worker/emulator/runtime/acl.h"

namespace kernelsmith::emulator {

// Path of the image, compiled on first use, before a test forks.
const std::string& TestImagePath();
// Its bytes.
const std::string& TestImage();
// The file that `tries` tries to make, a name of this process alone.
const std::string& LeftoverPath();

// Registers the image in this process as the driver's code would, and launches by name.
class TestKernels {
 public:
  explicit TestKernels(const Acl& acl);
  // kseLaunch with 8-byte values.
  int Launch(const char* name, void* stream, const std::vector<uint64_t>& values, uint32_t blocks = 1) const;
  // A function that stands for the kernel on the host.
  const void* stub(const char* name) const;

 private:
  const Acl& acl_;
};

inline uint64_t Value(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace kernelsmith::emulator
