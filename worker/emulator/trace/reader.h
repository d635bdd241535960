// Reads a trace that an untrusted process wrote: every field is checked before it is handed out. The block must not
// change while it is read (its writer is gone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

struct Entry {
  const Record* record;
  absl::Span<const Access> accesses;
};

class TraceReader {
 public:
  // DATA_LOSS if the block is no trace of this version or any entry is out of range: enumerations, core numbers, counts,
  // text indices. Costs one pass.
  static absl::StatusOr<TraceReader> Open(absl::Span<const std::byte> block);

  uint32_t cores() const;
  bool truncated() const;

  // Iteration in the order written.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  // Text by index; escaped to printable ASCII by the caller where it is shown.
  std::string_view text(uint32_t index) const;

 private:
  explicit TraceReader(absl::Span<const std::byte> block) : block_(block) {}
  absl::Span<const std::byte> block_;
};

}  // namespace kernelsmith::emulator
