// TensorTrait: an element type together with a place and a layout, to be used where a tensor names its type.
//
// Example:
//   using Trait = AscendC::TensorTrait<half>;
//   AscendC::LocalTensor<Trait> x = queue.AllocTensor<Trait>();
//   auto trait = AscendC::MakeTensorTrait<float, AscendC::TPosition::VECIN>(layout);
#pragma once

#include "ks/allocator.h"
#include "ks/layout.h"

namespace AscendC {

template <typename T, TPosition pos = TPosition::GM, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr const TPosition tPos = pos;

  KS_BOTH constexpr TensorTrait(const LayoutType& layout = {}) : layout_(layout) {}

  KS_BOTH constexpr LayoutType& GetLayout() { return layout_; }
  KS_BOTH constexpr const LayoutType& GetLayout() const { return layout_; }
  KS_BOTH constexpr void SetLayout(const LayoutType& layout) { layout_ = layout; }
  KS_BOTH constexpr const auto& GetShape() const { return layout_.GetShape(); }
  KS_BOTH constexpr const auto& GetStride() const { return layout_.GetStride(); }

 private:
  LayoutType layout_;
};

template <typename T, TPosition pos, typename LayoutType>
KS_BOTH constexpr auto MakeTensorTrait(const LayoutType& layout) {
  return TensorTrait<T, pos, LayoutType>(layout);
}

template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
template <typename T>
inline constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

}  // namespace AscendC
