// One core of the emulated card while a kernel runs on it: memories, definedness, trace, and the rules every
// instruction obeys. The operations library is written against this; a kernel never sees it.
//
// Definedness: every local byte has a shadow byte, 1 when it was written. Instructions carry it from sources to
// results; undefined bytes are reported when they reach global memory or a scalar decision, not before. Global memory
// counts as defined.
//
// Example (what an operation does):
//   Core& core = Core::Current();
//   Instruction i(core, Pipe::kVector, Kind::kCompute, *where);
//   std::byte* out = i.Write(*dst, {.run_bytes = bytes});      // checks bounds and alignment, records the access
//   const std::byte* in = i.Read(*src, {.run_bytes = bytes});
//   if (!i.ok()) return;                                       // a finding is in the trace; the instruction is skipped
//   ... compute ...
//   core.CopyDefined(out, in, bytes);                          // or AllDefined / SetDefined / Shadow
//   i.Issue(Compute::kAdd, Element::kHalf, elements, repeats);  // appends the record
//
// Anything wrong is a finding in the trace; the run goes on where that is possible (an access outside its memory is
// skipped) so that one run names every fault.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "worker/emulator/device/core_memory.h"
#include "worker/emulator/device/vector_state.h"
#include "worker/emulator/include/ks/abi.h"
#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// Call site, as the header shims pass it.
using Where = kse_where;
using Tensor = kse_tensor;

// Bytes of a tensor that an instruction touches; fields as in trace.h's Access.
struct Span {
  uint64_t offset = 0;  // bytes from the start of the tensor
  uint32_t run_bytes = 0;
  uint32_t runs = 1;
  uint32_t run_stride = 0;  // bytes from the start of one run to the start of the next
  uint32_t repeats = 1;
  uint32_t repeat_stride = 0;

  // One past the last byte touched, from the start of the tensor; 0 if nothing is touched.
  uint64_t End() const {
    if (run_bytes == 0 || runs == 0 || repeats == 0) return 0;
    return offset + uint64_t{repeats - 1} * repeat_stride + uint64_t{runs - 1} * run_stride + run_bytes;
  }
};

class LaunchState;  // what the cores of one launch share: trace, global memory, signals, scheduler
class PipeState;    // TPipe of the core: buffers, queues, events

class Core {
 public:
  struct Identity {
    uint16_t index = 0;  // within the launch
    uint32_t block = 0;
    uint32_t sub_block = 0;
    CoreKind kind = CoreKind::kAiv;
  };

  // `memory` is the physical core the block runs on; what it held before counts as undefined.
  Core(LaunchState& launch, const Identity& identity, CoreMemory& memory);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // The core whose code runs now. REQUIRES: called from within a kernel.
  static Core& Current() { return *current_; }
  static void SetCurrent(Core* core) { current_ = core; }
  // Null outside of a kernel.
  static Core* CurrentOrNull() { return current_; }

  const Identity& identity() const { return identity_; }
  const v1::Soc& soc() const;
  LaunchState& launch() { return launch_; }
  VectorState& vector() { return vector_; }
  PipeState& pipes() { return *pipes_; }

  // Local memories. Arena(kUb) is ub_bytes large, its end being what the SoC reserves.
  std::byte* Arena(Space space) { return memory_.Arena(space); }
  uint64_t ArenaBytes(Space space) const { return memory_.ArenaBytes(space); }
  CoreMemory& memory() { return memory_; }

  // Definedness. REQUIRES for all: the bytes are local.
  uint8_t* Shadow(const std::byte* local) { return memory_.Shadow(local); }
  bool AllDefined(const std::byte* local, size_t bytes) { return std::memchr(Shadow(local), 0, bytes) == nullptr; }
  void SetDefined(std::byte* local, size_t bytes, bool defined = true) { std::memset(Shadow(local), defined, bytes); }
  void CopyDefined(std::byte* dst, const std::byte* src, size_t bytes) {
    std::memmove(Shadow(dst), Shadow(src), bytes);
  }

  // Atomic mode of MTE3 writes (SetAtomicAdd and the like). kNone: plain.
  enum class Atomic : uint8_t { kNone = 0, kAdd, kMax, kMin };
  Atomic atomic = Atomic::kNone;
  Element atomic_element = Element::kNone;
  uint64_t pad_value = 0;  // SetPadValue, as bits
  bool pad_value_set = false;
  bool order_initialised = false;  // InitDetermineComputeWorkspace

  // CheckLocalMemoryIA: blocks of UB, after `begin` up to `end`, and a bit for each kind of access that stops the core.
  struct Watch {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t kinds = 0;
  };
  std::array<Watch, 4> watches{};
  bool watching = false;  // whether one of them is on

  // Appends a finding. `text` is one sentence: what happened, to what, what to do. `stops` marks what would stop the
  // core on hardware: the launch then ends as kFault, though the emulation goes on.
  void Report(Check check, const Where& where, std::string_view text, bool error = true, bool stops = false,
              const Access* access = nullptr, Pipe pipe = Pipe::kScalar);

  // Appends a record of this core; kind, pipe and the fields of the kind are the caller's.
  void Append(Record record, const Access* accesses, uint16_t n_accesses, const Where& where);

  // The last call with a known place: what is known about where raw pointers are used.
  const Where& last_call() const { return last_call_; }

  uint64_t steps() const { return steps_; }
  // Counts a basic block; called by the instrumentation of kernels. May switch to another core or not return.
  void Step() {
    if (++steps_ >= next_check_) CheckSteps();
  }
  // Rough time since the start of the block, for GetSystemCycle: nothing that Time computes depends on it.
  uint64_t elapsed_ns() const { return steps_ + issued_ns_; }

 private:
  static inline Core* current_ = nullptr;

  LaunchState& launch_;
  Identity identity_;
  VectorState vector_;
  std::unique_ptr<PipeState> pipes_;
  CoreMemory& memory_;
  uint64_t steps_ = 0;
  uint64_t steps_recorded_ = 0;
  uint64_t next_check_ = 0;
  uint64_t issued_ns_ = 0;
  uint32_t turns_after_end_ = 0;
  Where last_call_{"", nullptr, 0};

  void CheckSteps();
};

// One instruction from its checks to its record. Accesses are declared first; when all are permitted (ok()) the effect
// is computed through the pointers they gave and Issue() appends the record. Without Issue() nothing is recorded.
class Instruction {
 public:
  Instruction(Core& core, Pipe pipe, Kind kind, const Where& where);

  // Pointer to the byte `span.offset` of the tensor, or null after a finding (outside its memory, misaligned).
  // `alignment`: what the first byte of the tensor has to be a multiple of in local memory; 1 where the documents ask
  // for nothing. In global memory only bounds count.
  const std::byte* Read(const Tensor& tensor, const Span& span, uint32_t alignment = 32);
  // Likewise; the caller sets definedness of local results. With an atomic mode, MTE3 writes count as atomic.
  std::byte* Write(const Tensor& tensor, const Span& span, uint32_t alignment = 32);
  // Lanes that are fetched but that no result depends on. Null without a finding if they are not all inside the memory.
  const std::byte* ReadPadding(const Tensor& tensor, const Span& span);

  // An argument the API forbids: finding, instruction skipped. "mask 70 exceeds 64 lanes of 4 bytes; ..."
  void Forbid(std::string_view text) { Fail(Check::kArgument, text, false); }
  // Any other reason to skip it.
  void Fail(Check check, std::string_view text, bool stops);
  bool ok() const { return ok_; }

  // Every byte of a local range has to be defined, else a kUninitialized finding (the instruction still runs).
  // `what` completes "undefined bytes of the source reach <what>".
  void RequireDefined(const std::byte* local, size_t bytes, std::string_view what);

  // The record, for fields Issue does not set.
  Record& record() { return record_; }
  void Issue(Compute compute, Element element, uint64_t elements, uint32_t repeats, Element source = Element::kNone);
  void IssueMove(uint64_t bytes, uint32_t bursts = 1, bool pads = false);
  void Issue();

 private:
  std::byte* Take(const Tensor& tensor, const Span& span, AccessKind kind, uint32_t alignment);
  void CompareWithWatches(uint64_t begin, uint64_t end, AccessKind kind);

  static constexpr size_t kMaxAccesses = 24;
  Core& core_;
  const Where& where_;
  Record record_{};
  std::array<Access, kMaxAccesses> accesses_;
  bool ok_ = true;
};

}  // namespace kernelsmith::emulator
