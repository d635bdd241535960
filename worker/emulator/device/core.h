// One core of the emulated card while a kernel runs on it: memories, definedness, trace, and the rules every instruction
// obeys. The operations library is written against this; a kernel never sees it.
//
// Definedness: every local byte has a shadow byte, 1 when it was written. Instructions carry it from sources to results;
// undefined bytes are reported when they reach global memory or a scalar decision, not before.
//
// Example (what an operation does):
//   Core& core = Core::Current();
//   Instruction i(core, Pipe::kVector, Kind::kCompute, where);       // where: API name, file, line of the call
//   std::byte* out = i.Write(dst, span);                            // checks bounds and alignment, records the access
//   const std::byte* in = i.Read(src, span);
//   ... compute; move shadows with core.Shadow(...) ...
//   i.Issue(Compute::kAdd, Element::kHalf, elements, repeats);       // appends the record
//
// Anything wrong is a finding in the trace; the run goes on where that is possible (an access outside its memory is
// skipped) so that one run names every fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// Call site, as the header shims pass it: static strings and a line.
struct Where {
  const char* operation;  // "DataCopy"
  const char* file;
  uint32_t line;
};

// Bytes of a tensor that an instruction touches; fields as in trace.h's Access.
struct Span {
  uint64_t offset = 0;  // from the start of the tensor's memory: arena offset, or device address
  uint32_t run_bytes = 0;
  uint32_t runs = 1;
  uint32_t run_stride = 0;
  uint32_t repeats = 1;
  uint32_t repeat_stride = 0;
};

}  // namespace kernelsmith::emulator
