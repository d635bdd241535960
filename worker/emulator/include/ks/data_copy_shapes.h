// Transfers that software makes of several plain ones, on a card too: slices of a tensor of many dimensions, and
// matrices on their way between rows (ND) and columns of blocks (NZ).
//
// Example:
//   AscendC::SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
//   AscendC::SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
//   AscendC::DataCopy(x, x_global, to, from, 2);
//   AscendC::DataCopy(x, x_global, AscendC::Nd2NzParams{1, 32, 32, 0, 32, 32, 1, 0});
#pragma once

#include "ks/data_copy.h"

namespace AscendC {

// One dimension of a slice: elements startIndex to endIndex, in pieces with `stride` elements between them. A piece of
// the first dimension is `burstLen` blocks of 32 bytes, of others one element.
struct SliceInfo {
  __aicore__ constexpr SliceInfo() {}
  __aicore__ constexpr SliceInfo(const uint32_t start, const uint32_t end, const uint32_t gap, const uint32_t blocks,
                                 const uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(gap), burstLen(blocks), shapeValue(shape) {}

  uint32_t startIndex = 0;
  uint32_t endIndex = 0;
  uint32_t stride = 0;
  uint32_t burstLen = 0;
  uint32_t shapeValue = 0;
};

// Rows of global memory become columns of blocks. Strides to local memory count blocks of 32 bytes, others elements.
struct Nd2NzParams {
  __aicore__ constexpr Nd2NzParams() {}
  __aicore__ constexpr Nd2NzParams(const uint16_t matrices, const uint16_t rows, const uint16_t columns,
                                   const uint16_t src_matrix, const uint16_t src_row, const uint16_t dst_block,
                                   const uint16_t dst_row, const uint16_t dst_matrix)
      : ndNum(matrices),
        nValue(rows),
        dValue(columns),
        srcNdMatrixStride(src_matrix),
        srcDValue(src_row),
        dstNzC0Stride(dst_block),
        dstNzNStride(dst_row),
        dstNzMatrixStride(dst_matrix) {}

  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

// And back. Blocks are 16 elements wide; srcNStride counts 16 elements, srcNdMatrixStride 256.
struct Nz2NdParamsFull {
  __aicore__ constexpr Nz2NdParamsFull() {}
  __aicore__ constexpr Nz2NdParamsFull(const uint16_t matrices, const uint16_t rows, const uint16_t columns,
                                       const uint16_t src_matrix, const uint16_t src_block, const uint16_t dst_row,
                                       const uint16_t dst_matrix)
      : ndNum(matrices),
        nValue(rows),
        dValue(columns),
        srcNdMatrixStride(src_matrix),
        srcNStride(src_block),
        dstDStride(dst_row),
        dstNdMatrixStride(dst_matrix) {}

  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 0;
};

}  // namespace AscendC

namespace ks {

inline constexpr uint32_t kMostSliceDimensions = 8;
inline constexpr uint32_t kMostRowsOfATransfer = 4095;

// Pieces of one dimension.
template <typename T>
__aicore__ inline uint32_t SlicePieces(const AscendC::SliceInfo& slice, bool first) {
  const uint64_t length = first ? slice.burstLen * ElementsIn<T>(kBlockBytes) : 1;
  const uint64_t all = uint64_t{slice.endIndex} - slice.startIndex + 1 + slice.stride;
  return static_cast<uint32_t>(all / (length + slice.stride));
}

// Offset of the first element of row `row` of the slice, counted over all dimensions but the first.
__aicore__ inline uint64_t SliceOffset(const AscendC::SliceInfo slices[], uint32_t dimensions, uint64_t row,
                                       const uint32_t pieces[]) {
  uint64_t offset = slices[0].startIndex;
  uint64_t volume = slices[0].shapeValue;
  for (uint32_t d = 1; d < dimensions; ++d) {
    const uint64_t piece = row % pieces[d];
    row /= pieces[d];
    offset += volume * (slices[d].startIndex + piece * (uint64_t{1} + slices[d].stride));
    volume *= slices[d].shapeValue;
  }
  return offset;
}

template <typename T, typename Dst, typename Src>
__aicore__ inline void CopySlices(const Dst& dst, const Src& src, const AscendC::SliceInfo to[],
                                  const AscendC::SliceInfo from[], uint32_t dimensions, const Site& site) {
  const kse_where where = site.In("DataCopy");
  uint32_t pieces[kMostSliceDimensions] = {};
  uint64_t rows = 1;
  for (uint32_t d = 0; d < dimensions && d < kMostSliceDimensions; ++d) {
    pieces[d] = SlicePieces<T>(from[d], d == 0);
    if (d != 0) rows *= pieces[d];
  }
  const uint64_t bytes = from[0].burstLen * kBlockBytes;
  const kse_bursts bursts{pieces[0], static_cast<uint32_t>(bytes), bytes + BytesOf<T>(to[0].stride),
                          bytes + BytesOf<T>(from[0].stride)};
  for (uint64_t row = 0; row < rows; ++row) {
    const Dst target = dst[SliceOffset(to, dimensions, row, pieces)];
    const Src source = src[SliceOffset(from, dimensions, row, pieces)];
    kse_copy_bursts(&target.ks, &source.ks, &bursts, &where);
  }
}

}  // namespace ks

namespace AscendC {

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                                const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, KS_SITE) {
  ks::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                                const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, KS_SITE) {
  ks::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}

// Columns that do not fill a block are filled with 0.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params,
                                KS_SITE) {
  const kse_where where = site.In("DataCopy");
  constexpr uint32_t kWidth = static_cast<uint32_t>(ks::ElementsIn<T>(ks::kBlockBytes));
  for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    for (uint32_t column = 0; column < params.dValue; column += kWidth) {
      const uint32_t width = params.dValue - column < kWidth ? params.dValue - column : kWidth;
      const kse_padding zeros{1, 0, static_cast<uint8_t>(kWidth - width), sizeof(T), 0};
      for (uint32_t row = 0; row < params.nValue; row += ks::kMostRowsOfATransfer) {
        const uint32_t left = params.nValue - row;
        const kse_bursts bursts{left < ks::kMostRowsOfATransfer ? left : ks::kMostRowsOfATransfer,
                                static_cast<uint32_t>(ks::BytesOf<T>(width)), params.dstNzNStride * ks::kBlockBytes,
                                ks::BytesOf<T>(params.srcDValue)};
        const LocalTensor<T> to = dst[matrix * params.dstNzMatrixStride +
                                      (column / kWidth * params.dstNzC0Stride + row * params.dstNzNStride) * kWidth];
        const GlobalTensor<T> from =
            src[uint64_t{matrix} * params.srcNdMatrixStride + uint64_t{row} * params.srcDValue + column];
        kse_copy_pad_in(&to.ks, &from.ks, &bursts, &zeros, &where);
      }
    }
  }
}

template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& params,
                                KS_SITE) {
  const kse_where where = site.In("DataCopy");
  constexpr uint32_t kWidth = 16;
  for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    for (uint32_t column = 0; column + kWidth <= params.dValue; column += kWidth) {
      for (uint32_t row = 0; row < params.nValue; row += ks::kMostRowsOfATransfer) {
        const uint32_t left = params.nValue - row;
        const kse_bursts bursts{left < ks::kMostRowsOfATransfer ? left : ks::kMostRowsOfATransfer,
                                static_cast<uint32_t>(ks::BytesOf<T>(kWidth)), ks::BytesOf<T>(params.dstDStride),
                                ks::BytesOf<T>(kWidth)};
        const GlobalTensor<T> to =
            dst[uint64_t{matrix} * params.dstNdMatrixStride + uint64_t{row} * params.dstDStride + column];
        const LocalTensor<T> from =
            src[matrix * params.srcNdMatrixStride * 256u + column * params.srcNStride + row * kWidth];
        kse_copy_pad_out(&to.ks, &from.ks, &bursts, &where);
      }
    }
  }
}

}  // namespace AscendC
