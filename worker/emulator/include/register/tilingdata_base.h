// Structures of tiling data, as host code defines them:
//
//   namespace optiling {
//   BEGIN_TILING_DATA_DEF(AddTiling)
//     TILING_DATA_FIELD_DEF(uint32_t, total);
//     TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes);
//   END_TILING_DATA_DEF;
//   }
//   optiling::AddTiling tiling;
//   tiling.set_total(4096);
//   tiling.SaveToBuffer(buffer, capacity);
//
// Fields lie in order, each at its natural alignment, so that the bytes are those of the plain structure a kernel
// reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace optiling {

template <typename Self>
class TilingDef {
 public:
  size_t GetDataSize() const { return sizeof(Self); }
  // Writes nothing into a buffer that is too small.
  void SaveToBuffer(void* buffer, size_t capacity) const {
    if (buffer != nullptr && capacity >= sizeof(Self))
      std::memcpy(buffer, static_cast<const Self*>(this), sizeof(Self));
  }
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                       \
  class class_name : public ::optiling::TilingDef<class_name> { \
   public:

#define TILING_DATA_FIELD_DEF(data_type, field_name)             \
  void set_##field_name(data_type value) { field_name = value; } \
  data_type get_##field_name() const { return field_name; }      \
  data_type field_name = {}

// Copies as many elements as the field has.
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)      \
  void set_##field_name(const arr_type* values) {                      \
    for (size_t i = 0; i < (arr_size); ++i) field_name[i] = values[i]; \
  }                                                                    \
  arr_type* get_##field_name() { return field_name; }                  \
  arr_type field_name[arr_size] = {}

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) struct_type field_name

#define END_TILING_DATA_DEF }

// Ties a structure to an operator of an operator project; a program that launches its kernels itself has none.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)
