// A program for mssanitizer to watch: launches the kernel it is told, gives nothing back, and ends with code 3.
#include <cstdio>

#include "tests/worker/emulator/runtime/test_image.h"

int main(int argc, char** argv) {
  using namespace kernelsmith::emulator;  // NOLINT(google-build-using-namespace)
  const Acl acl = LoadAcl();
  if (argc != 2 || acl.aclrtSetDevice(0) != 0) return 1;
  const TestKernels kernels(acl);
  int* const values = acl.Upload(std::vector<int>{1, 2, 3});
  kernels.Launch(argv[1], nullptr, {Value(values), 3});
  std::printf("sync %d\n", acl.aclrtSynchronizeStream(nullptr));
  return 3;
}
