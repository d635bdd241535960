// What clang calls for <<<blocks, ub, stream>>>: defined in libascendc_runtime.a, declared to kernel sources by
// language.h.
#pragma once

#ifndef KSE_HOST
#define KSE_HOST
#endif

// Size of the dynamic part of the unified buffer: bytes, or nullptr as older sources write. Not used.
struct kse_dynamic_ub {
  template <typename T>
  KSE_HOST kse_dynamic_ub(T) {
    static_assert(!__is_class(T), "the second launch parameter is a number of bytes or nullptr");
  }
};

// Without a stream: the default one.
KSE_HOST int cudaConfigureCall(__UINT32_TYPE__ blocks, kse_dynamic_ub ub = 0, void* stream = nullptr);
