// Tiling structures of the high-level functions: filled by host code, read by kernels. Authors pass them on as they
// are; the emulated card needs the shapes only.
//
// They live in AscendC::tiling, and go by their plain names as well, in kernels and in namespace optiling.
#pragma once

#include <cstdint>

#include "ks/tiling_norms.h"

namespace AscendC::tiling {

struct SoftMaxTiling {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t srcSize = 0;
  uint32_t outMaxM = 0;
  uint32_t outMaxK = 0;
  uint32_t outMaxSize = 0;
  uint32_t splitM = 0;
  uint32_t splitK = 0;
  uint32_t splitSize = 0;
  uint32_t reduceM = 0;
  uint32_t reduceK = 0;
  uint32_t reduceSize = 0;
  uint32_t rangeM = 0;
  uint32_t tailM = 0;
  uint32_t tailSplitSize = 0;
  uint32_t tailReduceSize = 0;
};

struct LogSoftMaxTiling : SoftMaxTiling {};

struct TopkTiling {
  int32_t tmpLocalSize = 0;
  int32_t allDataSize = 0;
  int32_t innerDataSize = 0;
  // How a card sorts: not looked at.
  uint32_t sortRepeat = 0;
  int32_t mrgSortRepeat = 0, kAlignFourBytes = 0, kAlignTwoBytes = 0;
  int32_t maskOffset = 0, maskVreducev2FourBytes = 0, maskVreducev2TwoBytes = 0;
  int32_t mrgSortSrc1offset = 0, mrgSortSrc2offset = 0, mrgSortSrc3offset = 0, mrgSortTwoQueueSrc1Offset = 0;
  int32_t mrgFourQueueTailPara1 = 0, mrgFourQueueTailPara2 = 0, srcIndexOffset = 0;
  uint32_t copyUbToUbBlockCount = 0;
  int32_t topkMrgSrc1MaskSizeOffset = 0, topkNSmallSrcIndexOffset = 0;
  uint32_t vreduceValMask0 = 0, vreduceValMask1 = 0, vreduceIdxMask0 = 0, vreduceIdxMask1 = 0;
  uint16_t vreducehalfValMask0 = 0, vreducehalfValMask1 = 0, vreducehalfValMask2 = 0, vreducehalfValMask3 = 0;
  uint16_t vreducehalfValMask4 = 0, vreducehalfValMask5 = 0, vreducehalfValMask6 = 0, vreducehalfValMask7 = 0;
};

struct PadTiling {
  uint32_t srcHeight = 0;
  uint32_t srcWidth = 0;
  uint32_t srcOriWidth = 0;
  uint32_t stackBufferSize = 0;
};

struct UnPadTiling {
  uint32_t srcHeight = 0;
  uint32_t srcWidth = 0;
  uint32_t stackBufferSize = 0;
};

// b, n, s and h / n of the scenes with matrix blocks; 1 and up to three dimensions of the others.
struct ConfusionTransposeTiling {
  uint32_t shape[4] = {0, 0, 0, 0};
  uint32_t stackBufferSize = 0;
};

}  // namespace AscendC::tiling

#define KS_TILING_NAMES                            \
  using AscendC::tiling::BatchNormTiling;          \
  using AscendC::tiling::ConfusionTransposeTiling; \
  using AscendC::tiling::DeepNormTiling;           \
  using AscendC::tiling::GroupNormTiling;          \
  using AscendC::tiling::LayerNormGradBetaTiling;  \
  using AscendC::tiling::LayerNormGradTiling;      \
  using AscendC::tiling::LayerNormSeparateTiling;  \
  using AscendC::tiling::LayerNormTiling;          \
  using AscendC::tiling::LogSoftMaxTiling;         \
  using AscendC::tiling::PadTiling;                \
  using AscendC::tiling::RmsNormTiling;            \
  using AscendC::tiling::SoftMaxTiling;            \
  using AscendC::tiling::TopkTiling;               \
  using AscendC::tiling::UnPadTiling
KS_TILING_NAMES;
namespace optiling {
KS_TILING_NAMES;
}  // namespace optiling
#undef KS_TILING_NAMES
