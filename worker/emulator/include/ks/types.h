// Types that many parts of the API share: positions, elements, shapes.
#pragma once

#include <cstdint>

#include "ks/abi.h"
#include "ks/base.h"
#include "ks/shared_modes.h"

namespace AscendC {

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX,
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

// 4-bit integers, two a byte.
struct int4b_t {
  int8_t pair;
};

inline constexpr uint8_t K_MAX_DIM = 8;
inline constexpr uint8_t K_MAX_SHAPE_DIM = K_MAX_DIM;

// Shape of a tensor: annotation only, no operation of this folder depends on it.
struct ShapeInfo {
  __aicore__ constexpr ShapeInfo() {}
  __aicore__ constexpr ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims,
                                 const uint32_t original_sizes[], DataFormat format)
      : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format) {
    for (uint8_t i = 0; i < dims && i < K_MAX_DIM; ++i) shape[i] = sizes[i];
    for (uint8_t i = 0; i < original_dims && i < K_MAX_DIM; ++i) originalShape[i] = original_sizes[i];
  }
  __aicore__ constexpr ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format)
      : ShapeInfo(dims, sizes, dims, sizes, format) {}
  __aicore__ constexpr ShapeInfo(uint8_t dims, const uint32_t sizes[])
      : ShapeInfo(dims, sizes, dims, sizes, DataFormat::ND) {}

  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_DIM] = {};
  uint32_t originalShape[K_MAX_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;
};

// Product of all dimensions.
__aicore__ inline int GetShapeSize(const ShapeInfo& shape) {
  int size = 1;
  for (uint8_t i = 0; i < shape.shapeDim && i < K_MAX_DIM; ++i) size *= static_cast<int>(shape.shape[i]);
  return size;
}

inline constexpr int32_t ONE_BLK_SIZE = 32;
inline constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;

template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

// A type with a place and a layout, as tensor_trait.h declares it.
template <typename T, TPosition pos, typename LayoutType>
struct TensorTrait;

using TEventID = int8_t;
using TTagType = int32_t;

}  // namespace AscendC

namespace ks {

template <typename T>
struct PrimOf {
  using type = T;
};
template <typename T, AscendC::TPosition kPosition, typename LayoutType>
struct PrimOf<AscendC::TensorTrait<T, kPosition, LayoutType>> {
  using type = T;
};
// What a tensor of T consists of: T, or for a TensorTrait the type it describes.
template <typename T>
using Prim = typename PrimOf<T>::type;

// Element type as the operations library knows it; KSE_NONE for what only moves (structs).
template <typename T>
KS_BOTH constexpr uint8_t ElementOf() {
  using U = Prim<std::remove_cv_t<T>>;
  if constexpr (std::is_same_v<U, float>) return KSE_FLOAT;
  if constexpr (std::is_same_v<U, half>) return KSE_HALF;
  if constexpr (std::is_same_v<U, bfloat16_t>) return KSE_BFLOAT16;
  if constexpr (std::is_same_v<U, AscendC::int4b_t>) return KSE_INT4;
  if constexpr (std::is_same_v<U, double>) return KSE_DOUBLE;
  if constexpr (std::is_same_v<U, bool>) return KSE_UINT8;
  if constexpr (std::is_integral_v<U>) {
    constexpr bool kSigned = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1) return kSigned ? KSE_INT8 : KSE_UINT8;
    if constexpr (sizeof(U) == 2) return kSigned ? KSE_INT16 : KSE_UINT16;
    if constexpr (sizeof(U) == 4) return kSigned ? KSE_INT32 : KSE_UINT32;
    if constexpr (sizeof(U) == 8) return kSigned ? KSE_INT64 : KSE_UINT64;
  }
  return KSE_NONE;
}

// Bytes of `elements` elements.
template <typename T>
KS_BOTH constexpr uint64_t BytesOf(uint64_t elements) {
  if constexpr (std::is_same_v<Prim<std::remove_cv_t<T>>, AscendC::int4b_t>) return elements / 2;
  return elements * sizeof(Prim<T>);
}
template <typename T>
KS_BOTH constexpr uint64_t ElementsIn(uint64_t bytes) {
  if constexpr (std::is_same_v<Prim<std::remove_cv_t<T>>, AscendC::int4b_t>) return bytes * 2;
  return bytes / sizeof(Prim<T>);
}

KS_BOTH constexpr uint8_t SpaceOf(AscendC::TPosition position) {
  switch (position) {
    case AscendC::TPosition::GM:
      return KSE_SPACE_GLOBAL;
    case AscendC::TPosition::A1:
    case AscendC::TPosition::B1:
    case AscendC::TPosition::C1:
    case AscendC::TPosition::SPM:
    case AscendC::TPosition::TSCM:
      return KSE_SPACE_L1;
    case AscendC::TPosition::A2:
      return KSE_SPACE_L0A;
    case AscendC::TPosition::B2:
      return KSE_SPACE_L0B;
    case AscendC::TPosition::C2:
      return KSE_SPACE_BIAS;
    case AscendC::TPosition::CO1:
      return KSE_SPACE_L0C;
    case AscendC::TPosition::CO2:
      return KSE_SPACE_GLOBAL;
    case AscendC::TPosition::C2PIPE2GM:
      return KSE_SPACE_FIXBUF;
    default:
      return KSE_SPACE_UB;
  }
}

}  // namespace ks

namespace AscendC {

template <typename T>
using PrimT = ks::Prim<T>;

}  // namespace AscendC
