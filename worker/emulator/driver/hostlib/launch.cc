// Host side of <<<>>>: what clang's stubs and module constructors call, on top of the runtime's border (runtime/kse.h).
// Linked statically into every output of the driver, all symbols hidden, so that several kernel libraries, and a
// process that holds another vendor's runtime, do not meet.
#include "worker/emulator/include/ks/launch.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "worker/emulator/runtime/kse.h"

namespace {

struct Launch {
  uint32_t blocks = 0;
  void* stream = nullptr;
  std::vector<kse_argument> arguments;
};

// Between configuring a launch and making it a thread does nothing but evaluate the arguments.
thread_local Launch launch;

// Section headers end an image, as ld.lld writes it.
size_t ImageBytes(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  return header.e_shoff + static_cast<size_t>(header.e_shnum) * header.e_shentsize;
}

// What clang's module constructor passes.
struct FatBinary {
  int32_t magic;
  int32_t version;
  const void* image;
  void* reserved;
};

}  // namespace

int cudaConfigureCall(uint32_t blocks, kse_dynamic_ub, void* stream) {
  launch.blocks = blocks;
  launch.stream = stream;
  launch.arguments.clear();
  return 0;
}

extern "C" {

int cudaSetupArgument(const void* value, size_t bytes, size_t /*offset*/) {
  launch.arguments.push_back({value, static_cast<uint32_t>(bytes)});
  return 0;
}

int cudaLaunch(const void* stub) {
  return kseLaunch(stub, launch.blocks, launch.stream, launch.arguments.data(),
                   static_cast<uint32_t>(launch.arguments.size()));
}

void* __cudaRegisterFatBinary(const FatBinary* binary) {
  return kseRegisterImage(binary->image, ImageBytes(binary->image));
}

void __cudaUnregisterFatBinary(void*) {}

int __cudaRegisterFunction(void* image, const void* stub, char*, const char* name, int, void*, void*, void*, void*,
                           int*) {
  kseRegisterKernel(image, stub, name);
  return 0;
}

// Constants of device code have a shadow on the host, which nothing reads.
void __cudaRegisterVar(void*, void*, char*, const char*, int, size_t, int, int) {}
}
