// Changes of shape: Pad, UnPad, TransData, Transpose between the layouts of matrix blocks.
//
// Example:
//   AscendC::PadParams params{0, 1, 321};
//   AscendC::Pad(padded, x, params, workspace, tiling);
#pragma once

#include "ks/layout.h"
#include "ks/library_call.h"
#include "ks/tiling_structures.h"

namespace AscendC {

struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};

struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};

#define KS_PAD(WORKSPACE)                                                                                            \
  template <typename T>                                                                                              \
  __aicore__ inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                       \
                             const PadParams& padParams, WORKSPACE const PadTiling& tiling, KS_SITE) {               \
    KS_TYPES("Pad", T, int16_t, uint16_t, half, int32_t, uint32_t, float);                                           \
    ks::RunLibrary(KSE_LIB_PAD, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)},                                          \
                   {{tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padParams.leftPad, padParams.rightPad}}, \
                   site.In("Pad"), 0, {{static_cast<float>(padParams.padValue)}});                                   \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  __aicore__ inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                     \
                               const UnPadParams& unPadParams, WORKSPACE const UnPadTiling& tiling, KS_SITE) {       \
    KS_TYPES("UnPad", T, int16_t, uint16_t, half, int32_t, uint32_t, float);                                         \
    ks::RunLibrary(KSE_LIB_UNPAD, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)},                                        \
                   {{tiling.srcHeight, tiling.srcWidth, unPadParams.rightPad}}, site.In("UnPad"));                   \
  }
KS_PAD(KS_WORKSPACE)
KS_PAD()
#undef KS_PAD

#define KS_TRANSPOSE(Name, WORKSPACE)                                                                                 \
  template <typename T>                                                                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                   \
                              WORKSPACE TransposeType transposeType, const ConfusionTransposeTiling& tiling,          \
                              KS_SITE) {                                                                              \
    KS_TYPES(#Name, T, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);               \
    ks::RunLibrary(                                                                                                   \
        KSE_LIB_CONFUSION_TRANSPOSE, {ks::Ref(dst)}, {ks::Ref(src)},                                                  \
        {{static_cast<uint32_t>(transposeType), tiling.shape[0], tiling.shape[1], tiling.shape[2], tiling.shape[3]}}, \
        site.In(#Name));                                                                                              \
  }
KS_TRANSPOSE(Transpose, KS_WORKSPACE)
KS_TRANSPOSE(Transpose, )
KS_TRANSPOSE(ConfusionTranspose, KS_WORKSPACE)
KS_TRANSPOSE(ConfusionTranspose, )
#undef KS_TRANSPOSE

template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

}  // namespace AscendC

namespace ks {

KS_BOTH constexpr int TransDataKind(const AscendC::TransDataConfig& config) {
  using AscendC::DataFormat;
  if (config.srcFormat == DataFormat::NCDHW && config.dstFormat == DataFormat::NDC1HWC0) return KSE_NCDHW_TO_NDC1HWC0;
  if (config.srcFormat == DataFormat::NDC1HWC0 && config.dstFormat == DataFormat::NCDHW) return KSE_NDC1HWC0_TO_NCDHW;
  if (config.srcFormat == DataFormat::NCDHW && config.dstFormat == DataFormat::FRACTAL_Z_3D) {
    return KSE_NCDHW_TO_FRACTAL_Z_3D;
  }
  if (config.srcFormat == DataFormat::FRACTAL_Z_3D && config.dstFormat == DataFormat::NCDHW) {
    return KSE_FRACTAL_Z_3D_TO_NCDHW;
  }
  return -1;
}

template <typename Layout>
__aicore__ inline LibrarySizes TransDataSizes(const Layout& ncdhw, uint32_t kind) {
  const auto& shape = ncdhw.GetShape();
  return LibrarySizes{
      {static_cast<uint32_t>(AscendC::Std::get<0>(shape)), static_cast<uint32_t>(AscendC::Std::get<1>(shape)),
       static_cast<uint32_t>(AscendC::Std::get<2>(shape)), static_cast<uint32_t>(AscendC::Std::get<3>(shape)),
       static_cast<uint32_t>(AscendC::Std::get<4>(shape)), kind}};
}

}  // namespace ks

namespace AscendC {

#define KS_TRANS_DATA(WORKSPACE)                                                                                   \
  template <const TransDataConfig& config, typename T, typename U, typename S>                                     \
  __aicore__ inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,               \
                                   WORKSPACE const TransDataParams<U, S>& params, KS_SITE) {                       \
    KS_TYPES("TransData", T, int16_t, uint16_t, half, bfloat16_t);                                                 \
    static_assert(ks::TransDataKind(config) >= 0, "TransData: this pair of formats is not supported on dav-2201"); \
    constexpr uint32_t kKind = static_cast<uint32_t>(ks::TransDataKind(config));                                   \
    if constexpr (config.srcFormat == DataFormat::NCDHW) {                                                         \
      ks::RunLibrary(KSE_LIB_TRANS_DATA, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)},                               \
                     ks::TransDataSizes(params.srcLayout, kKind), site.In("TransData"));                           \
    } else {                                                                                                       \
      ks::RunLibrary(KSE_LIB_TRANS_DATA, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)},                               \
                     ks::TransDataSizes(params.dstLayout, kKind), site.In("TransData"));                           \
    }                                                                                                              \
  }
KS_TRANS_DATA(KS_WORKSPACE)
KS_TRANS_DATA()
#undef KS_TRANS_DATA

}  // namespace AscendC
