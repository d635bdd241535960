#include "worker/emulator/trace/reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/trace_buffer.h"

namespace kernelsmith::emulator {
namespace {

// The index of an entry is 32 bits of 8 bytes each.
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 35;

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("trace: ", absl::string_view(what.data(), what.size()),
                                          "; the launch left no usable trace, run it again"));
}

bool Executes(Kind kind) { return kind >= Kind::kCompute && kind <= Kind::kScalarStore; }

const char* AccessFault(const Access& access, bool executes) {
  if (access.space > Space::kGlobal || access.space == Space::kNone) return "an access names no memory";
  if (access.kind > AccessKind::kPaddingRead) return "an access has an unknown kind";
  if (access.runs == 0 || access.repeats == 0) return "an access has no runs";
  if (uint64_t{access.runs} * access.repeats > kMaxRunsPerAccess) return "an access has too many runs";
  // A finding may name an access that was refused for its size.
  if (executes && uint64_t{access.runs} * access.repeats * access.run_bytes > kMaxBytesPerAccess) {
    return "an access is larger than the memory of a core";
  }
  if (access.offset > kMaxAddress) return "an access lies outside any memory";
  return nullptr;
}

const char* RecordFault(const Record& record, uint32_t cores, uint32_t texts) {
  if (record.kind < Kind::kLaunch || record.kind > Kind::kFinding) return "a record has an unknown kind";
  if (record.pipe > Pipe::kAll) return "a record names an unknown pipe";
  if (record.core >= cores) return "a record names a core that the launch does not have";
  if (record.file != 0 && record.file >= texts) return "a record names a file that is not in the text table";
  if (record.operation != 0 && record.operation >= texts) return "a record names an operation that is not there";
  switch (record.kind) {
    case Kind::kLaunch:
      return record.c <= uint32_t(CoreKind::kAic) ? nullptr : "a launch has an unknown kind of core";
    case Kind::kCompute:
      if (record.pipe == Pipe::kAll) return "an instruction names no pipe";
      if (record.a == 0 || record.a > uint32_t(Compute::kOther)) return "an instruction has an unknown operation";
      return record.b <= uint32_t(Element::kDouble) && record.c <= uint32_t(Element::kDouble)
                 ? nullptr
                 : "an instruction has an unknown element type";
    case Kind::kMove:
      return record.pipe == Pipe::kAll ? "a transfer names no pipe" : nullptr;
    case Kind::kSetFlag:
    case Kind::kWaitFlag:
      if (record.pipe == Pipe::kAll || record.a >= uint32_t(kPipes)) return "a flag names no pipe";
      return record.b < kMaxEventIds ? nullptr : "a flag has an event id out of range";
    case Kind::kSyncAll:
      return record.a <= 1 ? nullptr : "a SyncAll has an unknown scope";
    case Kind::kFinding:
      if (record.a == 0 || record.a > uint32_t(Check::kRedundant)) return "a finding has an unknown check";
      return record.c < std::max(texts, 1u) ? nullptr : "a finding has no text";
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<TraceReader> TraceReader::Open(absl::Span<const std::byte> block) {
  if (block.size() < sizeof(TraceHeader)) return Damaged("the block is too small");
  if (block.size() > kMaxBlockBytes) return Damaged("the block is too large");
  if (reinterpret_cast<uintptr_t>(block.data()) % 8 != 0) return Damaged("the block is not aligned to 8 bytes");
  TraceHeader header;
  std::memcpy(&header, block.data(), sizeof(header));
  if (header.version != kTraceVersion) return Damaged("the version is another");
  if (header.cores > 65536) return Damaged("too many cores");
  if (header.capacity > block.size() || header.entries_end < sizeof(TraceHeader) ||
      header.entries_end > header.texts_begin || header.texts_begin > header.capacity || header.entries_end % 8 != 0) {
    return Damaged("the header's offsets lie outside the block");
  }
  if (header.texts > kMaxTexts) return Damaged("too many texts");

  TraceReader reader;
  reader.begin_ = block.data() + sizeof(TraceHeader);
  reader.end_ = block.data() + header.entries_end;
  reader.cores_ = header.cores;
  reader.truncated_ = header.truncated != 0;

  reader.texts_.resize(header.texts);
  uint64_t at = header.texts_begin;
  for (uint32_t i = header.texts; i-- > 0;) {
    uint32_t length;
    if (header.capacity - at < sizeof(length)) return Damaged("the text table is cut off");
    std::memcpy(&length, block.data() + at, sizeof(length));
    at += sizeof(length);
    if (header.capacity - at < length) return Damaged("a text is longer than its table");
    reader.texts_[i] = std::string_view(reinterpret_cast<const char*>(block.data() + at), length);
    at += length;
  }

  // Per core: 0 before its launch record, 1 running, 2 ended.
  std::vector<uint8_t> state(header.cores, 0);
  for (const std::byte* entry = reader.begin_; entry != reader.end_;) {
    const uint64_t left = reader.end_ - entry;
    if (left < sizeof(Record)) return Damaged("a record is cut off");
    const Record& record = *reinterpret_cast<const Record*>(entry);
    const uint64_t bytes = sizeof(Record) + record.accesses * sizeof(Access);
    if (left < bytes) return Damaged("the accesses of a record are cut off");
    if (const char* fault = RecordFault(record, header.cores, header.texts)) return Damaged(fault);
    const auto* accesses = reinterpret_cast<const Access*>(entry + sizeof(Record));
    for (uint16_t i = 0; i < record.accesses; ++i) {
      if (const char* fault = AccessFault(accesses[i], Executes(record.kind))) return Damaged(fault);
    }
    uint8_t& running = state[record.core];
    if (record.kind == Kind::kLaunch ? running != 0 : running != 1 && record.kind != Kind::kFinding) {
      return Damaged("a core's records do not lie between its launch and its end");
    }
    if (record.kind == Kind::kLaunch) running = 1;
    if (record.kind == Kind::kEnd) running = 2;
    ++reader.records_;
    entry += bytes;
  }
  return reader;
}

}  // namespace kernelsmith::emulator
