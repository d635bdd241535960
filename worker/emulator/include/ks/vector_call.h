// How a typed call becomes a call into the operations library. Internal to the vector headers.
#pragma once

#include <cstdint>

#include "ks/local_tensor.h"
#include "ks/vector_abi.h"
#include "ks/vector_params.h"

namespace ks {

template <typename T, typename... Allowed>
inline constexpr bool kOneOf = (std::is_same_v<T, Allowed> || ...);

// `static_assert` of an API on its element type; clang names the type.
#define KS_TYPES(api, type, ...)                         \
  static_assert(ks::kOneOf<ks::Prim<type>, __VA_ARGS__>, \
                api ": this element type is not supported on dav-2201; supported are " #__VA_ARGS__)

template <typename T>
__aicore__ inline kse_operand OperandOf(const AscendC::LocalTensor<T>& tensor, uint32_t block_stride = 1,
                                        uint32_t repeat_stride = 8) {
  return kse_operand{&tensor.ks, block_stride, repeat_stride};
}
__aicore__ inline kse_operand NoOperand() { return kse_operand{nullptr, 1, 8}; }

// The first `count` elements; with kSet false as many as the mask register says.
template <bool kSet = true>
__aicore__ inline kse_lanes CountLanes(int64_t count) {
  if constexpr (!kSet) return kse_lanes{{0, 0}, 1, KSE_LANES_REGISTER_COUNT};
  return kse_lanes{{static_cast<uint64_t>(count), 0}, 1, KSE_LANES_COUNT};
}
// Bits of each repeat. Only 16-bit elements have more than 64 lanes: the second word of others is not read.
template <bool kSet, uint32_t kBytes>
__aicore__ inline kse_lanes BitLanes(const uint64_t mask[], int32_t repeats) {
  if constexpr (!kSet) return kse_lanes{{0, 0}, repeats, KSE_LANES_REGISTER};
  if constexpr (kBytes <= 2) return kse_lanes{{mask[0], mask[1]}, repeats, KSE_LANES_BITS};
  return kse_lanes{{mask[0], 0}, repeats, KSE_LANES_BITS};
}
template <bool kSet>
__aicore__ inline kse_lanes PrefixLanes(uint64_t mask, int32_t repeats) {
  if constexpr (!kSet) return kse_lanes{{0, 0}, repeats, KSE_LANES_REGISTER};
  return kse_lanes{{mask, 0}, repeats, KSE_LANES_PREFIX};
}

template <typename T>
__aicore__ inline uint64_t BitsOf(const T& value) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T>
__aicore__ inline T FromBits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// Elements of the widest operand decide how many lanes a repeat has.
template <typename T, typename U>
inline constexpr uint32_t kWidest = sizeof(Prim<T>) > sizeof(Prim<U>) ? sizeof(Prim<T>) : sizeof(Prim<U>);

__aicore__ inline void Elementwise(kse_vector_operation operation, const kse_operand& dst, const kse_operand& a,
                                   const kse_operand& b, const kse_lanes& lanes, uint64_t scalar,
                                   const kse_where& where,
                                   AscendC::RoundMode rounding = AscendC::RoundMode::CAST_NONE) {
  const kse_vector_call call{dst, a, b, lanes, scalar, operation, static_cast<uint8_t>(rounding)};
  kse_vector_elementwise(&call, &where);
}

// What an operator between tensors stands for until it is assigned: dst = a + b computes dst.GetSize() elements.
template <typename T, kse_vector_operation kOperation>
struct BinaryExpression {
  using ks_expression = void;
  AscendC::LocalTensor<T> a;
  AscendC::LocalTensor<T> b;
  const char* name;

  __aicore__ void AssignTo(const AscendC::LocalTensor<T>& dst) const {
    const kse_where where{name, nullptr, 0};
    Elementwise(kOperation, OperandOf(dst), OperandOf(a), OperandOf(b), CountLanes(dst.GetSize()), 0, where);
  }
};

// dst = a < b: one bit for each of the sources' elements.
template <typename T, kse_compare kMode>
struct CompareExpression {
  using ks_expression = void;
  AscendC::LocalTensor<T> a;
  AscendC::LocalTensor<T> b;

  template <typename U>
  __aicore__ void AssignTo(const AscendC::LocalTensor<U>& dst) const {
    const kse_where where{"Compare", nullptr, 0};
    const kse_operand left = OperandOf(a);
    const kse_operand right = OperandOf(b);
    const kse_lanes lanes = CountLanes(a.GetSize());
    kse_vector_compare(&dst.ks, &left, &right, 0, kMode, &lanes, &where);
  }
};

}  // namespace ks
