// Transfers between global and local memory, and within local memory.
//
// Example:
//   AscendC::DataCopy(x, x_global[i * n], n);                                     // n * sizeof(ks::Prim<T>) a multiple
//   of 32 AscendC::DataCopyPad(x, x_global, {1, n * sizeof(half), 0, 0, 0}, {false, 0, 0, 0});
#pragma once

#include "ks/copy_abi.h"
#include "ks/global_tensor.h"

namespace AscendC {

// Bursts of blocks of 32 bytes, gaps in blocks.
struct DataCopyParams {
  __aicore__ constexpr DataCopyParams() {}
  __aicore__ constexpr DataCopyParams(const uint16_t count, const uint16_t length, const uint16_t src_gap,
                                      const uint16_t dst_gap)
      : blockCount(count), blockLen(length), srcStride(src_gap), dstStride(dst_gap) {}

  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  union {
    uint16_t srcStride = 0;
    uint16_t srcGap;
  };
  union {
    uint16_t dstStride = 0;
    uint16_t dstGap;
  };
};

// Bursts of bytes; gaps in bytes on the global side and in blocks of 32 bytes on the local side.
struct DataCopyExtParams {
  __aicore__ constexpr DataCopyExtParams() {}
  __aicore__ constexpr DataCopyExtParams(const uint16_t count, const uint32_t length, const uint32_t src_gap,
                                         const uint32_t dst_gap, const uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(src_gap), dstStride(dst_gap), rsv(reserved) {}

  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  __aicore__ constexpr DataCopyPadExtParams() {}
  template <typename U>
  __aicore__ constexpr DataCopyPadExtParams(const bool pads, const uint8_t left, const uint8_t right, const U value)
      : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(static_cast<T>(value)) {}

  bool isPad = false;
  uint8_t leftPadding = 0;   // elements
  uint8_t rightPadding = 0;  // elements
  T paddingValue = T(0);
};

struct DataCopyPadParams {
  __aicore__ constexpr DataCopyPadParams() {}
  __aicore__ constexpr DataCopyPadParams(const bool pads, const uint8_t left, const uint8_t right, const uint64_t value)
      : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value) {}

  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;  // bits of the element
};

struct CopyRepeatParams {
  __aicore__ constexpr CopyRepeatParams() {}
  __aicore__ constexpr CopyRepeatParams(const uint16_t dst_block, const uint16_t src_block, const uint16_t dst_repeat,
                                        const uint16_t src_repeat)
      : dstStride(dst_block), srcStride(src_block), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}

  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
};

}  // namespace AscendC

namespace ks {

inline constexpr uint64_t kBlockBytes = 32;

__aicore__ inline kse_bursts BurstsOf(const AscendC::DataCopyParams& params) {
  const uint64_t bytes = params.blockLen * kBlockBytes;
  return kse_bursts{params.blockCount, static_cast<uint32_t>(bytes), bytes + params.dstStride * kBlockBytes,
                    bytes + params.srcStride * kBlockBytes};
}
// Into local memory: each burst takes whole blocks there, paddings included.
__aicore__ inline kse_bursts PadInBursts(uint32_t count, uint64_t bytes, uint64_t src_gap, uint64_t dst_gap,
                                         uint64_t padding_bytes) {
  const uint64_t padded = (bytes + padding_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  return kse_bursts{count, static_cast<uint32_t>(bytes), padded + dst_gap * kBlockBytes, bytes + src_gap};
}
__aicore__ inline kse_bursts PadOutBursts(uint32_t count, uint64_t bytes, uint64_t src_gap, uint64_t dst_gap) {
  const uint64_t padded = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  return kse_bursts{count, static_cast<uint32_t>(bytes), bytes + dst_gap, padded + src_gap * kBlockBytes};
}

template <typename T>
__aicore__ inline uint64_t ElementBits(const T& value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename Dst, typename Src>
__aicore__ inline void CopyLinear(const Dst& dst, const Src& src, uint64_t bytes, const Site& site) {
  const kse_where where = site.In("DataCopy");
  kse_copy_linear(&dst.ks, &src.ks, bytes, &where);
}
template <typename Dst, typename Src>
__aicore__ inline void CopyBursts(const Dst& dst, const Src& src, const AscendC::DataCopyParams& params,
                                  const Site& site) {
  const kse_where where = site.In("DataCopy");
  const kse_bursts bursts = BurstsOf(params);
  kse_copy_bursts(&dst.ks, &src.ks, &bursts, &where);
}

}  // namespace ks

namespace AscendC {

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count, KS_SITE) {
  ks::CopyLinear(dst, src, ks::BytesOf<T>(count), site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KS_SITE) {
  ks::CopyLinear(dst, src, ks::BytesOf<T>(count), site);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KS_SITE) {
  ks::CopyLinear(dst, src, ks::BytesOf<T>(count), site);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                                KS_SITE) {
  ks::CopyBursts(dst, src, params, site);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                                KS_SITE) {
  ks::CopyBursts(dst, src, params, site);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                                KS_SITE) {
  ks::CopyBursts(dst, src, params, site);
}

template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyExtParams& params, const DataCopyPadExtParams<T>& padding, KS_SITE) {
  const kse_where where = site.In("DataCopyPad");
  const kse_bursts bursts =
      ks::PadInBursts(params.blockCount, params.blockLen, params.srcStride, params.dstStride,
                      uint64_t{sizeof(ks::Prim<T>)} * (uint32_t{padding.leftPadding} + padding.rightPadding));
  const kse_padding pads{padding.isPad, padding.leftPadding, padding.rightPadding, sizeof(ks::Prim<T>),
                         ks::ElementBits(padding.paddingValue)};
  kse_copy_pad_in(&dst.ks, &src.ks, &bursts, &pads, &where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                                   const DataCopyPadParams& padding, KS_SITE) {
  const kse_where where = site.In("DataCopyPad");
  const kse_bursts bursts =
      ks::PadInBursts(params.blockCount, params.blockLen, params.srcStride, params.dstStride,
                      uint64_t{sizeof(ks::Prim<T>)} * (uint32_t{padding.leftPadding} + padding.rightPadding));
  const kse_padding pads{padding.isPad, padding.leftPadding, padding.rightPadding, sizeof(ks::Prim<T>),
                         padding.paddingValue};
  kse_copy_pad_in(&dst.ks, &src.ks, &bursts, &pads, &where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyExtParams& params, KS_SITE) {
  const kse_where where = site.In("DataCopyPad");
  const kse_bursts bursts = ks::PadOutBursts(params.blockCount, params.blockLen, params.srcStride, params.dstStride);
  kse_copy_pad_out(&dst.ks, &src.ks, &bursts, &where);
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                                   KS_SITE) {
  const kse_where where = site.In("DataCopyPad");
  const kse_bursts bursts = ks::PadOutBursts(params.blockCount, params.blockLen, params.srcStride, params.dstStride);
  kse_copy_pad_out(&dst.ks, &src.ks, &bursts, &where);
}

// What DataCopyPad fills with where its own parameters give no value.
template <typename T, TPosition kPosition = TPosition::MAX>
__aicore__ inline void SetPadValue(T value) {
  kse_set_pad_value(ks::ElementBits(value), sizeof(ks::Prim<T>));
}

// Copies lanes within UB by mask, repeat and stride. kSetMask = false: by the mask register.
template <typename T, bool kSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                            const uint8_t repeats, const CopyRepeatParams& params, KS_SITE) {
  static_assert(sizeof(ks::Prim<T>) == 2 || sizeof(ks::Prim<T>) == 4,
                "Copy moves elements of 2 or 4 bytes on dav-2201");
  const kse_where where = site.In("Copy");
  const uint64_t lanes[2] = {mask[0], sizeof(ks::Prim<T>) == 2 ? mask[1] : 0};
  kse_copy_masked(&dst.ks, &src.ks, kSetMask ? lanes : nullptr, 1, repeats, params.dstStride, params.srcStride,
                  params.dstRepeatSize, params.srcRepeatSize, &where);
}
template <typename T, bool kSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask,
                            const uint8_t repeats, const CopyRepeatParams& params, KS_SITE) {
  static_assert(sizeof(ks::Prim<T>) == 2 || sizeof(ks::Prim<T>) == 4,
                "Copy moves elements of 2 or 4 bytes on dav-2201");
  const kse_where where = site.In("Copy");
  kse_copy_masked(&dst.ks, &src.ks, kSetMask ? &mask : nullptr, 0, repeats, params.dstStride, params.srcStride,
                  params.dstRepeatSize, params.srcRepeatSize, &where);
}

// `size` elements of global memory get a value.
template <typename T>
__aicore__ inline void Fill(const GlobalTensor<T>& dst, const uint64_t size, const T value, KS_SITE) {
  const kse_where where = site.In("Fill");
  kse_fill_global(&dst.ks, size, sizeof(ks::Prim<T>), ks::ElementBits(value), &where);
}
template <typename T>
__aicore__ inline void InitOutput(const GlobalTensor<T>& dst, const uint32_t size, const T value = T(0), KS_SITE) {
  const kse_where where = site.In("InitOutput");
  kse_fill_global(&dst.ks, size, sizeof(ks::Prim<T>), ks::ElementBits(value), &where);
}

// Following transfers to global memory combine with what is there.
template <typename T>
__aicore__ inline void SetAtomicAdd(KS_SITE) {
  const kse_where where = site.In("SetAtomicAdd");
  kse_set_atomic(1, ks::ElementOf<T>(), &where);
}
template <typename T>
__aicore__ inline void SetAtomicMax(KS_SITE) {
  const kse_where where = site.In("SetAtomicMax");
  kse_set_atomic(2, ks::ElementOf<T>(), &where);
}
template <typename T>
__aicore__ inline void SetAtomicMin(KS_SITE) {
  const kse_where where = site.In("SetAtomicMin");
  kse_set_atomic(3, ks::ElementOf<T>(), &where);
}
// Changes the type of the mode that is on.
template <typename T>
__aicore__ inline void SetAtomicType(KS_SITE) {
  const kse_where where = site.In("SetAtomicType");
  uint32_t operation;
  uint8_t element;
  kse_get_atomic(&operation, &element);
  kse_set_atomic(operation, ks::ElementOf<T>(), &where);
}
__aicore__ inline void SetAtomicNone(KS_SITE) {
  const kse_where where = site.In("SetAtomicNone");
  kse_set_atomic(0, KSE_NONE, &where);
}
__aicore__ inline void DisableDmaAtomic(KS_SITE) {
  const kse_where where = site.In("DisableDmaAtomic");
  kse_set_atomic(0, KSE_NONE, &where);
}

}  // namespace AscendC
