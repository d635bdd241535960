// Gated activations and functions without an instruction of their own.
//
// Example:
//   AscendC::SwiGLU(y, a, b, 1.0f, workspace, 512);
#pragma once

#include "ks/library_call.h"

namespace AscendC {

// Workspace and count, both may be left out.
#define KS_GATED(Name, OPERATION, WORKSPACE, ...)                                                             \
  template <typename T, bool isReuseSource = false>                                                           \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,              \
                              const LocalTensor<T>& srcTensor1, WORKSPACE const uint32_t calCount, KS_SITE) { \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                          \
    ks::RunLibrary(OPERATION, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor0), ks::Ref(srcTensor1)}, {{calCount}}, \
                   site.In(#Name));                                                                           \
  }
KS_GATED(GeGLU, KSE_LIB_GEGLU, KS_WORKSPACE, half, float)
KS_GATED(GeGLU, KSE_LIB_GEGLU, , half, float)
KS_GATED(ReGlu, KSE_LIB_REGLU, KS_WORKSPACE, half, bfloat16_t, float)
KS_GATED(ReGlu, KSE_LIB_REGLU, , half, bfloat16_t, float)
#undef KS_GATED
template <typename T, bool isReuseSource = false>
__aicore__ inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                             const LocalTensor<T>& srcTensor1, KS_SITE) {
  GeGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, srcTensor0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                             const LocalTensor<T>& srcTensor1, const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {
  GeGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, srcTensor0.GetSize(), site);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                              const LocalTensor<T>& srcTensor1, const float& scalarValue, const uint32_t calCount,
                              KS_SITE) {
  KS_TYPES("SwiGLU", T, half, float);
  ks::RunLibrary(KSE_LIB_SWIGLU, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor0), ks::Ref(srcTensor1)}, {{calCount}},
                 site.In("SwiGLU"), 0, {{scalarValue}});
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                              const LocalTensor<T>& srcTensor1, const float& scalarValue,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, KS_SITE) {
  SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, calCount, site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                              const LocalTensor<T>& srcTensor1, const float& scalarValue, KS_SITE) {
  SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                              const LocalTensor<T>& srcTensor1, const float& scalarValue,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {
  SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize(), site);
}

template <typename T, bool highPrecision = false, bool highPerformance = false>
__aicore__ inline void FasterGeluV2(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                                    const uint32_t dataSize, KS_SITE) {
  KS_TYPES("FasterGeluV2", T, half, float);
  ks::RunLibrary(KSE_LIB_FASTER_GELU_V2, {ks::Ref(dstLocal)}, {ks::Ref(srcLocal)}, {{dataSize}},
                 site.In("FasterGeluV2"));
}
template <typename T, bool highPrecision = false, bool highPerformance = false>
__aicore__ inline void FasterGeluV2(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                                    const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize, KS_SITE) {
  FasterGeluV2<T, highPrecision, highPerformance>(dstLocal, srcLocal, dataSize, site);
}

#define KS_GAMMA(Name, OPERATION, WORKSPACE)                                                             \
  template <typename T, bool isReuseSource = false>                                                      \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,          \
                              WORKSPACE const uint32_t calCount, KS_SITE) {                              \
    KS_TYPES(#Name, T, half, float);                                                                     \
    ks::RunLibrary(OPERATION, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)}, {{calCount}}, site.In(#Name)); \
  }
KS_GAMMA(Lgamma, KSE_LIB_LGAMMA, KS_WORKSPACE)
KS_GAMMA(Lgamma, KSE_LIB_LGAMMA, )
KS_GAMMA(Digamma, KSE_LIB_DIGAMMA, KS_WORKSPACE)
KS_GAMMA(Digamma, KSE_LIB_DIGAMMA, )
#undef KS_GAMMA

}  // namespace AscendC
