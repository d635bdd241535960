// Synchronisation between cores.
//
// Example:
//   AscendC::SyncAll();                                  // needs __mix__(0, 1)
//   AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(0);  AscendC::CrossCoreWaitFlag(0);
#pragma once

#include "ks/global_tensor.h"
#include "ks/sync_abi.h"

namespace AscendC {

struct SyncAllConfig {
  pipe_t triggerPipe;
  pipe_t waitPipe;
};
inline constexpr SyncAllConfig DEFAULT_SYNC_ALL_CONFIG = {PIPE_ALL, PIPE_ALL};

template <bool kVectorOnly = true>
__aicore__ inline void SyncAll(KS_SITE) {
  const kse_where where = site.In("SyncAll");
  kse_sync_all(kVectorOnly, &where);
}
// The pipes of the configuration are a promise of the author's; the emulation waits for all.
template <bool kVectorOnly, const SyncAllConfig& kConfig>
__aicore__ inline void SyncAll(KS_SITE) {
  const kse_where where = site.In("SyncAll");
  kse_sync_all(kVectorOnly, &where);
}
// By flags in global memory, which have to be zero before; `used` cores of the launch, 0: all.
template <bool kVectorOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t>& global, const LocalTensor<int32_t>& local,
                               const int32_t used = 0, KS_SITE) {
  static_assert(kVectorOnly, "SyncAll by software is for vector cores");
  const kse_where where = site.In("SyncAll");
  kse_sync_all_soft(&global.ks, &local.ks, used, &where);
}

template <bool kVectorOnly = true>
__aicore__ inline void IBSet(const GlobalTensor<int32_t>& global, const LocalTensor<int32_t>& local, int32_t block,
                             int32_t event, KS_SITE) {
  const kse_where where = site.In("IBSet");
  kse_pair_set(&global.ks, &local.ks, block, event, &where);
}
template <bool kVectorOnly = true>
__aicore__ inline void IBWait(const GlobalTensor<int32_t>& global, const LocalTensor<int32_t>& local, int32_t block,
                              int32_t event, KS_SITE) {
  const kse_where where = site.In("IBWait");
  kse_pair_wait(&global.ks, &local.ks, block, event, &where);
}

// Blocks in ascending order, round after round.
__aicore__ inline void InitDetermineComputeWorkspace(const GlobalTensor<int32_t>& global,
                                                     const LocalTensor<int32_t>& local, KS_SITE) {
  const kse_where where = site.In("InitDetermineComputeWorkspace");
  kse_order_init(&global.ks, &local.ks, &where);
}
__aicore__ inline void WaitPreBlock(const GlobalTensor<int32_t>& global, const LocalTensor<int32_t>& local, KS_SITE) {
  const kse_where where = site.In("WaitPreBlock");
  kse_order_wait(&global.ks, &local.ks, &where);
}
__aicore__ inline void NotifyNextBlock(const GlobalTensor<int32_t>& global, const LocalTensor<int32_t>& local,
                                       KS_SITE) {
  const kse_where where = site.In("NotifyNextBlock");
  kse_order_notify(&global.ks, &local.ks, &where);
}

template <uint8_t kMode, pipe_t kPipe>
__aicore__ inline void CrossCoreSetFlag(uint16_t flag, KS_SITE) {
  static_assert(kPipe != PIPE_S && kPipe != PIPE_ALL, "CrossCoreSetFlag needs one of the pipes V, M, MTE1-3 and FIX");
  const kse_where where = site.In("CrossCoreSetFlag");
  kse_cross_set(kMode, kPipe, flag, &where);
}
template <uint8_t kMode = 0, pipe_t kPipe = PIPE_S>
__aicore__ inline void CrossCoreWaitFlag(uint16_t flag, KS_SITE) {
  const kse_where where = site.In("CrossCoreWaitFlag");
  kse_cross_wait(kMode, flag, &where);
}

}  // namespace AscendC
