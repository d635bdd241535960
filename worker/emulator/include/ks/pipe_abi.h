// What TPipe, TQue and TBuf pass to the operations library. Buffers, queues and event numbers are kept there; the
// objects of a kernel hold numbers only.
#pragma once

#include "ks/abi.h"

extern "C" {

// A queue as its object holds it. `number` is given by kse_queue_init, from 1.
struct kse_queue {
  uint8_t source;       // TPosition
  uint8_t destination;  // TPosition
  uint16_t number;
  int32_t depth;
};

// A range that buffers are taken from (TBufPool). All zero: the whole memory.
struct kse_pool {
  uint64_t begin;
  uint64_t end;
  uint64_t next;
  uint8_t space;
};

// TPipe. `object` is what kse_pipe_object returns afterwards.
KS_DEVICE void kse_pipe_init(void* object, const kse_where* where);
KS_DEVICE void kse_pipe_reset(const kse_where* where);
KS_DEVICE void kse_pipe_destroy(uint32_t with_barrier, const kse_where* where);
KS_DEVICE void* kse_pipe_object();

// Buffers. `pool` may be null. False if there was no room.
KS_DEVICE uint32_t kse_queue_init(kse_queue* queue, kse_pool* pool, uint32_t number, uint32_t bytes,
                                  const kse_where* where);
// One more buffer at a stated place; the first one (`first` = 1) makes the queue.
KS_DEVICE uint32_t kse_queue_place(kse_queue* queue, uint32_t first, uint32_t address, uint32_t bytes,
                                   const kse_where* where);
KS_DEVICE uint32_t kse_buffer_init(kse_tensor* buffer, kse_pool* pool, uint8_t position, uint32_t bytes,
                                   const kse_where* where);
// A pool of its own, inside `parent` (null: the whole memory), or on top of another one.
KS_DEVICE uint32_t kse_pool_init(kse_pool* pool, kse_pool* parent, uint8_t position, uint32_t bytes,
                                 const kse_where* where);
KS_DEVICE uint32_t kse_pool_share(kse_pool* pool, const kse_pool* other, uint32_t bytes, const kse_where* where);
KS_DEVICE void kse_pool_reset(kse_pool* pool, const kse_where* where);
// All that no buffer has taken yet.
KS_DEVICE void kse_stack_buffer(kse_tensor* buffer, uint8_t position, const kse_where* where);
// Finding if memory handed out without TPipe ends past what the kernel may use.
KS_DEVICE void kse_check_capacity(uint8_t space, uint64_t end, const kse_where* where);

// Queues.
KS_DEVICE void kse_queue_allocate(const kse_queue* queue, kse_tensor* tensor, const kse_where* where);
KS_DEVICE void kse_queue_free(const kse_queue* queue, const kse_tensor* tensor, const kse_where* where);
KS_DEVICE uint32_t kse_queue_push(const kse_queue* queue, const kse_tensor* tensor, uint8_t source, uint8_t destination,
                                  const kse_where* where);
KS_DEVICE void kse_queue_pop(const kse_queue* queue, kse_tensor* tensor, const kse_where* where);
enum kse_queue_question : uint32_t { KSE_QUEUE_COUNT, KSE_QUEUE_VACANT, KSE_QUEUE_IDLE };
KS_DEVICE int32_t kse_queue_ask(const kse_queue* queue, uint32_t question, const kse_where* where);
KS_DEVICE void kse_queue_free_events(const kse_queue* queue, const kse_where* where);

// Event numbers of a pair of pipes (kse_pipe).
KS_DEVICE int32_t kse_event_allocate(uint8_t source, uint8_t waiting, const kse_where* where);
KS_DEVICE int32_t kse_event_fetch(uint8_t source, uint8_t waiting, const kse_where* where);
KS_DEVICE void kse_event_release(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where);

// Flags and barriers.
KS_DEVICE void kse_set_flag(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where);
KS_DEVICE void kse_wait_flag(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where);
KS_DEVICE void kse_pipe_barrier(uint8_t pipe, const kse_where* where);
}
