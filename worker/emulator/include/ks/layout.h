// Shapes, strides and coordinates as tuples, and layouts made of them.
//
// Example:
//   auto layout = AscendC::MakeLayout(AscendC::MakeShape(3, 4, 5), AscendC::MakeStride(20, 5, 1));
//   AscendC::Crd2Idx(AscendC::MakeCoord(1, 2, 3), layout);   // 33
#pragma once

#include "ks/std.h"

namespace AscendC {

template <typename... Ts>
using Shape = Std::tuple<Ts...>;
template <typename... Ts>
using Stride = Std::tuple<Ts...>;
template <typename... Ts>
using Coord = Std::tuple<Ts...>;

template <typename... Ts>
KS_BOTH constexpr Shape<Ts...> MakeShape(const Ts&... sizes) {
  return {sizes...};
}
template <typename... Ts>
KS_BOTH constexpr Stride<Ts...> MakeStride(const Ts&... strides) {
  return {strides...};
}
template <typename... Ts>
KS_BOTH constexpr Coord<Ts...> MakeCoord(const Ts&... places) {
  return {places...};
}

template <typename ShapeType, typename StrideType>
struct Layout {
  KS_BOTH constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : shape_(shape), stride_(stride) {}

  KS_BOTH constexpr Layout& layout() { return *this; }
  KS_BOTH constexpr const Layout& layout() const { return *this; }
  KS_BOTH constexpr ShapeType& GetShape() { return shape_; }
  KS_BOTH constexpr const ShapeType& GetShape() const { return shape_; }
  KS_BOTH constexpr StrideType& GetStride() { return stride_; }
  KS_BOTH constexpr const StrideType& GetStride() const { return stride_; }
  template <typename CoordType>
  KS_BOTH constexpr auto operator()(const CoordType& coord) const;

 private:
  ShapeType shape_;
  StrideType stride_;
};

template <typename ShapeType, typename StrideType>
KS_BOTH constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return {shape, stride};
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
inline constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC

namespace ks {

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Ts>
struct IsTuple<AscendC::Std::tuple<Ts...>> : std::true_type {};

// Elements of a shape, whose parts may be shapes.
template <typename Size>
KS_BOTH constexpr uint64_t SizeOf(const Size& size) {
  return static_cast<uint64_t>(size);
}
KS_BOTH constexpr uint64_t SizeOf(const AscendC::Std::tuple<>&) { return 1; }
template <typename Head, typename... Tail>
KS_BOTH constexpr uint64_t SizeOf(const AscendC::Std::tuple<Head, Tail...>& shape) {
  return SizeOf(shape.head) * SizeOf(shape.tail);
}

// Place of a coordinate; a plain number against a tuple is taken apart from the first dimension on.
template <typename Place, typename ShapeType, typename StrideType>
KS_BOTH constexpr int64_t PlaceOf(const Place& place, const ShapeType& shape, const StrideType& stride);

template <size_t kIndex, typename ShapeType, typename StrideType>
KS_BOTH constexpr int64_t PlaceOfNumber(int64_t place, const ShapeType& shape, const StrideType& stride) {
  using AscendC::Std::get;
  constexpr size_t kSize = AscendC::Std::tuple_size<ShapeType>::value;
  if constexpr (kIndex == kSize) {
    return 0;
  } else {
    const int64_t size = static_cast<int64_t>(get<kIndex>(shape));
    const int64_t here = kIndex + 1 == kSize ? place : place % size;
    return here * static_cast<int64_t>(get<kIndex>(stride)) + PlaceOfNumber<kIndex + 1>(place / size, shape, stride);
  }
}

template <typename Place, typename ShapeType, typename StrideType, size_t... kIndices>
KS_BOTH constexpr int64_t PlaceOfTuple(const Place& place, const ShapeType& shape, const StrideType& stride,
                                       AscendC::Std::index_sequence<kIndices...>) {
  using AscendC::Std::get;
  return (int64_t{0} + ... + PlaceOf(get<kIndices>(place), get<kIndices>(shape), get<kIndices>(stride)));
}

template <typename Place, typename ShapeType, typename StrideType>
KS_BOTH constexpr int64_t PlaceOf(const Place& place, const ShapeType& shape, const StrideType& stride) {
  if constexpr (IsTuple<Place>::value) {
    constexpr size_t kSize = AscendC::Std::tuple_size<Place>::value;
    return PlaceOfTuple(place, shape, stride, AscendC::Std::make_index_sequence<kSize>());
  } else if constexpr (IsTuple<ShapeType>::value) {
    return PlaceOfNumber<0>(static_cast<int64_t>(place), shape, stride);
  } else {
    return static_cast<int64_t>(place) * static_cast<int64_t>(stride);
  }
}

}  // namespace ks

namespace AscendC {

template <typename CoordType, typename ShapeType, typename StrideType>
KS_BOTH constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
  return ks::PlaceOf(coord, shape, stride);
}
template <typename CoordType, typename ShapeType, typename StrideType>
KS_BOTH constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
  return ks::PlaceOf(coord, layout.GetShape(), layout.GetStride());
}
template <typename ShapeType, typename StrideType>
template <typename CoordType>
KS_BOTH constexpr auto Layout<ShapeType, StrideType>::operator()(const CoordType& coord) const {
  return ks::PlaceOf(coord, shape_, stride_);
}

}  // namespace AscendC
