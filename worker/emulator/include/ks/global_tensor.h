// A stretch of global memory. SetGlobalBuffer gives it an address; bounds are those of the allocation it lies in.
//
// Example:
//   AscendC::GlobalTensor<half> x;
//   x.SetGlobalBuffer((__gm__ half*)address + block * n, n);
#pragma once

#include "ks/local_tensor.h"

namespace AscendC {

enum class CacheMode : uint8_t {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL,
  CACHE_MODE_LAST,
  CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE, RW };

template <typename T>
class GlobalTensor {
 public:
  using PrimType = PrimT<T>;

  __aicore__ GlobalTensor() {}

  __aicore__ void SetGlobalBuffer(__gm__ PrimType* buffer, uint64_t elements) {
    ks = kse_tensor{reinterpret_cast<uint64_t>(buffer),
                    ks::BytesOf<T>(elements),
                    elements,
                    KSE_SPACE_GLOBAL,
                    static_cast<uint8_t>(TPosition::GM),
                    ks::ElementOf<T>(),
                    0,
                    0,
                    0};
  }
  __aicore__ void SetGlobalBuffer(__gm__ PrimType* buffer) { SetGlobalBuffer(buffer, 0); }

  __aicore__ GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor result = *this;
    const uint64_t bytes = ks::BytesOf<T>(offset);
    result.ks.address += bytes;
    result.ks.bytes = bytes < ks.bytes ? ks.bytes - bytes : 0;
    result.ks.elements = offset < ks.elements ? ks.elements - offset : 0;
    return result;
  }

  __aicore__ PrimType GetValue(uint64_t index, KS_SITE) const {
    static_assert(sizeof(PrimType) <= 8, "GetValue reads scalars of at most 8 bytes");
    const kse_where where = site.In("GetValue");
    const uint64_t bits = kse_get_value(&ks, ks::BytesOf<T>(index), sizeof(PrimType), &where);
    PrimType value;
    __builtin_memcpy(&value, &bits, sizeof(PrimType));
    return value;
  }
  __aicore__ void SetValue(uint64_t index, PrimType value, KS_SITE) {
    static_assert(sizeof(PrimType) <= 8, "SetValue writes scalars of at most 8 bytes");
    const kse_where where = site.In("SetValue");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(PrimType));
    kse_set_value(&ks, ks::BytesOf<T>(index), sizeof(PrimType), bits, &where);
  }
  __aicore__ __gm__ PrimType& operator()(uint64_t index) const { return GetPhyAddr()[index]; }

  __aicore__ __gm__ PrimType* GetPhyAddr() const { return reinterpret_cast<__gm__ PrimType*>(ks.address); }
  __aicore__ __gm__ PrimType* GetPhyAddr(uint64_t offset) const {
    return reinterpret_cast<__gm__ PrimType*>(ks.address + ks::BytesOf<T>(offset));
  }
  __aicore__ uint64_t GetSize() const { return ks.elements; }
  __aicore__ void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  __aicore__ ShapeInfo GetShapeInfo() const { return shape_; }
  // A hint to the L2 cache: without effect on results. Time follows CACHE_MODE_DISABLE; staying in the cache for good
  // is not for dav-2201, as documented.
  template <CacheRwMode kMode = CacheRwMode::RW>
  __aicore__ void SetL2CacheHint(CacheMode mode) {
    ks.uncached = mode == CacheMode::CACHE_MODE_DISABLE ? 1 : 0;
  }

  template <typename U>
  __aicore__ GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> result;
    result.ks = ks;
    result.ks.element = ks::ElementOf<U>();
    result.ks.elements = ks::ElementsIn<U>(ks::BytesOf<T>(ks.elements));
    return result;
  }

  kse_tensor ks{};  // what the operations library sees

 private:
  ShapeInfo shape_;
};

}  // namespace AscendC
