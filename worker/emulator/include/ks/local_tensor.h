// A stretch of a core's own memory. Made by queues, TBuf, LocalMemAllocator or its own constructor (static tensor
// programming); copies share the memory.
//
// Example:
//   AscendC::LocalTensor<half> x = queue.AllocTensor<half>();
//   x.SetValue(0, half(1));
//   AscendC::Muls(x[128], x[128], half(2), 128);
#pragma once

#include "ks/site.h"
#include "ks/tensor_abi.h"
#include "ks/types.h"

namespace AscendC {

template <typename T>
class LocalTensor {
 public:
  using PrimType = PrimT<T>;

  __aicore__ LocalTensor() {}
  // `address` in bytes from the start of the memory behind the position, `elements` long.
  __aicore__ LocalTensor(TPosition position, uint32_t address, uint32_t elements)
      : ks{address,
           ks::BytesOf<T>(elements),
           elements,
           ks::SpaceOf(position),
           static_cast<uint8_t>(position),
           ks::ElementOf<T>(),
           0,
           0,
           0} {}
  __aicore__ explicit LocalTensor(const kse_tensor& tensor) : ks(tensor) {
    ks.element = ks::ElementOf<T>();
    ks.elements = ks::ElementsIn<T>(ks.bytes);
  }

  // dst = a + b and the like: computes as many elements as this tensor has.
  template <typename Expression, typename = typename Expression::ks_expression>
  __aicore__ LocalTensor& operator=(const Expression& expression) {
    expression.AssignTo(*this);
    return *this;
  }

  __aicore__ LocalTensor operator[](uint32_t offset) const {
    LocalTensor result = *this;
    const uint64_t bytes = ks::BytesOf<T>(offset);
    result.ks.address += bytes;
    result.ks.bytes = bytes < ks.bytes ? ks.bytes - bytes : 0;
    result.ks.elements = offset < ks.elements ? ks.elements - offset : 0;
    return result;
  }

  __aicore__ PrimType GetValue(uint32_t index, KS_SITE) const {
    static_assert(sizeof(PrimType) <= 8, "GetValue reads scalars of at most 8 bytes");
    const kse_where where = site.In("GetValue");
    const uint64_t bits = kse_get_value(&ks, ks::BytesOf<T>(index), sizeof(PrimType), &where);
    PrimType value;
    __builtin_memcpy(&value, &bits, sizeof(PrimType));
    return value;
  }
  template <typename U>
  __aicore__ void SetValue(uint32_t index, U value, KS_SITE) const {
    static_assert(sizeof(PrimType) <= 8, "SetValue writes scalars of at most 8 bytes");
    const kse_where where = site.In("SetValue");
    const PrimType element = static_cast<PrimType>(value);
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &element, sizeof(PrimType));
    kse_set_value(&ks, ks::BytesOf<T>(index), sizeof(PrimType), bits, &where);
  }
  __aicore__ __ubuf__ PrimType& operator()(uint32_t index) const {
    return *static_cast<PrimType*>(kse_local_pointer(&ks, ks::BytesOf<T>(index)));
  }

  __aicore__ uint64_t GetPhyAddr() const { return reinterpret_cast<uint64_t>(kse_local_pointer(&ks, 0)); }
  __aicore__ uint64_t GetPhyAddr(uint32_t offset) const {
    return reinterpret_cast<uint64_t>(kse_local_pointer(&ks, ks::BytesOf<T>(offset)));
  }
  __aicore__ uint32_t GetSize() const { return static_cast<uint32_t>(ks.elements); }
  __aicore__ uint32_t GetLength() const { return static_cast<uint32_t>(ks::BytesOf<T>(ks.elements)); }
  __aicore__ void SetSize(uint32_t elements) { ks.elements = elements; }
  __aicore__ void SetBufferLen(uint32_t elements) { ks.elements = elements; }
  __aicore__ int32_t GetPosition() const { return ks.position; }
  __aicore__ void SetUserTag(TTagType tag) { tag_ = tag; }
  __aicore__ TTagType GetUserTag() const { return tag_; }
  __aicore__ void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  __aicore__ ShapeInfo GetShapeInfo() const { return shape_; }

  template <typename U>
  __aicore__ LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result;
    result.ks = ks;
    result.ks.element = ks::ElementOf<U>();
    result.ks.elements = ks::ElementsIn<U>(ks::BytesOf<T>(ks.elements));
    return result;
  }
  // This tensor starts `offset` elements of the source after it.
  template <typename U>
  __aicore__ void SetAddrWithOffset(const LocalTensor<U>& source, uint32_t offset) {
    ks = source[offset].ks;
    ks.element = ks::ElementOf<T>();
    ks.elements = ks::ElementsIn<T>(ks.bytes);
  }

  kse_tensor ks{};  // what the operations library sees

 private:
  TTagType tag_ = 0;
  ShapeInfo shape_;
};

}  // namespace AscendC
