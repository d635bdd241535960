// Buffers and queues of one core: what TPipe, TQue and TBuf of a kernel stand for. A queue sets and awaits the flags
// that its positions imply, with records of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/flags.h"
#include "worker/emulator/include/ks/pipe_abi.h"

namespace kernelsmith::emulator {

class PipeState {
 public:
  explicit PipeState(Core& core) : core_(core), flags_(core) {}

  Flags& flags() { return flags_; }
  void* object() const { return object_; }

  // TPipe.
  void Init(void* object, const Where& where);
  void Reset(const Where& where);
  void Destroy(bool with_barrier, const Where& where);
  // Waits for the pipe, or all of them.
  void Barrier(Pipe pipe, const Where& where);
  // End of the kernel. Does not return if a pipe still waits.
  void Finish();

  // Takes `bytes` (rounded up to a block) from a pool, or from the memory behind a position.
  bool Take(kse_pool* pool, Space space, uint32_t bytes, uint64_t& address, const Where& where);
  // Gives back all queues whose buffers lie in the pool.
  void ResetPool(kse_pool& pool, const Where& where);
  // What no buffer has taken yet of the memory behind a position.
  void Rest(kse_tensor& buffer, uint8_t position, const Where& where);
  // Finding if memory that a kernel manages itself ends past what it may use. False then.
  bool CheckCapacity(Space space, uint64_t end, const Where& where);
  bool AddBuffer(kse_tensor& buffer, kse_pool* pool, uint8_t position, uint32_t bytes, const Where& where);
  bool AddQueue(kse_queue& queue, kse_pool* pool, uint32_t number, uint32_t bytes, const Where& where);
  bool PlaceQueueBuffer(kse_queue& queue, bool first, uint32_t address, uint32_t bytes, const Where& where);

  // Queues. What cannot be done is a finding; what would stop a card does not return.
  void Allocate(const kse_queue& queue, kse_tensor& tensor, const Where& where);
  void Free(const kse_queue& queue, const kse_tensor& tensor, const Where& where);
  bool Push(const kse_queue& queue, const kse_tensor& tensor, uint8_t source, uint8_t destination, const Where& where);
  void Pop(const kse_queue& queue, kse_tensor& tensor, const Where& where);
  int32_t Ask(const kse_queue& queue, uint32_t question, const Where& where);
  void FreeEvents(const kse_queue& queue, const Where& where);

  static Space SpaceOf(uint8_t position);

 private:
  uint64_t Usable(Space space) const;

  struct Event {
    Pipe source = Pipe::kScalar;
    Pipe waiting = Pipe::kScalar;
    int32_t id = -1;  // -1: none pending
  };
  enum class Use : uint8_t { kIdle, kAllocated, kQueued };
  struct Buffer {
    uint64_t address;
    uint32_t bytes;
    Use use = Use::kIdle;
    Event filled;  // set by EnQue, awaited by DeQue
    Event freed;   // set by FreeTensor, awaited by AllocTensor
  };
  struct Queue {
    uint8_t source = 0;
    uint8_t destination = 0;
    int32_t depth = 0;
    uint16_t number = 0;  // of the queue, from 1
    uint16_t buffer = 0;  // number of its first buffer in InitBuffer order
    std::vector<Buffer> buffers;
    std::deque<uint32_t> order;
    uint32_t next = 0;
  };

  // Flag between what fills a position pair and what consumes it; false if none is needed.
  static bool FlagOf(uint8_t source, uint8_t destination, Pipe& set, Pipe& waits);
  // Null after a finding.
  Queue* Find(const kse_queue& queue, const Where& where);
  Buffer* FindBuffer(Queue& queue, const kse_tensor& tensor);
  void CountBuffers(uint32_t number, const Where& where);
  void Fill(const Queue& queue, const Buffer& buffer, kse_tensor& tensor);
  void SetEvent(Event& event, Pipe source, Pipe waiting, const Where& where);
  void AwaitEvent(Event& event, const Where& where);
  void AppendQueue(Kind kind, const Queue& queue, const Buffer& buffer, const Where& where);
  [[noreturn]] void Stop(std::string_view text, const Where& where);

  Core& core_;
  Flags flags_;
  void* object_ = nullptr;
  bool alive_ = false;
  std::array<uint64_t, kSpaces> next_{};
  uint32_t n_buffers_ = 0;
  std::array<uint32_t, 32> queue_buffers_{};  // by position
  std::deque<Queue> queues_;
};

}  // namespace kernelsmith::emulator
