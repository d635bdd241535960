// LocalMemAllocator: memory of a core one piece after another, for kernels without TPipe.
//
// Example:
//   AscendC::LocalMemAllocator<AscendC::Hardware::UB> ub;
//   auto x = ub.Alloc<float, 1024>();
//   auto y = ub.Alloc<AscendC::TPosition::VECOUT, float>(n);
#pragma once

#include "ks/layout.h"
#include "ks/local_tensor.h"
#include "ks/pipe_abi.h"

namespace ks {

// The usual position in a memory.
KS_BOTH constexpr AscendC::TPosition PositionIn(AscendC::Hardware memory) {
  switch (memory) {
    case AscendC::Hardware::L1:
      return AscendC::TPosition::A1;
    case AscendC::Hardware::L0A:
      return AscendC::TPosition::A2;
    case AscendC::Hardware::L0B:
      return AscendC::TPosition::B2;
    case AscendC::Hardware::L0C:
      return AscendC::TPosition::CO1;
    case AscendC::Hardware::BIAS:
      return AscendC::TPosition::C2;
    case AscendC::Hardware::FIXBUF:
      return AscendC::TPosition::C2PIPE2GM;
    default:
      return AscendC::TPosition::VECCALC;
  }
}

}  // namespace ks

namespace AscendC {

template <Hardware kMemory = Hardware::UB>
class LocalMemAllocator {
 public:
  __aicore__ LocalMemAllocator() {}

  __aicore__ uint32_t GetCurAddr() const { return next_; }

  template <TPosition kPosition, typename T, uint32_t kElements>
  __aicore__ LocalTensor<T> Alloc(KS_SITE) {
    return Take<T>(kPosition, kElements, site);
  }
  template <typename T, uint32_t kElements>
  __aicore__ LocalTensor<T> Alloc(KS_SITE) {
    return Take<T>(ks::PositionIn(kMemory), kElements, site);
  }
  template <TPosition kPosition, typename T>
  __aicore__ LocalTensor<T> Alloc(uint32_t elements, KS_SITE) {
    return Take<T>(kPosition, elements, site);
  }
  template <typename T>
  __aicore__ LocalTensor<T> Alloc(uint32_t elements, KS_SITE) {
    return Take<T>(ks::PositionIn(kMemory), elements, site);
  }
  // A TensorTrait names element, position and, by a layout of constants, the size.
  template <typename Trait, typename Layout = typename Trait::LiteLayoutType>
  __aicore__ LocalTensor<Trait> Alloc(KS_SITE) {
    return Take<Trait>(Trait::tPos, static_cast<uint32_t>(ks::SizeOf(Layout().GetShape())), site);
  }

 private:
  template <typename T>
  __aicore__ LocalTensor<T> Take(TPosition position, uint32_t elements, ks::Site site) {
    LocalTensor<T> tensor(position, next_, elements);
    next_ += static_cast<uint32_t>((tensor.ks.bytes + 31) / 32 * 32);
    const kse_where where = site.In("Alloc");
    kse_check_capacity(tensor.ks.space, next_, &where);
    return tensor;
  }

  uint32_t next_ = 0;
};

}  // namespace AscendC
