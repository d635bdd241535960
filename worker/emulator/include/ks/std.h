// AscendC::Std, the part of the C++ library that kernels may use, on top of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ks/base.h"

namespace AscendC::Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integer_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_class;
using std::is_class_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_enum;
using std::is_enum_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_function;
using std::is_function_v;
using std::is_integral;
using std::is_integral_v;
using std::is_lvalue_reference;
using std::is_lvalue_reference_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_rvalue_reference;
using std::is_rvalue_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_scalar;
using std::is_scalar_v;
using std::is_signed;
using std::is_signed_v;
using std::is_unsigned;
using std::is_unsigned_v;
using std::is_void;
using std::is_void_v;
using std::is_volatile;
using std::is_volatile_v;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename T>
struct remove_cvref {
  using type = remove_cvref_t<T>;
};

template <size_t... kIndices>
using index_sequence = std::integer_sequence<size_t, kIndices...>;
template <size_t kCount>
using make_index_sequence = std::make_integer_sequence<size_t, kCount>;

template <typename T>
KS_BOTH constexpr T max(const T a, const T b) {
  return a < b ? b : a;
}
template <typename T>
KS_BOTH constexpr T min(const T a, const T b) {
  return b < a ? b : a;
}
template <typename T>
KS_BOTH constexpr std::remove_reference_t<T>&& move(T&& value) {
  return static_cast<std::remove_reference_t<T>&&>(value);
}
template <typename T>
KS_BOTH constexpr T&& forward(std::remove_reference_t<T>& value) {
  return static_cast<T&&>(value);
}

template <typename... Ts>
struct tuple;
template <>
struct tuple<> {};
template <typename Head, typename... Tail>
struct tuple<Head, Tail...> {
  Head head;
  tuple<Tail...> tail;

  KS_BOTH constexpr tuple() : head(), tail() {}
  KS_BOTH constexpr tuple(const Head& first, const Tail&... rest) : head(first), tail(rest...) {}
};

template <typename T>
struct tuple_size;
template <typename... Ts>
struct tuple_size<tuple<Ts...>> : std::integral_constant<size_t, sizeof...(Ts)> {};
template <size_t kIndex, typename T>
struct tuple_element;
template <typename Head, typename... Tail>
struct tuple_element<0, tuple<Head, Tail...>> {
  using type = Head;
};
template <size_t kIndex, typename Head, typename... Tail>
struct tuple_element<kIndex, tuple<Head, Tail...>> : tuple_element<kIndex - 1, tuple<Tail...>> {};

template <size_t kIndex, typename Head, typename... Tail>
KS_BOTH constexpr auto& get(tuple<Head, Tail...>& values) {
  if constexpr (kIndex == 0) {
    return values.head;
  } else {
    return get<kIndex - 1>(values.tail);
  }
}
template <size_t kIndex, typename Head, typename... Tail>
KS_BOTH constexpr const auto& get(const tuple<Head, Tail...>& values) {
  if constexpr (kIndex == 0) {
    return values.head;
  } else {
    return get<kIndex - 1>(values.tail);
  }
}
template <typename... Ts>
KS_BOTH constexpr tuple<std::decay_t<Ts>...> make_tuple(Ts&&... values) {
  return tuple<std::decay_t<Ts>...>(values...);
}

}  // namespace AscendC::Std

namespace AscendC {

// As Std::conditional, under its earlier name.
template <bool kCondition, typename Then, typename Else>
struct Conditional {
  using type = std::conditional_t<kCondition, Then, Else>;
};

}  // namespace AscendC
