// Parameters of vector calls: strides, modes. Strides count blocks of 32 bytes: a block stride within one repeat, a
// repeat stride from one repeat to the next. Members that the documents call reserved are there and do nothing.
#pragma once

#include <cstdint>

#include "ks/local_tensor.h"

namespace AscendC {

inline constexpr uint64_t MASK_PLACEHOLDER = 0;  // where SetVectorMask decides (isSetMask = false)
inline constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
inline constexpr int32_t DEFAULT_BLK_NUM = 8;
inline constexpr int32_t DEFAULT_BLK_STRIDE = 1;
inline constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
inline constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct BinaryRepeatParams {
  __aicore__ constexpr BinaryRepeatParams() {}
  __aicore__ constexpr BinaryRepeatParams(const uint8_t dst_block, const uint8_t src0_block, const uint8_t src1_block,
                                          const uint8_t dst_repeat, const uint8_t src0_repeat,
                                          const uint8_t src1_repeat)
      : dstBlkStride(dst_block),
        src0BlkStride(src0_block),
        src1BlkStride(src1_block),
        dstRepStride(dst_repeat),
        src0RepStride(src0_repeat),
        src1RepStride(src1_repeat) {}

  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};

struct UnaryRepeatParams {
  __aicore__ constexpr UnaryRepeatParams() {}
  __aicore__ constexpr UnaryRepeatParams(const uint16_t dst_block, const uint16_t src_block, const uint8_t dst_repeat,
                                         const uint8_t src_repeat)
      : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
  __aicore__ constexpr UnaryRepeatParams(const uint16_t dst_block, const uint16_t src_block, const uint8_t dst_repeat,
                                         const uint8_t src_repeat, const bool half_block)
      : UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat) {
    halfBlock = half_block;
  }

  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  bool halfBlock = false;
};

enum class RoundMode : uint8_t { CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

enum class ReduceType : uint8_t { SUM = 0, MAX, MIN };

enum class SaturationMode : uint8_t { FLOAT = 0, CAST };

// Strides of Brcb and Gatherb.
struct BrcbRepeatParams {
  __aicore__ constexpr BrcbRepeatParams() {}
  __aicore__ constexpr BrcbRepeatParams(const uint16_t dst_block, const uint16_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
};

struct GatherRepeatParams {
  __aicore__ constexpr GatherRepeatParams() {}
  __aicore__ constexpr GatherRepeatParams(const uint8_t dst_block, const uint8_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
};

struct GatherMaskParams {
  __aicore__ constexpr GatherMaskParams() {}
  __aicore__ constexpr GatherMaskParams(const uint8_t block, const uint16_t repeats, const uint16_t src_repeat,
                                        const uint8_t pattern_repeat)
      : src0BlockStride(block), repeatTimes(repeats), src0RepeatStride(src_repeat), src1RepeatStride(pattern_repeat) {}

  uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

struct TransDataTo5HDParams {
  __aicore__ constexpr TransDataTo5HDParams() {}
  __aicore__ constexpr TransDataTo5HDParams(const bool dst_high, const bool src_high, const uint8_t repeats,
                                            const uint16_t dst_repeat, const uint16_t src_repeat)
      : dstHighHalf(dst_high),
        srcHighHalf(src_high),
        repeatTimes(repeats),
        dstRepStride(dst_repeat),
        srcRepStride(src_repeat) {}

  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

// What Transpose with a workspace does.
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW,
  TRANSPOSE_ND2ND_021,
  TRANSPOSE_ND2ND_102,
  TRANSPOSE_ND2ND_210,
  TRANSPOSE_ND2NZ_WITH_INTLV,
};

struct TransposeParamsExt {
  __aicore__ constexpr TransposeParamsExt() {}
  __aicore__ constexpr TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w,
                                          const TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}

  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

// Lists that MrgSort merges.
template <typename T>
struct MrgSortSrcList {
  __aicore__ MrgSortSrcList() {}
  __aicore__ MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                            const LocalTensor<T>& fourth)
      : src1(first), src2(second), src3(third), src4(fourth) {}

  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

struct MrgSort4Info {
  __aicore__ constexpr MrgSort4Info() {}
  __aicore__ constexpr MrgSort4Info(const uint16_t lengths[4], const bool suspend, const uint16_t valid,
                                    const uint16_t repeats)
      : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
        ifExhaustedSuspension(suspend),
        validBit(valid),
        repeatTimes(repeats) {}

  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

}  // namespace AscendC
