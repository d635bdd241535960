// TPipe hands out the memory of a core to queues and buffers, and event numbers; TBufPool hands out a part of it.
//
// Example:
//   AscendC::TPipe pipe;
//   pipe.InitBuffer(in, 2, 4096);   // a queue: two buffers of 4096 bytes
//   pipe.InitBuffer(work, 8192);    // a TBuf
#pragma once

#include "ks/data_copy.h"
#include "ks/queue.h"
#include "ks/std.h"

namespace AscendC {

inline constexpr uint32_t defaultBufIDSize = 4;
template <TPosition kPosition, uint32_t kBuffers = defaultBufIDSize>
class TBufPool;

class TPipe {
 public:
  __aicore__ TPipe(KS_SITE) : site_(site) { Init(site); }
  __aicore__ ~TPipe() { End(1, site_, "~TPipe"); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  __aicore__ void Init(KS_SITE) {
    const kse_where where = site.In("TPipe");
    kse_pipe_init(this, &where);
  }
  __aicore__ void Reset(KS_SITE) {
    const kse_where where = site.In("Reset");
    kse_pipe_reset(&where);
  }
  __aicore__ void Destroy(KS_SITE) { End(1, site, "Destroy"); }
  __aicore__ void DestroyWithoutPipeAll(KS_SITE) { End(0, site, "DestroyWithoutPipeAll"); }

  // A queue of `number` buffers of `bytes` each, rounded up to 32.
  template <typename Queue>
  __aicore__ bool InitBuffer(Queue& queue, uint8_t number, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_queue_init(&queue.ks, nullptr, number, bytes, &where) != 0;
  }
  template <TPosition kPosition, uint32_t kBuffers>
  __aicore__ bool InitBuffer(TBuf<kPosition, kBuffers>& buffer, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_buffer_init(&buffer.ks, nullptr, static_cast<uint8_t>(kPosition), bytes, &where) != 0;
  }
  // Of a queue's form; Get gives the first of them and what lies behind it.
  template <TPosition kPosition, uint32_t kBuffers>
  __aicore__ bool InitBuffer(TBuf<kPosition, kBuffers>& buffer, uint8_t number, uint32_t bytes, KS_SITE) {
    return InitBuffer(buffer, number * ((bytes + 31) / 32 * 32), site);
  }
  // A queue whose buffers lie where the tuples of address and length say.
  template <typename Queue, typename U, typename V, typename... Places>
  __aicore__ bool InitBuffer(Queue& queue, const Std::tuple<U, V>& first, const Places&... others) {
    const kse_where where = site_.In("InitBuffer");
    bool ok = kse_queue_place(&queue.ks, 1, static_cast<uint32_t>(Std::get<0>(first)),
                              static_cast<uint32_t>(Std::get<1>(first)), &where) != 0;
    ((ok = kse_queue_place(&queue.ks, 0, static_cast<uint32_t>(Std::get<0>(others)),
                           static_cast<uint32_t>(Std::get<1>(others)), &where) != 0 &&
           ok),
     ...);
    return ok;
  }
  // A part of the memory for a pool: a TBufPool, or one of the author's own (EXTERN_IMPL_BUFPOOL).
  template <typename Pool>
  __aicore__ bool InitBufPool(Pool& pool, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_init(&pool.ks, nullptr, static_cast<uint8_t>(Pool::ks_position), bytes, &where) != 0;
  }
  // A pool on the memory of another one.
  template <typename Pool, typename Other>
  __aicore__ bool InitBufPool(Pool& pool, uint32_t bytes, Other& shared, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_share(&pool.ks, &shared.ks, bytes, &where) != 0;
  }

  // Spill: local data that go to a part of global memory and come back. Sizes in elements, offsets in bytes.
  template <typename T>
  __aicore__ void InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize) {
    spill_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(workspace.GetPhyAddr()), bufferSize);
  }
  template <typename T>
  __aicore__ void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const DataCopyParams& copyParams,
                                 int32_t writeOffset = 0, KS_SITE) {
    DataCopy(Spilled<T>(writeOffset), writeBuffer, copyParams, site);
  }
  template <typename T>
  __aicore__ void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const int32_t writeSize, int32_t writeOffset = 0,
                                 KS_SITE) {
    DataCopy(Spilled<T>(writeOffset), writeBuffer, static_cast<uint32_t>(writeSize), site);
  }
  template <typename T>
  __aicore__ void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const DataCopyParams& copyParams,
                                int32_t readOffset = 0, KS_SITE) {
    DataCopy(readBuffer, Spilled<T>(readOffset), copyParams, site);
  }
  template <typename T>
  __aicore__ void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const int32_t readSize, int32_t readOffset = 0,
                                KS_SITE) {
    DataCopy(readBuffer, Spilled<T>(readOffset), static_cast<uint32_t>(readSize), site);
  }

  // Of the memory behind a position, as GetPhyAddr counts: a tensor's address less this is its offset.
  __aicore__ uint8_t* GetBaseAddr(int8_t logicPos) {
    const kse_tensor base{
        0, 0, 0, ks::SpaceOf(static_cast<TPosition>(logicPos)), static_cast<uint8_t>(logicPos), KSE_UINT8, 0, 0, 0};
    return static_cast<uint8_t*>(kse_local_pointer(&base, 0));
  }

  template <HardEvent kEvent>
  __aicore__ TEventID AllocEventID(KS_SITE) {
    const kse_where where = site.In("AllocEventID");
    return static_cast<TEventID>(kse_event_allocate(ks::SourceOf(kEvent), ks::WaitingOf(kEvent), &where));
  }
  template <HardEvent kEvent>
  __aicore__ void ReleaseEventID(TEventID id, KS_SITE) {
    const kse_where where = site.In("ReleaseEventID");
    kse_event_release(ks::SourceOf(kEvent), ks::WaitingOf(kEvent), id, &where);
  }
  template <HardEvent kEvent>
  __aicore__ TEventID FetchEventID(KS_SITE) {
    return FetchEventID(kEvent, site);
  }
  __aicore__ TEventID FetchEventID(HardEvent event, KS_SITE) {
    const kse_where where = site.In("FetchEventID");
    return static_cast<TEventID>(kse_event_fetch(ks::SourceOf(event), ks::WaitingOf(event), &where));
  }

 private:
  __aicore__ void End(uint32_t with_barrier, ks::Site site, const char* operation) {
    const kse_where where = site.In(operation);
    kse_pipe_destroy(with_barrier, &where);
  }
  template <typename T>
  __aicore__ GlobalTensor<T> Spilled(int32_t offset) const {
    return spill_[static_cast<uint64_t>(offset)].template ReinterpretCast<T>();
  }

  ks::Site site_;
  GlobalTensor<uint8_t> spill_;
};

}  // namespace AscendC

// The TPipe of this kernel.
__aicore__ inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(kse_pipe_object()); }

namespace AscendC {

using ::GetTPipePtr;

template <TPosition kPosition, uint32_t kBuffers>
class TBufPool {
 public:
  static constexpr TPosition ks_position = kPosition;

  __aicore__ TBufPool() {}

  template <typename Queue>
  __aicore__ bool InitBuffer(Queue& queue, uint8_t number, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_queue_init(&queue.ks, &ks, number, bytes, &where) != 0;
  }
  template <TPosition kBuffer, uint32_t kCount>
  __aicore__ bool InitBuffer(TBuf<kBuffer, kCount>& buffer, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_buffer_init(&buffer.ks, &ks, static_cast<uint8_t>(kBuffer), bytes, &where) != 0;
  }
  template <typename Pool>
  __aicore__ bool InitBufPool(Pool& pool, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_init(&pool.ks, &ks, static_cast<uint8_t>(Pool::ks_position), bytes, &where) != 0;
  }
  template <typename Pool, typename Other>
  __aicore__ bool InitBufPool(Pool& pool, uint32_t bytes, Other& shared, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_share(&pool.ks, &shared.ks, bytes, &where) != 0;
  }
  __aicore__ void Reset(KS_SITE) {
    const kse_where where = site.In("Reset");
    kse_pool_reset(&ks, &where);
  }

  kse_pool ks{};
};

// All of UB that no buffer has taken yet.
template <typename T, TPosition kPosition>
__aicore__ inline bool PopStackBuffer(LocalTensor<T>& tensor, KS_SITE) {
  const kse_where where = site.In("PopStackBuffer");
  kse_tensor rest;
  kse_stack_buffer(&rest, static_cast<uint8_t>(kPosition), &where);
  tensor = LocalTensor<T>(rest);
  return rest.bytes != 0;
}

}  // namespace AscendC

// Members of a pool of the author's own, who hands out its memory himself: addresses from GetCurAddr on, to queues and
// buffers through their InitStartBufHandle and InitBufHandle.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                        \
 public:                                                                                              \
  static constexpr AscendC::TPosition ks_position = POSITION;                                         \
  __aicore__ inline void Init() { ks_used_ = 0; }                                                     \
  __aicore__ inline void Reset() {                                                                    \
    ks.next = ks.begin;                                                                               \
    ks_used_ = 0;                                                                                     \
  }                                                                                                   \
  __aicore__ inline AscendC::TBufHandle GetBufHandle(uint8_t offset) { return ks_handles_ + offset; } \
  __aicore__ inline void SetCurAddr(uint32_t curAddr) { ks.next = curAddr; }                          \
  __aicore__ inline uint32_t GetCurAddr() { return static_cast<uint32_t>(ks.next); }                  \
  __aicore__ inline void SetCurBufSize(uint8_t curBufSize) { ks_used_ = curBufSize; }                 \
  __aicore__ inline uint8_t GetCurBufSize() { return ks_used_; }                                      \
  kse_pool ks{};                                                                                      \
                                                                                                      \
 private:                                                                                             \
  uint8_t ks_handles_[BUFID_SIZE] = {};                                                               \
  uint8_t ks_used_ = 0
