// Where the executor appends the trace: shared memory of a fixed capacity, so that the device process can read it after
// the executor is gone, however it ended. When it is full the rest of the launch is not recorded and the header says
// so.
//
// Layout (host byte order, version kTraceVersion): TraceHeader, entries (trace.h), and growing down from the end the
// text table: operation names, file names and finding texts, each a uint32_t length and its bytes. The text of index 0
// is empty and stands for "unknown".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

struct TraceHeader {
  uint32_t version;      // kTraceVersion
  uint32_t cores;        // cores of the launch
  uint64_t capacity;     // bytes of the whole block
  uint64_t entries_end;  // first free byte after the entries, from the start of the block
  uint64_t texts_begin;  // first byte of the text table
  uint32_t texts;        // number of texts; index 0 is the last one in the block
  uint32_t truncated;    // 1: the buffer was too small
};

class TraceBuffer {
 public:
  // Formats the block. REQUIRES: 8-byte aligned, at least 64 KiB.
  TraceBuffer(std::byte* block, size_t capacity);

  void SetCores(uint32_t cores) { header_->cores = cores; }
  // Appends a record and its accesses; false when full. A loop that reads or writes UB element by element leaves one
  // record a line: an access that continues the bytes of an earlier one, with only scalar accesses between them, is
  // joined to it. Their order among each other is lost; the scalar unit keeps it anyway.
  bool Append(const Record& record, const Access* accesses);
  // Index of a text, added on first use. `text` may go away afterwards. 0 when there is no room for it.
  uint32_t Text(const char* text, size_t length);

 private:
  // A scalar record that may still grow, by its place in the block; 0: none.
  static constexpr size_t kOpen = 8;

  bool Join(const Record& record, const Access& access);

  TraceHeader* header_;
  std::byte* block_;
  std::array<uint64_t, kOpen> open_{};
  size_t next_open_ = 0;
  std::unordered_map<std::string, uint32_t> texts_;
};

}  // namespace kernelsmith::emulator
