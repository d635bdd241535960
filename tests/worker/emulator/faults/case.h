// The host half of a seeded fault: `program` lists its cases, `program <case>` launches one and prints what the
// emulated card says about it. A source is compiled twice, as it is and with -DREPAIRED.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "kernel_operator.h"

#ifdef REPAIRED
#define FAULTY(...)
#define REPAIR(...) __VA_ARGS__
#else
#define FAULTY(...) __VA_ARGS__
#define REPAIR(...)
#endif

extern "C" size_t kseReport(int32_t device, char* buffer, size_t capacity);

// Bytes of each of the three buffers x, y and z.
constexpr uint32_t kBytes = 1 << 16;

struct Case {
  const char* name;
  const char*
      expects;  // checks, by their names, of which the faulty form has to raise one: "race|pairing"; "clean": none
  void (*launch)(void* stream, GM_ADDR x, GM_ADDR y, GM_ADDR z);
};

// A kernel of three buffers, its blocks and what it expects.
#define CASE(kernel, blocks, expects)                                                                       \
  {                                                                                                         \
#kernel, expects,                                                                                       \
        [](void* stream, GM_ADDR x, GM_ADDR y, GM_ADDR z) { kernel<<<blocks, nullptr, stream>>>(x, y, z); } \
  }

inline int RunCases(const Case* cases, size_t n, int argc, char** argv) {
  for (size_t i = 0; i < n; ++i) {
    if (argc < 2) {
      std::printf("case %s %s\n", cases[i].name, cases[i].expects);
      continue;
    }
    if (std::strcmp(cases[i].name, argv[1]) != 0) continue;
    aclrtStream stream = nullptr;
    void* buffers[3] = {};
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) return 1;
    aclrtSetOpExecuteTimeOut(2);
    const std::string ones(kBytes, '\x3c');
    for (void*& buffer : buffers) {
      if (aclrtMalloc(&buffer, kBytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return 1;
      if (aclrtMemcpy(buffer, kBytes, ones.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE) != 0) return 1;
    }
    cases[i].launch(stream, (GM_ADDR)buffers[0], (GM_ADDR)buffers[1], (GM_ADDR)buffers[2]);
    aclrtSynchronizeStream(stream);
    std::string report(kseReport(0, nullptr, 0) + 1, '\0');
    kseReport(0, report.data(), report.size());
    std::printf("\nreport %s\n", report.c_str());
    std::fflush(stdout);
    aclFinalize();
    return 0;
  }
  return argc < 2 ? 0 : 2;
}

#define CASES(...)                                                    \
  int main(int argc, char** argv) {                                   \
    static const Case cases[] = {__VA_ARGS__};                        \
    return RunCases(cases, sizeof(cases) / sizeof(Case), argc, argv); \
  }

// Tensors of halves over the buffers, for kernels.
#define HALVES(...)                                                         \
  GlobalTensor<half> gx, gy, gz;                                            \
  gx.SetGlobalBuffer((__gm__ half*)x), gy.SetGlobalBuffer((__gm__ half*)y); \
  gz.SetGlobalBuffer((__gm__ half*)z)

// Static tensors a, b and c of 1024 halves each.
#define STATICS()                                    \
  LocalTensor<half> a(TPosition::VECIN, 0, 1024);    \
  LocalTensor<half> b(TPosition::VECIN, 2048, 1024); \
  LocalTensor<half> c(TPosition::VECOUT, 4096, 1024)
#define PAIR(event, id)          \
  SetFlag<HardEvent::event>(id); \
  WaitFlag<HardEvent::event>(id)
