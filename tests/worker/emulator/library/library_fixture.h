// Calls of high-level functions on a core without a kernel.
//
// Example:
//   const kse_tensor x = Floats(0, {...});
//   Call(KSE_LIB_SOFTMAX, {&y}, {&x}, {8, 64});
#pragma once

#include <initializer_list>
#include <vector>

#include "tests/worker/emulator/vector/vector_fixture.h"
#include "worker/emulator/include/ks/library_abi.h"

namespace kernelsmith::emulator::library {

class LibraryFixture : public vector::VectorFixture {
 protected:
  kse_tensor Floats(uint64_t address, const std::vector<float>& values) {
    return Put<float>(address, KSE_FLOAT, values);
  }
  static kse_tensor Room(uint64_t address, uint64_t floats) { return Tensor(address, KSE_FLOAT, floats * 4); }
  std::vector<float> Numbers(const kse_tensor& tensor, size_t n) { return Get<float>(tensor, n); }

  uint64_t Call(kse_library_operation operation, std::initializer_list<const kse_tensor*> out,
                std::initializer_list<const kse_tensor*> in, std::initializer_list<uint32_t> sizes,
                uint32_t options = 0, std::initializer_list<float> reals = {}) {
    kse_library_call call{};
    std::copy(out.begin(), out.end(), call.out);
    std::copy(in.begin(), in.end(), call.in);
    std::copy(sizes.begin(), sizes.end(), call.size);
    std::copy(reals.begin(), reals.end(), call.real);
    call.options = options;
    call.operation = operation;
    return kse_library(&call, &where_);
  }

  // Values that differ from element to element and change their sign.
  static std::vector<float> Wave(size_t n, float scale = 3) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = scale * static_cast<float>(std::sin(0.7 * static_cast<double>(i) + 1));
    return values;
  }
};

}  // namespace kernelsmith::emulator::library
