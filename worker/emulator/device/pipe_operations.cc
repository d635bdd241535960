// TPipe, TQue, TBuf, TBufPool, flags and barriers as kernels call them.

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/pipe_state.h"
#include "worker/emulator/include/ks/pipe_abi.h"

namespace kernelsmith::emulator {
namespace {

PipeState& Pipes() { return Core::Current().pipes(); }

Pipe ToPipe(uint8_t pipe) { return pipe <= KSE_PIPE_ALL ? static_cast<Pipe>(pipe) : Pipe::kAll; }

}  // namespace
}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Pipes;
using kernelsmith::emulator::PipeState;
using kernelsmith::emulator::Space;
using kernelsmith::emulator::ToPipe;

void kse_pipe_init(void* object, const kse_where* where) { Pipes().Init(object, *where); }
void kse_pipe_reset(const kse_where* where) { Pipes().Reset(*where); }
void kse_pipe_destroy(uint32_t with_barrier, const kse_where* where) { Pipes().Destroy(with_barrier != 0, *where); }
void* kse_pipe_object() { return Pipes().object(); }

uint32_t kse_queue_init(kse_queue* queue, kse_pool* pool, uint32_t number, uint32_t bytes, const kse_where* where) {
  return Pipes().AddQueue(*queue, pool, number, bytes, *where);
}
uint32_t kse_queue_place(kse_queue* queue, uint32_t first, uint32_t address, uint32_t bytes, const kse_where* where) {
  return Pipes().PlaceQueueBuffer(*queue, first != 0, address, bytes, *where);
}
uint32_t kse_buffer_init(kse_tensor* buffer, kse_pool* pool, uint8_t position, uint32_t bytes, const kse_where* where) {
  return Pipes().AddBuffer(*buffer, pool, position, bytes, *where);
}

uint32_t kse_pool_init(kse_pool* pool, kse_pool* parent, uint8_t position, uint32_t bytes, const kse_where* where) {
  const Space space = PipeState::SpaceOf(position);
  uint64_t begin = 0;
  const bool fits = Pipes().Take(parent, space, bytes, begin, *where);
  *pool = kse_pool{.begin = begin, .end = begin + bytes, .next = begin, .space = static_cast<uint8_t>(space)};
  return fits;
}
uint32_t kse_pool_share(kse_pool* pool, const kse_pool* other, uint32_t bytes, const kse_where* where) {
  *pool = *other;
  pool->next = pool->begin;
  if (bytes <= other->end - other->begin) return 1;
  kernelsmith::emulator::Core::Current().Report(kernelsmith::emulator::Check::kCapacity, *where,
                                                "the pool is larger than the one whose memory it shares");
  return 0;
}
void kse_pool_reset(kse_pool* pool, const kse_where* where) { Pipes().ResetPool(*pool, *where); }

void kse_stack_buffer(kse_tensor* buffer, uint8_t position, const kse_where* where) {
  Pipes().Rest(*buffer, position, *where);
}
void kse_check_capacity(uint8_t space, uint64_t end, const kse_where* where) {
  Pipes().CheckCapacity(static_cast<Space>(space), end, *where);
}

void kse_queue_allocate(const kse_queue* queue, kse_tensor* tensor, const kse_where* where) {
  Pipes().Allocate(*queue, *tensor, *where);
}
void kse_queue_free(const kse_queue* queue, const kse_tensor* tensor, const kse_where* where) {
  Pipes().Free(*queue, *tensor, *where);
}
uint32_t kse_queue_push(const kse_queue* queue, const kse_tensor* tensor, uint8_t source, uint8_t destination,
                        const kse_where* where) {
  return Pipes().Push(*queue, *tensor, source, destination, *where);
}
void kse_queue_pop(const kse_queue* queue, kse_tensor* tensor, const kse_where* where) {
  Pipes().Pop(*queue, *tensor, *where);
}
int32_t kse_queue_ask(const kse_queue* queue, uint32_t question, const kse_where* where) {
  return Pipes().Ask(*queue, question, *where);
}
void kse_queue_free_events(const kse_queue* queue, const kse_where* where) { Pipes().FreeEvents(*queue, *where); }

int32_t kse_event_allocate(uint8_t source, uint8_t waiting, const kse_where* where) {
  const int32_t id = Pipes().flags().Allocate(ToPipe(source), ToPipe(waiting));
  if (id >= 0) return id;
  kernelsmith::emulator::Core::Current().Report(
      kernelsmith::emulator::Check::kPairing, *where,
      "no event id is left: all are allocated; give them back with ReleaseEventID when they are no longer used");
  return 0;
}
int32_t kse_event_fetch(uint8_t source, uint8_t waiting, const kse_where*) {
  const int32_t id = Pipes().flags().Fetch(ToPipe(source), ToPipe(waiting));
  return id < 0 ? 0 : id;
}
void kse_event_release(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where) {
  if (Pipes().flags().Release(ToPipe(source), ToPipe(waiting), id)) return;
  kernelsmith::emulator::Core::Current().Report(
      kernelsmith::emulator::Check::kPairing, *where,
      "the event id was not allocated; release what AllocEventID of the same event gave, once");
}

void kse_set_flag(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where) {
  Pipes().flags().Set(ToPipe(source), ToPipe(waiting), id, *where);
}
void kse_wait_flag(uint8_t source, uint8_t waiting, int32_t id, const kse_where* where) {
  Pipes().flags().Wait(ToPipe(source), ToPipe(waiting), id, *where);
}
void kse_pipe_barrier(uint8_t pipe, const kse_where* where) { Pipes().Barrier(ToPipe(pipe), *where); }
