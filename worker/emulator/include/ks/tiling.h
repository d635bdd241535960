// Tiling data and task types, as far as kernels launched by <<<>>> use them: tiling data is a plain structure in global
// memory.
//
// Example:
//   GET_TILING_DATA_WITH_STRUCT(MyTiling, tiling, tiling_address);  // declares and fills `tiling`
#pragma once

#include "ks/site.h"
#include "ks/sync_abi.h"

enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX,
};

#define KERNEL_TASK_TYPE_DEFAULT(type)                                               \
  static_assert((type) == KERNEL_TYPE_AIV_ONLY || (type) == KERNEL_TYPE_MIX_AIV_1_0, \
                "UNSUPPORTED: the kernel asks for cube cores, and the emulated card has vector cores")
#define KERNEL_TASK_TYPE(key, type) KERNEL_TASK_TYPE_DEFAULT(type)

// A direct launch has one tiling key.
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0
#endif
#define TILING_KEY_IS(key) ((TILING_KEY_VAR) == (key))
#define TILING_KEY_LIST(first, second) (TILING_KEY_IS(first) || TILING_KEY_IS(second))

namespace ks {

template <typename T>
__aicore__ inline void ReadTiling(T& to, const void* address, const Site& site) {
  const kse_where where = site.In("GET_TILING_DATA");
  kse_read_structure(&to, reinterpret_cast<uint64_t>(address), sizeof(T), &where);
}

// A part of tiling data, named itself or by its address.
template <typename T>
__aicore__ inline const void* PartOf(const T& part) {
  return &part;
}
template <typename T>
__aicore__ inline const void* PartOf(const T* part) {
  return part;
}

}  // namespace ks

#define REGISTER_NONE_TILING static_assert(true)
#define REGISTER_TILING_DEFAULT(type) using GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT = type
#define REGISTER_TILING_FOR_TILINGKEY(expression, type) static_assert(sizeof(type) > 0)
#define GET_TILING_DATA(name, address) \
  GET_TILING_DATA_WITH_STRUCT(GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT, name, address)
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
  type name;                                             \
  ks::ReadTiling(name, address, ks::Site::Here())
#define GET_TILING_DATA_MEMBER(type, member, name, address) \
  decltype(type::member) name;                              \
  ks::ReadTiling(name, reinterpret_cast<const uint8_t*>(address) + __builtin_offsetof(type, member), ks::Site::Here())
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, address) \
  const __gm__ type* name = reinterpret_cast<const __gm__ type*>(address)
// Copies of a part of what GET_TILING_DATA_PTR_WITH_STRUCT points to; `name` becomes a pointer to the copy.
#define COPY_TILING_WITH_STRUCT(type, part, name)                 \
  type name##Copy;                                                \
  ks::ReadTiling(name##Copy, ks::PartOf(part), ks::Site::Here()); \
  type* name = &name##Copy
#define COPY_TILING_WITH_ARRAY(type, count, part, name)           \
  type name##Copy[count];                                         \
  ks::ReadTiling(name##Copy, ks::PartOf(part), ks::Site::Here()); \
  type(*name)[count] = &name##Copy
