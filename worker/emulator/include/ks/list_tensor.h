// ListTensorDesc: several tensors behind one address of global memory.
//
//   uint64_t  bytes from here to the list of addresses
//   then for each tensor
//     uint32_t  number of dimensions,  uint32_t  index,  uint64_t  size of each dimension
//   uint64_t  address of each tensor
//
// Example:
//   AscendC::ListTensorDesc list(reinterpret_cast<__gm__ void*>(x));
//   uint64_t shape[8];
//   AscendC::TensorDesc<float> first;
//   first.SetShapeAddr(shape);
//   list.GetDesc(first, 0);
#pragma once

#include "ks/global_tensor.h"

namespace AscendC {

template <typename T>
class TensorDesc {
 public:
  __aicore__ TensorDesc() {}

  // Where GetDesc puts the sizes; room for all of them.
  __aicore__ void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  __aicore__ uint64_t GetDim() { return dimensions_; }
  __aicore__ uint64_t GetIndex() { return index_; }
  __aicore__ uint64_t GetShape(uint32_t offset) { return shape_[offset]; }
  __aicore__ T* GetDataPtr() { return data_; }
  __aicore__ GlobalTensor<T> GetDataObj() {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;

  uint64_t* shape_ = nullptr;
  uint64_t dimensions_ = 0;
  uint64_t index_ = 0;
  T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  __aicore__ ListTensorDesc() {}
  // Length of the description and number of tensors are for checks of the author's; the description says both.
  __aicore__ ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    Init(data, length, shapeSize);
  }

  __aicore__ void Init(__gm__ void* data, uint32_t = 0xffffffff, uint32_t = 0xffffffff) {
    words_ = static_cast<__gm__ uint64_t*>(data);
  }
  template <typename T>
  __aicore__ void GetDesc(TensorDesc<T>& desc, uint32_t index) {
    const uint64_t at = Place(index);
    desc.dimensions_ = static_cast<uint32_t>(words_[at]);
    desc.index_ = words_[at] >> 32;
    for (uint64_t i = 0; i < desc.dimensions_; ++i) desc.shape_[i] = words_[at + 1 + i];
    desc.data_ = GetDataPtr<T>(index);
  }
  template <typename T>
  __aicore__ T* GetDataPtr(uint32_t index) {
    return reinterpret_cast<T*>(words_[words_[0] / sizeof(uint64_t) + index]);
  }
  __aicore__ uint32_t GetSize() {
    uint32_t size = 0;
    for (uint64_t at = 1; at < words_[0] / sizeof(uint64_t); at += 1 + static_cast<uint32_t>(words_[at])) ++size;
    return size;
  }

 private:
  // Word at which a tensor's description begins.
  __aicore__ uint64_t Place(uint32_t index) {
    uint64_t at = 1;
    for (uint32_t i = 0; i < index; ++i) at += 1 + static_cast<uint32_t>(words_[at]);
    return at;
  }

  __gm__ uint64_t* words_ = nullptr;
};

}  // namespace AscendC
