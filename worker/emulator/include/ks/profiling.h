// Marks for profilers and simulators of a card, and the debugging calls that take raw addresses.
//
// Example:
//   TRACE_START(0x2);  ...  TRACE_STOP(0x2);
//   asc_dump_gm(src, /*desc=*/1, /*dump_size=*/32);
#pragma once

#include "ks/debug.h"
#include "ks/system.h"

__aicore__ inline void asc_prof_start() {}
__aicore__ inline void asc_prof_stop() {}

// Printed with -DASCENDC_TIME_STAMP_ON alone, as documented.
__aicore__ inline void asc_time_stamp([[maybe_unused]] uint32_t desc_id) {
#ifdef ASCENDC_TIME_STAMP_ON
  AscendC::PrintTimeStamp(desc_id);
#endif
}

// Host code has a clock() of its own.
__aicore__ inline uint64_t clock() { return static_cast<uint64_t>(AscendC::GetSystemCycle()); }

#define TRACE_START(...) static_cast<void>(0)
#define TRACE_STOP(...) static_cast<void>(0)

namespace ks {

// `elements` at an address, in global memory or, if it lies in one of the core's own, there.
template <typename T>
__aicore__ inline void DumpAddress(const T* input, uint32_t description, uint32_t elements, const Site& site) {
  const kse_where where = site.In("asc_dump");
  kse_tensor tensor{};
  kse_locate_pointer(input, &tensor);
  tensor.bytes = BytesOf<T>(elements);
  tensor.elements = elements;
  tensor.element = ElementOf<T>();
  kse_dump_tensor(&tensor, description, elements, nullptr, 0, &where);
}

}  // namespace ks

#define KS_DUMP(Name)                                                                       \
  template <typename T>                                                                     \
  __aicore__ inline void Name(const T* input, uint32_t desc, uint32_t dump_size, KS_SITE) { \
    ks::DumpAddress(input, desc, dump_size, site);                                          \
  }
KS_DUMP(asc_dump_gm)
KS_DUMP(asc_dump_ubuf)
KS_DUMP(asc_dump)
#undef KS_DUMP
