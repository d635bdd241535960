#include "tests/worker/emulator/runtime/test_image.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kernelsmith::emulator {
namespace {

constexpr char kSource[] = R"code(
#define KERNEL extern "C" __attribute__((ms_abi, visibility("default"))) void
static long call(long n, long a, long b, long c) {
  long r;
  asm volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return r;
}
KERNEL adds(int* p, long n) { for (long i = 0; i < n; ++i) p[i] += 1; }
KERNEL sums(long a, long b, long* out) { *out = a + b; }
KERNEL crashes() { *(volatile int*)0 = 1; }
KERNEL aborts() { __builtin_trap(); }
KERNEL leaves() { call(231, 0, 0, 0); }
KERNEL endless() { for (volatile int i = 0;; ++i) {} }
KERNEL tries(long* r) {
  r[0] = call(57, 0, 0, 0);                      // fork
  r[1] = call(59, (long)"/bin/true", 0, 0);      // execve
  r[2] = call(41, 1, 1, 0);                      // socket
  r[3] = call(257, -100, (long)LEFTOVER, 0101);  // openat, to write
  r[4] = call(62, call(39, 0, 0, 0), 9, 0);      // kill
  r[5] = call(110, 0, 0, 0);                     // getppid
  r[6] = call(319, (long)"x", 0, 0);             // memfd_create
}
KERNEL shouts() {
  for (long fd = 3; fd < 16; ++fd) call(1, fd, (long)"hello", 5);
}
KERNEL scribbles() {
  volatile char here = 0;
  for (long i = 0; i < (1 << 20); ++i) (&here)[i] = (char)i;
}
)code";

const char* const kNames[] = {"adds",    "sums",  "crashes",   "aborts", "leaves",
                              "endless", "tries", "scribbles", "shouts", "absent"};
char g_stubs[sizeof(kNames) / sizeof(kNames[0])];

std::string Compile() {
  char folder[] = "/tmp/ks-runtime-test-XXXXXX";
  if (::mkdtemp(folder) == nullptr) std::abort();
  const std::string path = folder;
  std::ofstream(path + "/image.cc") << kSource;
  const std::string command = "g++ -O1 -shared -fPIC -nostdlib -fno-stack-protector -DLEFTOVER='\"" + path +
                              "/leftover\"' -o " + path + "/image.so " + path + "/image.cc";
  if (std::system(command.c_str()) != 0) std::abort();
  return path;
}

struct ImageFolder {
  std::string path = Compile();
  std::string image = path + "/image.so";
  std::string leftover = path + "/leftover";
  pid_t owner = ::getpid();
  ~ImageFolder() {
    if (::getpid() != owner) return;
    ::unlink((path + "/image.cc").c_str());
    ::unlink(image.c_str());
    ::unlink(leftover.c_str());
    ::rmdir(path.c_str());
  }
};

const ImageFolder& Folder() {
  static const ImageFolder folder;
  return folder;
}

}  // namespace

const std::string& TestImagePath() { return Folder().image; }

const std::string& LeftoverPath() { return Folder().leftover; }

const std::string& TestImage() {
  static const std::string bytes = [] {
    std::ifstream file(TestImagePath(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

TestKernels::TestKernels(const Acl& acl) : acl_(acl) {
  void* const image = acl.kseRegisterImage(TestImage().data(), TestImage().size());
  for (const char* name : kNames) acl.kseRegisterKernel(image, stub(name), name);
}

const void* TestKernels::stub(const char* name) const {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (std::strcmp(kNames[i], name) == 0) return &g_stubs[i];
  }
  return nullptr;
}

int TestKernels::Launch(const char* name, void* stream, const std::vector<uint64_t>& values, uint32_t blocks) const {
  std::vector<KseArgument> arguments;
  for (const uint64_t& value : values) arguments.push_back({&value, sizeof(value)});
  return acl_.kseLaunch(stub(name), blocks, stream, arguments.data(), static_cast<uint32_t>(arguments.size()));
}

}  // namespace kernelsmith::emulator
