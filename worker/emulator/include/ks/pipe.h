// TPipe hands out the memory of a core to queues and buffers, and event numbers; TBufPool hands out a part of it.
//
// Example:
//   AscendC::TPipe pipe;
//   pipe.InitBuffer(in, 2, 4096);   // a queue: two buffers of 4096 bytes
//   pipe.InitBuffer(work, 8192);    // a TBuf
#pragma once

#include "ks/queue.h"
#include "ks/std.h"

namespace AscendC {

template <TPosition kPosition, uint32_t kBuffers = 4>
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
  template <TPosition kPosition>
  __aicore__ bool InitBuffer(TBuf<kPosition>& buffer, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_buffer_init(&buffer.ks, nullptr, static_cast<uint8_t>(kPosition), bytes, &where) != 0;
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
  template <TPosition kPosition, uint32_t kBuffers>
  __aicore__ bool InitBufPool(TBufPool<kPosition, kBuffers>& pool, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_init(&pool.ks, nullptr, static_cast<uint8_t>(kPosition), bytes, &where) != 0;
  }
  // A pool on the memory of another one.
  template <TPosition kPosition, uint32_t kBuffers, typename Other>
  __aicore__ bool InitBufPool(TBufPool<kPosition, kBuffers>& pool, uint32_t bytes, Other& shared, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_share(&pool.ks, &shared.ks, bytes, &where) != 0;
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

  ks::Site site_;
};

}  // namespace AscendC

// The TPipe of this kernel.
__aicore__ inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(kse_pipe_object()); }

namespace AscendC {

using ::GetTPipePtr;

template <TPosition kPosition, uint32_t kBuffers>
class TBufPool {
 public:
  __aicore__ TBufPool() {}

  template <typename Queue>
  __aicore__ bool InitBuffer(Queue& queue, uint8_t number, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_queue_init(&queue.ks, &ks, number, bytes, &where) != 0;
  }
  template <TPosition kBuffer>
  __aicore__ bool InitBuffer(TBuf<kBuffer>& buffer, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBuffer");
    return kse_buffer_init(&buffer.ks, &ks, static_cast<uint8_t>(kBuffer), bytes, &where) != 0;
  }
  template <TPosition kInner, uint32_t kInnerBuffers>
  __aicore__ bool InitBufPool(TBufPool<kInner, kInnerBuffers>& pool, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBufPool");
    return kse_pool_init(&pool.ks, &ks, static_cast<uint8_t>(kInner), bytes, &where) != 0;
  }
  template <TPosition kInner, uint32_t kInnerBuffers, typename Other>
  __aicore__ bool InitBufPool(TBufPool<kInner, kInnerBuffers>& pool, uint32_t bytes, Other& shared, KS_SITE) {
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
