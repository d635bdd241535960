// What a core can ask about itself; caches and workspaces; scalar arithmetic of the API.
#pragma once

#include "ks/global_tensor.h"
#include "ks/sync_abi.h"

// The image holds the vector half of a kernel only.
#define ASCEND_IS_AIV constexpr(true)
#define ASCEND_IS_AIC constexpr(false)

namespace ks {

// block_idx of the language: reads as the number of the block.
struct BlockIndex {
  __aicore__ operator int64_t() const { return kse_block_index(); }
};

}  // namespace ks

inline constexpr ks::BlockIndex block_idx{};

__aicore__ inline int64_t get_block_idx() { return kse_block_index(); }
__aicore__ inline int64_t get_block_num() { return kse_block_count(); }
__aicore__ inline int64_t get_subblockid() { return 0; }
__aicore__ inline int64_t get_subblockdim() { return 1; }

// Scalars of the language. What the C++ library has under these names comes first where both are visible.
template <typename T, typename U>
__aicore__ constexpr auto min(T a, U b) {
  return b < a ? b : a;
}
template <typename T, typename U>
__aicore__ constexpr auto max(T a, U b) {
  return a < b ? b : a;
}

namespace AscendC {

enum AscendCoreType { AIV = 0, AIC };
inline constexpr int g_coreType = AIV;

__aicore__ inline int64_t GetBlockIdx() { return kse_block_index(); }
__aicore__ inline int64_t GetBlockNum() { return kse_block_count(); }
__aicore__ inline int64_t GetSubBlockIdx() { return 0; }
__aicore__ inline int64_t GetSubBlockNum() { return 1; }
__aicore__ inline int64_t GetTaskRation() { return 1; }
__aicore__ inline int64_t GetTaskRatio() { return 1; }
__aicore__ inline void GetArchVersion(uint32_t& version) { version = 220; }
__aicore__ constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
__aicore__ inline uint32_t GetRuntimeUBSize() { return kse_ub_bytes(); }
// Ticks of 20 ns. A rough estimate: times come from the replay of a launch, which happens after it.
__aicore__ inline int64_t GetSystemCycle() { return kse_system_cycle(); }
__aicore__ inline void InitSocState() { kse_reset_state(); }
template <int kCount = 1>
__aicore__ inline void Nop() {}
// Between tasks, and for the profiler of a card: without effect here, as documented of the former for dav-2201.
template <pipe_t kVectorPipe = PIPE_MTE3, pipe_t kCubePipe = PIPE_FIX, bool kForce = false>
__aicore__ inline void SetNextTaskStart() {}
template <bool kForce = false>
__aicore__ inline void WaitPreTaskEnd() {}
__aicore__ inline void MetricsProfStart() {}
__aicore__ inline void MetricsProfStop() {}

__aicore__ inline GM_ADDR GetSysWorkSpacePtr() { return reinterpret_cast<GM_ADDR>(kse_system_workspace()); }
__aicore__ inline void SetSysWorkspace(GM_ADDR workspace) {
  kse_set_system_workspace(reinterpret_cast<uint64_t>(workspace));
}
// Vector kernels need no system workspace, so the user's part is all of it.
__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

template <typename T, CacheLine kLine, DcciDst kDestination = DcciDst::CACHELINE_ALL>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, KS_SITE) {
  const kse_where where = site.In("DataCacheCleanAndInvalid");
  kse_cache_clean(&tensor.ks, kLine == CacheLine::ENTIRE_DATA_CACHE, &where);
}
template <typename T, CacheLine kLine, DcciDst kDestination>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T>& tensor, KS_SITE) {
  const kse_where where = site.In("DataCacheCleanAndInvalid");
  kse_cache_clean(&tensor.ks, kLine == CacheLine::ENTIRE_DATA_CACHE, &where);
}
// A hint; the emulated cache needs none.
template <typename T>
__aicore__ inline void DataCachePreload(const GlobalTensor<uint64_t>&, const T) {}
__aicore__ inline void ICachePreLoad(const int64_t) {}

template <typename T>
__aicore__ inline T ReadGmByPassDCache(__gm__ T* address, KS_SITE) {
  static_assert(sizeof(T) <= 8, "ReadGmByPassDCache reads scalars of at most 8 bytes");
  const kse_where where = site.In("ReadGmByPassDCache");
  const uint64_t bits = kse_read_bypass(reinterpret_cast<uint64_t>(address), sizeof(T), &where);
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T>
__aicore__ inline void WriteGmByPassDCache(__gm__ T* address, T value, KS_SITE) {
  static_assert(sizeof(T) <= 8, "WriteGmByPassDCache writes scalars of at most 8 bytes");
  const kse_where where = site.In("WriteGmByPassDCache");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  kse_write_bypass(reinterpret_cast<uint64_t>(address), sizeof(T), bits, &where);
}

KS_BOTH constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? a : (a + b - 1) / b; }
KS_BOTH constexpr int32_t DivCeil(int32_t a, int32_t b) { return CeilDivision(a, b); }
template <int kBit>
__aicore__ inline int64_t GetBitCount(uint64_t value) {
  static_assert(kBit == 0 || kBit == 1);
  return __builtin_popcountll(kBit == 1 ? value : ~value);
}
// Position of the lowest bit of that value, -1 if there is none.
template <int kBit>
__aicore__ inline int64_t GetSFFValue(uint64_t value) {
  static_assert(kBit == 0 || kBit == 1);
  return __builtin_ffsll(static_cast<long long>(kBit == 1 ? value : ~value)) - 1;
}
// Their names before CANN 9.
template <int kBit>
__aicore__ inline int64_t ScalarGetCountOfValue(uint64_t value) {
  return GetBitCount<kBit>(value);
}
template <int kBit>
__aicore__ inline int64_t ScalarGetSFFValue(uint64_t value) {
  return GetSFFValue<kBit>(value);
}
__aicore__ inline int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
__aicore__ inline int64_t CountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
__aicore__ inline int64_t CountBitsCntSameAsSignBit(int64_t value) { return __builtin_clrsbll(value); }

}  // namespace AscendC
