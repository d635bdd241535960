// printf, assert, DumpTensor. Host code of the same file keeps its own printf and assert.
//
// Example:
//   AscendC::printf("block %d: %f\n", block, value);
//   ASCENDC_ASSERT(n > 0, { KERNEL_LOG(KERNEL_ERROR, "n"); });
#pragma once

#include <cstdio>
#include <cstdlib>

#include "ks/global_tensor.h"
#include "ks/print_abi.h"

namespace ks {

template <typename T>
__aicore__ inline kse_print_argument PrintArgument(const T& value) {
  using U = std::decay_t<T>;
  kse_print_argument argument{0, KSE_PRINT_UNSIGNED};
  if constexpr (std::is_same_v<U, bfloat16_t> || std::is_same_v<U, half> || std::is_floating_point_v<U>) {
    const double real = static_cast<double>(static_cast<float>(value));
    const double exact = std::is_same_v<U, double> ? static_cast<double>(value) : real;
    __builtin_memcpy(&argument.bits, &exact, sizeof(exact));
    argument.kind = KSE_PRINT_REAL;
  } else if constexpr (std::is_same_v<U, char*> || std::is_same_v<U, const char*>) {
    argument.bits = reinterpret_cast<uint64_t>(static_cast<const char*>(value));
    argument.kind = KSE_PRINT_TEXT;
  } else if constexpr (std::is_pointer_v<U>) {
    argument.bits = reinterpret_cast<uint64_t>(value);
    argument.kind = KSE_PRINT_POINTER;
  } else if constexpr (std::is_enum_v<U>) {
    argument.bits = static_cast<uint64_t>(static_cast<std::underlying_type_t<U>>(value));
  } else {
    static_assert(std::is_integral_v<U>, "printf prints integers, real numbers, texts and pointers");
    argument.bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    if constexpr (!std::is_signed_v<U>) argument.bits = static_cast<uint64_t>(value);
    argument.kind = std::is_signed_v<U> ? KSE_PRINT_SIGNED : KSE_PRINT_UNSIGNED;
  }
  return argument;
}

template <typename... Args>
__aicore__ inline void Print(const char* format, const Args&... args) {
  const kse_print_argument arguments[sizeof...(Args) + 1] = {PrintArgument(args)..., kse_print_argument{}};
  const kse_where where{"printf", nullptr, 0};
  kse_print(format, arguments, sizeof...(Args), &where);
}

template <typename... Args>
__aicore__ inline void AssertFailed(const char* condition, const char* file, uint32_t line,
                                    const char* format = nullptr, const Args&... args) {
  const kse_print_argument arguments[sizeof...(Args) + 1] = {PrintArgument(args)..., kse_print_argument{}};
  const kse_where where{"assert", file, line};
  kse_assert_failed(condition, format, arguments, sizeof...(Args), &where);
}
template <typename... Args>
__attribute__((host)) inline void AssertFailed(const char* condition, const char* file, uint32_t line,
                                               const char* = nullptr, const Args&...) {
  ::fprintf(stderr, "[ASSERT] %s:%u: Assertion `%s'\n", file, line, condition);
  ::abort();
}

}  // namespace ks

template <typename... Args>
__aicore__ inline void printf(const char* format, const Args&... args) {
  ks::Print(format, args...);
}

namespace AscendC {

using ::printf;
template <typename... Args>
__aicore__ inline void PRINTF(const char* format, const Args&... args) {
  ks::Print(format, args...);
}

template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t description, uint32_t elements, KS_SITE) {
  const kse_where where = site.In("DumpTensor");
  kse_dump_tensor(&tensor.ks, description, elements, nullptr, 0, &where);
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t description, uint32_t elements, KS_SITE) {
  const kse_where where = site.In("DumpTensor");
  kse_dump_tensor(&tensor.ks, description, elements, nullptr, 0, &where);
}
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t description, uint32_t elements,
                                  const ShapeInfo& shape, KS_SITE) {
  const kse_where where = site.In("DumpTensor");
  kse_dump_tensor(&tensor.ks, description, elements, shape.shape, shape.shapeDim, &where);
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t description, uint32_t elements,
                                  const ShapeInfo& shape, KS_SITE) {
  const kse_where where = site.In("DumpTensor");
  kse_dump_tensor(&tensor.ks, description, elements, shape.shape, shape.shapeDim, &where);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t offset, uint32_t elements,
                                       KS_SITE) {
  DumpTensor(tensor[offset], index, elements, site);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t offset,
                                       uint32_t elements, KS_SITE) {
  DumpTensor(tensor[offset], index, elements, site);
}
__aicore__ inline void PrintTimeStamp(uint32_t description, KS_SITE) {
  const kse_where where = site.In("PrintTimeStamp");
  kse_print_time_stamp(description, &where);
}
__aicore__ inline void Trap(KS_SITE) {
  const kse_where where = site.In("Trap");
  kse_trap(&where);
}

}  // namespace AscendC

// Of earlier versions. Log lines appear where kernels run as programs of the host, not on a card.
#define KERNEL_LOG(level, ...) static_cast<void>(0)
#define ASCENDC_ASSERT(condition, behavior)             \
  do {                                                  \
    if (!(condition)) {                                 \
      behavior;                                         \
      ks::AssertFailed(#condition, __FILE__, __LINE__); \
    }                                                   \
  } while (false)

#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...) KSE_ASSERT(__VA_ARGS__)
#endif
#define ascendc_assert(...) KSE_ASSERT(__VA_ARGS__)
#define ASSERT(...) KSE_ASSERT(__VA_ARGS__)
#define KSE_ASSERT(condition, ...)                                                                 \
  do {                                                                                             \
    if (!(condition)) ks::AssertFailed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
