#include "worker/emulator/device/pipe_state.h"

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/launch_state.h"

namespace kernelsmith::emulator {
namespace {

// TPosition of the kernel side.
enum : uint8_t { kGm, kA1, kA2, kB1, kB2, kC1, kC2, kCo1, kCo2, kVecIn, kVecOut, kVecCalc, kSpm, kTscm, kC2Pipe2Gm };

// The pipe that fills a position, and the one that consumes it.
Pipe FilledBy(uint8_t source) {
  switch (source) {
    case kVecOut:
    case kVecCalc:
      return Pipe::kVector;
    case kA1:
    case kB1:
    case kC1:
      return Pipe::kMte1;
    case kA2:
    case kB2:
    case kC2:
    case kCo1:
      return Pipe::kCube;
    default:
      return Pipe::kMte2;
  }
}

Pipe ConsumedBy(uint8_t destination) {
  switch (destination) {
    case kVecIn:
    case kVecCalc:
      return Pipe::kVector;
    case kA1:
    case kB1:
    case kC1:
      return Pipe::kMte1;
    case kA2:
    case kB2:
    case kC2:
      return Pipe::kCube;
    case kCo2:
      return Pipe::kFixpipe;
    default:
      return Pipe::kMte3;
  }
}

}  // namespace

Space PipeState::SpaceOf(uint8_t position) {
  switch (position) {
    case kA1:
    case kB1:
    case kC1:
    case kSpm:
    case kTscm:
      return Space::kL1;
    case kA2:
      return Space::kL0A;
    case kB2:
      return Space::kL0B;
    case kC2:
      return Space::kBias;
    case kCo1:
      return Space::kL0C;
    case kC2Pipe2Gm:
      return Space::kFixbuf;
    default:
      return Space::kUb;
  }
}

bool PipeState::FlagOf(uint8_t source, uint8_t destination, Pipe& set, Pipe& waits) {
  set = FilledBy(source);
  waits = ConsumedBy(destination);
  return set != waits;
}

// Buffers ----------------------------------------------------------------------------------------------------------

void PipeState::Init(void* object, const Where& where) {
  if (alive_) {
    core_.Report(Check::kArgument, where,
                 "a second TPipe starts while the first one lives: both hand out the same memory; keep one per kernel");
  }
  object_ = object;
  alive_ = true;
  next_.fill(0);
  n_buffers_ = 0;
  queue_buffers_.fill(0);
}

void PipeState::Reset(const Where& where) {
  for (Queue& queue : queues_) {
    for (Buffer& buffer : queue.buffers) AwaitEvent(buffer.freed, where);
  }
  queues_.clear();
  flags_.ReleaseAll();
  next_.fill(0);
  n_buffers_ = 0;
  queue_buffers_.fill(0);
}

void PipeState::Destroy(bool with_barrier, const Where& where) {
  if (!alive_) return;
  alive_ = false;
  Reset(where);
  if (with_barrier) Barrier(Pipe::kAll, where);
}

void PipeState::Barrier(Pipe pipe, const Where& where) {
  if (pipe == Pipe::kAll) flags_.Settle();
  Record record{};
  record.kind = Kind::kBarrier;
  record.pipe = pipe;
  core_.Append(record, nullptr, 0, where);
}

void PipeState::Finish() { flags_.Settle(); }

void PipeState::ResetPool(kse_pool& pool, const Where& where) {
  for (Queue& queue : queues_) {
    if (queue.buffers.empty() || queue.buffers.front().address < pool.begin ||
        queue.buffers.front().address >= pool.end) {
      continue;
    }
    for (Buffer& buffer : queue.buffers) AwaitEvent(buffer.freed, where);
    queue.buffers.clear();
    queue.order.clear();
  }
  pool.next = pool.begin;
}

uint64_t PipeState::Usable(Space space) const {
  const uint64_t bytes = core_.ArenaBytes(space);
  return space == Space::kUb ? bytes - static_cast<uint64_t>(core_.soc().ub_reserved_bytes()) : bytes;
}

bool PipeState::CheckCapacity(Space space, uint64_t end, const Where& where) {
  const uint64_t usable = Usable(space);
  if (end <= usable) return true;
  core_.Report(Check::kCapacity, where,
               absl::StrCat("buffers take ", end, " bytes of a memory of which a kernel may use ", usable,
                            "; make tiles smaller or share buffers"));
  return false;
}

void PipeState::Rest(kse_tensor& buffer, uint8_t position, const Where&) {
  const Space space = SpaceOf(position);
  const uint64_t next = next_[static_cast<size_t>(space)];
  const uint64_t usable = Usable(space);
  const uint64_t bytes = next < usable ? usable - next : 0;
  buffer = kse_tensor{.address = next,
                      .bytes = bytes,
                      .elements = bytes,
                      .space = static_cast<uint8_t>(space),
                      .position = position,
                      .element = KSE_UINT8,
                      .uncached = 0,
                      .buffer = 0,
                      .queue = 0};
}

bool PipeState::Take(kse_pool* pool, Space space, uint32_t bytes, uint64_t& address, const Where& where) {
  const uint64_t block = static_cast<uint64_t>(core_.soc().block_bytes());
  const uint64_t rounded = (bytes + block - 1) / block * block;
  const bool whole = pool == nullptr || pool->end == 0;
  uint64_t& next = whole ? next_[static_cast<size_t>(space)] : pool->next;
  address = next;
  next += rounded;
  if (whole) return CheckCapacity(space, next, where);
  if (next <= pool->end) return true;
  core_.Report(Check::kCapacity, where,
               absl::StrCat("buffers of a pool end at byte ", next, ", the pool at byte ", pool->end,
                            "; make the pool larger or the buffers smaller"));
  return false;
}

void PipeState::CountBuffers(uint32_t number, const Where& where) {
  const uint32_t most = static_cast<uint32_t>(core_.soc().max_buffers());
  n_buffers_ += number;
  if (n_buffers_ > most && n_buffers_ - number <= most) {
    core_.Report(Check::kCapacity, where,
                 absl::StrCat("a kernel may have ", most, " buffers and this is number ", n_buffers_,
                              "; merge buffers and use offsets"));
  }
}

bool PipeState::AddBuffer(kse_tensor& buffer, kse_pool* pool, uint8_t position, uint32_t bytes, const Where& where) {
  CountBuffers(1, where);
  const Space space = SpaceOf(position);
  uint64_t address = 0;
  const bool fits = Take(pool, space, bytes, address, where);
  const uint64_t block = static_cast<uint64_t>(core_.soc().block_bytes());
  const uint64_t rounded = (bytes + block - 1) / block * block;
  buffer = kse_tensor{.address = address,
                      .bytes = rounded,
                      .elements = rounded,
                      .space = static_cast<uint8_t>(space),
                      .position = position,
                      .element = KSE_UINT8,
                      .uncached = 0,
                      .buffer = static_cast<uint16_t>(n_buffers_),
                      .queue = 0};
  return fits;
}

bool PipeState::AddQueue(kse_queue& queue, kse_pool* pool, uint32_t number, uint32_t bytes, const Where& where) {
  bool fits = true;
  const Space space = SpaceOf(queue.source == kGm ? queue.destination : queue.source);
  for (uint32_t i = 0; i < number; ++i) {
    uint64_t address = 0;
    fits = Take(pool, space, bytes, address, where) && fits;
    PlaceQueueBuffer(queue, i == 0, static_cast<uint32_t>(address), bytes, where);
  }
  return fits;
}

bool PipeState::PlaceQueueBuffer(kse_queue& queue, bool first, uint32_t address, uint32_t bytes, const Where& where) {
  if (first) {
    Queue added;
    added.source = queue.source;
    added.destination = queue.destination;
    added.depth = queue.depth;
    added.number = static_cast<uint16_t>(queues_.size() + 1);
    added.buffer = static_cast<uint16_t>(n_buffers_ + 1);
    queues_.push_back(std::move(added));
    queue.number = queues_.back().number;
  }
  if (queue.number == 0 || queue.number > queues_.size()) return false;
  Queue* to = &queues_[queue.number - 1u];
  CountBuffers(1, where);
  const uint64_t block = static_cast<uint64_t>(core_.soc().block_bytes());
  const uint32_t rounded = static_cast<uint32_t>((bytes + block - 1) / block * block);
  to->buffers.push_back(Buffer{.address = address, .bytes = rounded});
  const uint8_t position = queue.source == kGm ? queue.destination : queue.source;
  const uint32_t most = static_cast<uint32_t>(core_.soc().max_queue_buffers());
  if (position < queue_buffers_.size() && ++queue_buffers_[position] == most + 1) {
    core_.Report(Check::kCapacity, where,
                 absl::StrCat("queues of one position have more than ", most,
                              " buffers, one for each event id; AllocTensor can fail when all are in use"),
                 /*error=*/false);
  }
  return true;
}

// Queues -----------------------------------------------------------------------------------------------------------

PipeState::Queue* PipeState::Find(const kse_queue& queue, const Where& where) {
  if (queue.number == 0 || queue.number > queues_.size() || queues_[queue.number - 1u].buffers.empty()) {
    core_.Report(Check::kPairing, where, "the queue has no buffers: call InitBuffer first, and again after Reset",
                 /*error=*/true, /*stops=*/true);
    return nullptr;
  }
  return &queues_[queue.number - 1u];
}

PipeState::Buffer* PipeState::FindBuffer(Queue& queue, const kse_tensor& tensor) {
  for (Buffer& buffer : queue.buffers) {
    if (tensor.space != KSE_SPACE_GLOBAL && tensor.address >= buffer.address &&
        tensor.address < buffer.address + buffer.bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

void PipeState::Fill(const Queue& queue, const Buffer& buffer, kse_tensor& tensor) {
  const uint8_t position = queue.source == kGm ? queue.destination : queue.source;
  tensor = kse_tensor{.address = buffer.address,
                      .bytes = buffer.bytes,
                      .elements = buffer.bytes,
                      .space = static_cast<uint8_t>(SpaceOf(position)),
                      .position = position,
                      .element = KSE_UINT8,
                      .uncached = 0,
                      .buffer = static_cast<uint16_t>(queue.buffer + (&buffer - queue.buffers.data())),
                      .queue = queue.number};
}

void PipeState::Stop(std::string_view text, const Where& where) {
  core_.Report(Check::kPairing, where, text);
  core_.launch().End(LaunchEnd::kHang, absl::StrCat("core ", core_.identity().index, ", line ", where.line, ", ",
                                                    where.operation, ": ", std::string(text)));
  core_.launch().scheduler().Leave();
}

void PipeState::SetEvent(Event& event, Pipe source, Pipe waiting, const Where& where) {
  event.source = source;
  event.waiting = waiting;
  event.id = flags_.Allocate(source, waiting);
  if (event.id < 0) {
    Stop(absl::StrCat("no event id is left for ", FlagName(source, waiting),
                      ": queues use one for each buffer in flight; use fewer buffers, or FreeAllEvent"),
         where);
  }
  flags_.Set(source, waiting, event.id, where);
}

void PipeState::AwaitEvent(Event& event, const Where& where) {
  if (event.id < 0) return;
  flags_.Wait(event.source, event.waiting, event.id, where);
  flags_.Release(event.source, event.waiting, event.id);
  event.id = -1;
}

void PipeState::AppendQueue(Kind kind, const Queue& queue, const Buffer& buffer, const Where& where) {
  Record record{};
  record.kind = kind;
  record.a = queue.number;
  record.b = static_cast<uint32_t>(&buffer - queue.buffers.data());
  core_.Append(record, nullptr, 0, where);
}

void PipeState::Allocate(const kse_queue& handle, kse_tensor& tensor, const Where& where) {
  tensor = kse_tensor{};
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return;
  const uint32_t n = static_cast<uint32_t>(queue->buffers.size());
  for (uint32_t i = 0; i < n; ++i) {
    Buffer& buffer = queue->buffers[(queue->next + i) % n];
    if (buffer.use != Use::kIdle) continue;
    queue->next = (queue->next + i + 1) % n;
    buffer.use = Use::kAllocated;
    AwaitEvent(buffer.freed, where);
    AppendQueue(Kind::kAllocate, *queue, buffer, where);
    Fill(*queue, buffer, tensor);
    const Space space = static_cast<Space>(tensor.space);
    if (buffer.address + buffer.bytes <= core_.ArenaBytes(space)) {
      core_.SetDefined(core_.Arena(space) + buffer.address, buffer.bytes, false);
    }
    return;
  }
  Stop(absl::StrCat("all ", n, " buffers of the queue are in use; free a tensor first or give the queue more buffers"),
       where);
}

void PipeState::Free(const kse_queue& handle, const kse_tensor& tensor, const Where& where) {
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return;
  Buffer* buffer = FindBuffer(*queue, tensor);
  if (buffer == nullptr || buffer->use == Use::kIdle) {
    core_.Report(Check::kPairing, where,
                 buffer == nullptr ? "the tensor does not come from this queue; free it where it was allocated"
                                   : "the tensor is free already; pair every FreeTensor with one AllocTensor");
    return;
  }
  if (buffer->use == Use::kQueued) {
    core_.Report(Check::kPairing, where, "the tensor is still in the queue; take it out with DeQue before FreeTensor");
    std::erase(queue->order, static_cast<uint32_t>(buffer - queue->buffers.data()));
    AwaitEvent(buffer->filled, where);
  }
  buffer->use = Use::kIdle;
  AppendQueue(Kind::kFree, *queue, *buffer, where);
  Pipe set;
  Pipe waits;
  if (FlagOf(queue->source, queue->destination, set, waits)) SetEvent(buffer->freed, waits, set, where);
}

bool PipeState::Push(const kse_queue& handle, const kse_tensor& tensor, uint8_t source, uint8_t destination,
                     const Where& where) {
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return false;
  Buffer* buffer = FindBuffer(*queue, tensor);
  if (buffer == nullptr || buffer->use != Use::kAllocated) {
    core_.Report(Check::kPairing, where,
                 buffer == nullptr             ? "the tensor does not come from this queue; allocate it there"
                 : buffer->use == Use::kQueued ? "the tensor is in the queue already"
                                               : "the tensor was freed before it is put into the queue");
    return false;
  }
  const size_t depth = queue->depth > 0 ? static_cast<size_t>(queue->depth) : queue->buffers.size();
  if (queue->order.size() >= depth) {
    core_.Report(Check::kPairing, where,
                 absl::StrCat("the queue is full: its depth is ", depth, "; take tensors out first or make it deeper"));
    return false;
  }
  buffer->use = Use::kQueued;
  queue->order.push_back(static_cast<uint32_t>(buffer - queue->buffers.data()));
  AppendQueue(Kind::kEnQue, *queue, *buffer, where);
  Pipe set;
  Pipe waits;
  if (FlagOf(source, destination, set, waits)) SetEvent(buffer->filled, set, waits, where);
  return true;
}

void PipeState::Pop(const kse_queue& handle, kse_tensor& tensor, const Where& where) {
  tensor = kse_tensor{};
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return;
  if (queue->order.empty()) Stop("the queue is empty; put a tensor in with EnQue before DeQue", where);
  Buffer& buffer = queue->buffers[queue->order.front()];
  queue->order.pop_front();
  buffer.use = Use::kAllocated;
  AwaitEvent(buffer.filled, where);
  AppendQueue(Kind::kDeQue, *queue, buffer, where);
  Fill(*queue, buffer, tensor);
}

int32_t PipeState::Ask(const kse_queue& handle, uint32_t question, const Where& where) {
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return 0;
  if (question == KSE_QUEUE_COUNT) return static_cast<int32_t>(queue->order.size());
  if (question == KSE_QUEUE_VACANT) {
    const size_t depth = queue->depth > 0 ? static_cast<size_t>(queue->depth) : queue->buffers.size();
    return queue->order.size() < depth;
  }
  for (const Buffer& buffer : queue->buffers) {
    if (buffer.use == Use::kIdle) return 1;
  }
  return 0;
}

void PipeState::FreeEvents(const kse_queue& handle, const Where& where) {
  Queue* queue = Find(handle, where);
  if (queue == nullptr) return;
  for (Buffer& buffer : queue->buffers) AwaitEvent(buffer.freed, where);
}

}  // namespace kernelsmith::emulator
