// printf, assert and DumpTensor, as the operations library takes them.
#pragma once

#include "ks/abi.h"

extern "C" {

enum kse_print_kind : uint8_t {
  KSE_PRINT_SIGNED = 0,
  KSE_PRINT_UNSIGNED,
  KSE_PRINT_REAL,
  KSE_PRINT_TEXT,
  KSE_PRINT_POINTER
};

struct kse_print_argument {
  uint64_t bits;  // of an int64_t, uint64_t, double, const char* or pointer
  uint8_t kind;   // kse_print_kind
};

KS_DEVICE void kse_print(const char* format, const kse_print_argument* arguments, uint32_t n, const kse_where* where);
// Prints the failed condition and what follows, and ends the core. `format` may be null.
KS_DEVICE void kse_assert_failed(const char* condition, const char* format, const kse_print_argument* arguments,
                                 uint32_t n, const kse_where* where);
KS_DEVICE void kse_trap(const kse_where* where);
// Prints `elements` values. `shape`, of `dimensions` sizes, may be null.
KS_DEVICE void kse_dump_tensor(const kse_tensor* tensor, uint32_t description, uint32_t elements, const uint32_t* shape,
                               uint32_t dimensions, const kse_where* where);
KS_DEVICE void kse_print_time_stamp(uint32_t description, const kse_where* where);
}
