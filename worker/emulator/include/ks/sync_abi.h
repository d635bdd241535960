// Synchronisation between cores, and what a core can ask about itself, as the operations library takes it.
#pragma once

#include "ks/abi.h"

extern "C" {

// SyncAll of every core of the launch. `workspaces` (global, local) only where done by software; `used` 0: all cores.
KS_DEVICE void kse_sync_all(uint32_t vector_only, const kse_where* where);
KS_DEVICE void kse_sync_all_soft(const kse_tensor* global, const kse_tensor* local, int32_t used,
                                 const kse_where* where);
// IBSet and IBWait.
KS_DEVICE void kse_pair_set(const kse_tensor* global, const kse_tensor* local, int32_t block, int32_t event,
                            const kse_where* where);
KS_DEVICE void kse_pair_wait(const kse_tensor* global, const kse_tensor* local, int32_t block, int32_t event,
                             const kse_where* where);
// InitDetermineComputeWorkspace, WaitPreBlock, NotifyNextBlock.
KS_DEVICE void kse_order_init(const kse_tensor* global, const kse_tensor* local, const kse_where* where);
KS_DEVICE void kse_order_wait(const kse_tensor* global, const kse_tensor* local, const kse_where* where);
KS_DEVICE void kse_order_notify(const kse_tensor* global, const kse_tensor* local, const kse_where* where);
// Arrive and Wait of a GroupBarrier: `arrivers` and `waiters` cores, this one's number among its own.
KS_DEVICE void kse_group_arrive(uint64_t workspace, uint64_t workspace_bytes, uint32_t arrivers, uint32_t index,
                                const kse_where* where);
KS_DEVICE void kse_group_wait(uint64_t workspace, uint32_t arrivers, uint32_t waiters, uint32_t index,
                              const kse_where* where);
// CrossCoreSetFlag and CrossCoreWaitFlag.
KS_DEVICE void kse_cross_set(uint32_t mode, uint8_t pipe, uint32_t flag, const kse_where* where);
KS_DEVICE void kse_cross_wait(uint32_t mode, uint32_t flag, const kse_where* where);

// DataCacheCleanAndInvalid: the line of the tensor's first byte, or everything.
KS_DEVICE void kse_cache_clean(const kse_tensor* tensor, uint32_t everything, const kse_where* where);
// ReadGmByPassDCache and WriteGmByPassDCache.
KS_DEVICE uint64_t kse_read_bypass(uint64_t address, uint32_t bytes, const kse_where* where);
KS_DEVICE void kse_write_bypass(uint64_t address, uint32_t bytes, uint64_t value, const kse_where* where);

// The core.
KS_DEVICE uint32_t kse_block_index();
KS_DEVICE uint32_t kse_block_count();
KS_DEVICE uint32_t kse_ub_bytes();
KS_DEVICE int64_t kse_system_cycle();
// InitSocState.
KS_DEVICE void kse_reset_state();
// Workspace of the system.
KS_DEVICE void kse_set_system_workspace(uint64_t address);
KS_DEVICE uint64_t kse_system_workspace();
// Copies a structure out of global memory (tiling data).
KS_DEVICE void kse_read_structure(void* to, uint64_t address, uint32_t bytes, const kse_where* where);
}
