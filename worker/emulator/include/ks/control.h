// Registers that change how a core works, and what only profilers and simulators of a card look at.
//
// Example:
//   AscendC::SetStoreAtomicConfig<AscendC::AtomicDtype::ATOMIC_F32, AscendC::AtomicOp::ATOMIC_SUM>();
//   AscendC::Async<AscendC::EngineType::AIV, Process>(kernel, x, y);
#pragma once

#include "ks/data_copy.h"
#include "ks/system.h"
#include "ks/vector_mask.h"

namespace AscendC {

// CTRL[48]: 0 half and bfloat16_t results clamp, 1 they keep infinities. The only bit of dav-2201.
template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value) {
  static_assert(startBit == 48 && endBit == 48, "SetCtrlSpr: dav-2201 has CTRL[48] alone");
  SetSaturationFlag<SaturationMode::FLOAT>(value == 0);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr() {
  static_assert(startBit == 48 && endBit == 48, "GetCtrlSpr: dav-2201 has CTRL[48] alone");
  return GetSaturationFlag<SaturationMode::FLOAT>() ? 0 : 1;
}

enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };

}  // namespace AscendC

namespace ks {

inline constexpr uint8_t kAtomicElements[] = {KSE_NONE,  KSE_FLOAT, KSE_HALF,    KSE_INT16,
                                              KSE_INT32, KSE_INT8,  KSE_BFLOAT16};

}  // namespace ks

namespace AscendC {

template <AtomicDtype type, AtomicOp op>
__aicore__ inline void SetStoreAtomicConfig(KS_SITE) {
  const kse_where where = site.In("SetStoreAtomicConfig");
  constexpr uint8_t kElement = ks::kAtomicElements[static_cast<int>(type)];
  kse_set_atomic(type == AtomicDtype::ATOMIC_NONE ? 0 : 1, kElement, &where);
}
// The type as AtomicDtype numbers it; of the operations, a card tells sums alone.
__aicore__ inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp) {
  uint32_t operation = 0;
  uint8_t element = KSE_NONE;
  kse_get_atomic(&operation, &element);
  atomicOp = 0;
  atomicType = element == KSE_FLOAT      ? 1
               : element == KSE_HALF     ? 2
               : element == KSE_INT16    ? 3
               : element == KSE_INT32    ? 4
               : element == KSE_INT8     ? 5
               : element == KSE_BFLOAT16 ? 6
                                         : 0;
  if (operation == 0) atomicType = 0;
}

// Runs a function on cores of one kind: here there are vector cores.
enum class EngineType : int32_t { AIC = 1, AIV };
template <EngineType engine, auto funPtr, class... Args>
__aicore__ void Async(Args... args) {
  if constexpr (engine == EngineType::AIV) funPtr(args...);
}

// The instruction cache of the emulated card holds everything.
__aicore__ inline int64_t GetICachePreloadStatus() { return 0; }
// Where the caller is; a number to compare, not an address of a card.
__attribute__((noinline)) __aicore__ inline int64_t GetProgramCounter() {
  return static_cast<int64_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)));
}

}  // namespace AscendC
