// Reads a trace that an untrusted process wrote: every field is checked before it is handed out. The block must not
// change while it is read (its writer is gone) and must outlive the reader.
//
// Example:
//   absl::StatusOr<TraceReader> trace = TraceReader::Open(block);
//   if (!trace.ok()) return trace.status();
//   for (const Entry& entry : *trace) std::cout << trace->text(entry.record->operation) << "\n";
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// What no honest launch exceeds.
inline constexpr uint64_t kMaxRunsPerAccess = 1 << 20;
inline constexpr uint64_t kMaxBytesPerAccess = 1 << 26;  // of an instruction
inline constexpr uint64_t kMaxAddress = uint64_t{1} << 56;
inline constexpr uint32_t kMaxEventIds = 16;
inline constexpr uint32_t kMaxTexts = 1 << 16;

struct Entry {
  const Record* record;
  absl::Span<const Access> accesses;
};

class TraceReader {
 public:
  // DATA_LOSS if the block is no trace of this version or any entry is out of range: enumerations, core numbers,
  // counts, text indices. Costs one pass.
  static absl::StatusOr<TraceReader> Open(absl::Span<const std::byte> block);

  uint32_t cores() const { return cores_; }
  bool truncated() const { return truncated_; }
  uint64_t records() const { return records_; }

  // Iteration in the order written.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = Entry;

    explicit Iterator(const std::byte* at) : at_(at) {}
    Entry operator*() const {
      const auto* record = reinterpret_cast<const Record*>(at_);
      return {record, absl::MakeConstSpan(reinterpret_cast<const Access*>(at_ + sizeof(Record)), record->accesses)};
    }
    Iterator& operator++() {
      at_ += sizeof(Record) + reinterpret_cast<const Record*>(at_)->accesses * sizeof(Access);
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const std::byte* at_;
  };
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }

  // A short name of an entry, and back. Indices grow in the order written.
  uint32_t IndexOf(const Record* record) const {
    return static_cast<uint32_t>((reinterpret_cast<const std::byte*>(record) - begin_) / 8);
  }
  Entry At(uint32_t index) const { return *Iterator(begin_ + uint64_t{index} * 8); }

  // Text by index; empty for one that does not exist. Escaped to printable ASCII by the caller where it is shown.
  std::string_view text(uint32_t index) const { return index < texts_.size() ? texts_[index] : std::string_view(); }

 private:
  TraceReader() = default;

  const std::byte* begin_ = nullptr;
  const std::byte* end_ = nullptr;
  uint32_t cores_ = 0;
  bool truncated_ = false;
  uint64_t records_ = 0;
  std::vector<std::string_view> texts_;
};

}  // namespace kernelsmith::emulator
