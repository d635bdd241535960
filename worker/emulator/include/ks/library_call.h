// How a high-level function becomes a call into the operations library. Internal to the headers.
//
// Example:
//   ks::RunLibrary(KSE_LIB_GEGLU, {ks::Ref(dst)}, {ks::Ref(a), ks::Ref(b)}, {count}, site.In("GeGLU"));
#pragma once

#include "ks/library_abi.h"
#include "ks/vector_call.h"

namespace ks {

struct LibraryTensors {
  const kse_tensor* tensor[6];
};
struct LibrarySizes {
  uint32_t size[10];
};
struct LibraryReals {
  float real[4];
};

template <typename T>
__aicore__ inline const kse_tensor* Ref(const AscendC::LocalTensor<T>& tensor) {
  return &tensor.ks;
}

__aicore__ inline uint64_t RunLibrary(kse_library_operation operation, const LibraryTensors& out,
                                      const LibraryTensors& in, const LibrarySizes& sizes, const kse_where& where,
                                      uint32_t options = 0, const LibraryReals& reals = {}) {
  const kse_library_call call{{out.tensor[0], out.tensor[1], out.tensor[2], out.tensor[3], out.tensor[4]},
                              {in.tensor[0], in.tensor[1], in.tensor[2], in.tensor[3], in.tensor[4], in.tensor[5]},
                              {sizes.size[0], sizes.size[1], sizes.size[2], sizes.size[3], sizes.size[4], sizes.size[5],
                               sizes.size[6], sizes.size[7], sizes.size[8], sizes.size[9]},
                              {reals.real[0], reals.real[1], reals.real[2], reals.real[3]},
                              options,
                              operation};
  return kse_library(&call, &where);
}

}  // namespace ks

// The optional workspace of most high-level functions, as a piece of a parameter list.
#define KS_WORKSPACE const LocalTensor<uint8_t>&sharedTmpBuffer,
