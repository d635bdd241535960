// Flags and barriers between the pipes of one core.
//
// Example:
//   AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
//   AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
#pragma once

#include "ks/pipe_abi.h"
#include "ks/site.h"
#include "ks/types.h"

namespace ks {

// A pair of pipes as one number: the pipe that sets, and the one that waits.
KS_BOTH constexpr uint8_t EventOf(pipe_t source, pipe_t waiting) {
  return static_cast<uint8_t>(static_cast<unsigned>(source) << 3 | static_cast<unsigned>(waiting));
}

}  // namespace ks

namespace AscendC {

enum class HardEvent : uint8_t {
  MTE2_MTE1 = ks::EventOf(PIPE_MTE2, PIPE_MTE1),
  MTE1_MTE2 = ks::EventOf(PIPE_MTE1, PIPE_MTE2),
  MTE2_MTE3 = ks::EventOf(PIPE_MTE2, PIPE_MTE3),
  MTE3_MTE2 = ks::EventOf(PIPE_MTE3, PIPE_MTE2),
  MTE1_MTE3 = ks::EventOf(PIPE_MTE1, PIPE_MTE3),
  MTE3_MTE1 = ks::EventOf(PIPE_MTE3, PIPE_MTE1),
  MTE1_M = ks::EventOf(PIPE_MTE1, PIPE_M),
  M_MTE1 = ks::EventOf(PIPE_M, PIPE_MTE1),
  MTE1_V = ks::EventOf(PIPE_MTE1, PIPE_V),
  V_MTE1 = ks::EventOf(PIPE_V, PIPE_MTE1),
  MTE2_V = ks::EventOf(PIPE_MTE2, PIPE_V),
  V_MTE2 = ks::EventOf(PIPE_V, PIPE_MTE2),
  MTE3_V = ks::EventOf(PIPE_MTE3, PIPE_V),
  V_MTE3 = ks::EventOf(PIPE_V, PIPE_MTE3),
  MTE2_M = ks::EventOf(PIPE_MTE2, PIPE_M),
  M_MTE2 = ks::EventOf(PIPE_M, PIPE_MTE2),
  M_V = ks::EventOf(PIPE_M, PIPE_V),
  V_M = ks::EventOf(PIPE_V, PIPE_M),
  V_V = ks::EventOf(PIPE_V, PIPE_V),
  S_V = ks::EventOf(PIPE_S, PIPE_V),
  V_S = ks::EventOf(PIPE_V, PIPE_S),
  S_MTE2 = ks::EventOf(PIPE_S, PIPE_MTE2),
  MTE2_S = ks::EventOf(PIPE_MTE2, PIPE_S),
  S_MTE3 = ks::EventOf(PIPE_S, PIPE_MTE3),
  MTE3_S = ks::EventOf(PIPE_MTE3, PIPE_S),
  S_M = ks::EventOf(PIPE_S, PIPE_M),
  M_S = ks::EventOf(PIPE_M, PIPE_S),
  MTE1_S = ks::EventOf(PIPE_MTE1, PIPE_S),
  S_MTE1 = ks::EventOf(PIPE_S, PIPE_MTE1),
  M_FIX = ks::EventOf(PIPE_M, PIPE_FIX),
  FIX_M = ks::EventOf(PIPE_FIX, PIPE_M),
  MTE2_FIX = ks::EventOf(PIPE_MTE2, PIPE_FIX),
  FIX_MTE2 = ks::EventOf(PIPE_FIX, PIPE_MTE2),
  MTE1_FIX = ks::EventOf(PIPE_MTE1, PIPE_FIX),
  FIX_MTE1 = ks::EventOf(PIPE_FIX, PIPE_MTE1),
  FIX_MTE3 = ks::EventOf(PIPE_FIX, PIPE_MTE3),
  MTE3_FIX = ks::EventOf(PIPE_MTE3, PIPE_FIX),
  FIX_S = ks::EventOf(PIPE_FIX, PIPE_S),
  S_FIX = ks::EventOf(PIPE_S, PIPE_FIX),
  FIX_V = ks::EventOf(PIPE_FIX, PIPE_V),
  V_FIX = ks::EventOf(PIPE_V, PIPE_FIX),
  MAX = 0xff,
};

}  // namespace AscendC

namespace ks {

KS_BOTH constexpr uint8_t SourceOf(AscendC::HardEvent event) { return static_cast<uint8_t>(event) >> 3; }
KS_BOTH constexpr uint8_t WaitingOf(AscendC::HardEvent event) { return static_cast<uint8_t>(event) & 7; }

}  // namespace ks

namespace AscendC {

template <HardEvent kEvent>
__aicore__ inline void SetFlag(int32_t id, KS_SITE) {
  const kse_where where = site.In("SetFlag");
  kse_set_flag(ks::SourceOf(kEvent), ks::WaitingOf(kEvent), id, &where);
}
template <HardEvent kEvent>
__aicore__ inline void WaitFlag(int32_t id, KS_SITE) {
  const kse_where where = site.In("WaitFlag");
  kse_wait_flag(ks::SourceOf(kEvent), ks::WaitingOf(kEvent), id, &where);
}

template <pipe_t kSource, pipe_t kWaiting>
class TQueSync {
 public:
  __aicore__ void SetFlag(TEventID id, KS_SITE) {
    const kse_where where = site.In("SetFlag");
    kse_set_flag(kSource, kWaiting, id, &where);
  }
  __aicore__ void WaitFlag(TEventID id, KS_SITE) {
    const kse_where where = site.In("WaitFlag");
    kse_wait_flag(kSource, kWaiting, id, &where);
  }
};

template <pipe_t kPipe>
__aicore__ inline void PipeBarrier(KS_SITE) {
  static_assert(kPipe != PIPE_S, "PipeBarrier does not exist for PIPE_S: the scalar unit runs in order");
  const kse_where where = site.In("PipeBarrier");
  kse_pipe_barrier(kPipe, &where);
}

enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

// Waits for accesses of the scalar unit, which the emulation completes at once.
template <MemDsbT kMemory>
__aicore__ inline void DataSyncBarrier(KS_SITE) {
  const kse_where where = site.In("DataSyncBarrier");
  kse_pipe_barrier(PIPE_S, &where);
}

}  // namespace AscendC

__aicore__ inline void pipe_barrier(pipe_t pipe, KS_SITE) {
  const kse_where where = site.In("pipe_barrier");
  kse_pipe_barrier(pipe, &where);
}
__aicore__ inline void set_flag(pipe_t source, pipe_t waiting, int32_t id, KS_SITE) {
  const kse_where where = site.In("set_flag");
  kse_set_flag(source, waiting, id, &where);
}
__aicore__ inline void wait_flag(pipe_t source, pipe_t waiting, int32_t id, KS_SITE) {
  const kse_where where = site.In("wait_flag");
  kse_wait_flag(source, waiting, id, &where);
}
