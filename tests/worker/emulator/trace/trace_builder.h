// Writes traces by hand, for tests of what reads them.
//
// Example:
//   TraceBuilder t(2);                                   // cores 0 and 1, vector cores of blocks 0 and 1
//   t.On(0).At(10).Copy(Ub(0, 256), Gm(0x1000, 256));    // DataCopy in line 10, MTE2
//   t.At(12).Vector(Compute::kAdd, {Ub(256, 256)}, {Ub(0, 256)});
//   absl::StatusOr<TraceReader> trace = TraceReader::Open(t.Finish());
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "worker/emulator/device/trace_buffer.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

inline Access Range(Space space, uint64_t offset, uint32_t bytes, AccessKind kind = AccessKind::kRead) {
  return {.offset = offset,
          .run_bytes = bytes,
          .runs = 1,
          .run_stride = 0,
          .repeats = 1,
          .repeat_stride = 0,
          .space = space,
          .kind = kind,
          .buffer = 0};
}
inline Access Ub(uint64_t offset, uint32_t bytes) { return Range(Space::kUb, offset, bytes); }
inline Access Gm(uint64_t address, uint32_t bytes) { return Range(Space::kGlobal, address, bytes); }

class TraceBuilder {
 public:
  explicit TraceBuilder(uint32_t cores = 1, CoreKind kind = CoreKind::kAiv) : cores_(cores) {
    Text("");
    file_ = static_cast<uint16_t>(Text("k.asc"));
    for (uint32_t core = 0; core < cores; ++core) {
      On(core).Add(Kind::kLaunch, Pipe::kScalar, "", {}, core, 0, uint32_t(kind));
    }
    On(0);
  }

  TraceBuilder& On(uint32_t core) {
    core_ = static_cast<uint16_t>(core);
    return *this;
  }
  TraceBuilder& At(uint32_t line) {
    line_ = line;
    return *this;
  }
  // Scalar basic blocks before the next record.
  TraceBuilder& Steps(uint32_t steps) {
    steps_ = steps;
    return *this;
  }

  // MTE2 if the source is global, MTE3 if the destination is, otherwise the vector pipe.
  TraceBuilder& Copy(Access to, Access from, uint32_t bursts = 1, uint32_t equal = 0) {
    const Pipe pipe = from.space == Space::kGlobal ? Pipe::kMte2
                      : to.space == Space::kGlobal ? Pipe::kMte3
                                                   : Pipe::kVector;
    to.kind = to.kind == AccessKind::kAtomic ? AccessKind::kAtomic : AccessKind::kWrite;
    return Add(Kind::kMove, pipe, "DataCopy", {from, to}, bursts, 0, equal, 0,
               uint64_t{to.run_bytes} * to.runs * to.repeats);
  }
  TraceBuilder& Vector(Compute compute, std::vector<Access> writes, std::vector<Access> reads,
                       Element element = Element::kHalf, const char* name = "Add") {
    const uint64_t bytes = writes.empty() ? reads[0].run_bytes : writes[0].run_bytes;
    for (Access& write : writes) write.kind = AccessKind::kWrite;
    reads.insert(reads.end(), writes.begin(), writes.end());
    const uint32_t size = element == Element::kFloat ? 4 : 2;
    return Add(Kind::kCompute, Pipe::kVector, name, reads, uint32_t(compute), uint32_t(element), uint32_t(element),
               static_cast<uint32_t>((bytes + 255) / 256), bytes / size);
  }
  TraceBuilder& Load(Access from, const char* name = "GetValue") {
    return Add(Kind::kScalarLoad, Pipe::kScalar, name, {from}, 0, 0, 0, 0, from.run_bytes);
  }
  TraceBuilder& Store(Access to, const char* name = "SetValue", uint32_t equal = 0) {
    to.kind = AccessKind::kWrite;
    return Add(Kind::kScalarStore, Pipe::kScalar, name, {to}, 0, 0, equal, 0, to.run_bytes);
  }
  TraceBuilder& Set(Pipe from, Pipe to, uint32_t event = 0, const char* name = "SetFlag") {
    return Add(Kind::kSetFlag, from, name, {}, uint32_t(to), event);
  }
  TraceBuilder& Wait(Pipe from, Pipe to, uint32_t event = 0, const char* name = "WaitFlag") {
    return Add(Kind::kWaitFlag, to, name, {}, uint32_t(from), event);
  }
  // A flag set and awaited at once.
  TraceBuilder& Flag(Pipe from, Pipe to, uint32_t event = 0) { return Set(from, to, event).Wait(from, to, event); }
  TraceBuilder& Barrier(Pipe pipe, const char* name = "PipeBarrier") { return Add(Kind::kBarrier, pipe, name); }
  TraceBuilder& Queue(Kind kind, uint32_t queue, uint32_t buffer = 0) {
    const char* names[] = {"AllocTensor", "FreeTensor", "EnQue", "DeQue"};
    return Add(kind, Pipe::kScalar, names[int(kind) - int(Kind::kAllocate)], {}, queue, buffer);
  }
  TraceBuilder& SyncAll(uint32_t generation, bool all_kinds = false) {
    return Add(Kind::kSyncAll, Pipe::kAll, "SyncAll", {}, all_kinds, generation);
  }
  TraceBuilder& Signal(Pipe pipe, uint32_t signal, uint32_t value) {
    return Add(Kind::kSyncSet, pipe, "CrossCoreSetFlag", {}, signal, value);
  }
  TraceBuilder& Await(Pipe pipe, uint32_t signal, uint32_t value) {
    return Add(Kind::kSyncWait, pipe, "CrossCoreWaitFlag", {}, signal, value);
  }
  // Of the records that follow: kUncached or 0.
  TraceBuilder& Hint(uint32_t hints) {
    hints_ = hints;
    return *this;
  }
  TraceBuilder& Clean(std::vector<Access> lines = {}) {
    return Add(Kind::kCacheClean, Pipe::kScalar, "DataCacheCleanAndInvalid", std::move(lines));
  }
  TraceBuilder& Finding(Check check, bool error, const char* text) {
    return Add(Kind::kFinding, Pipe::kScalar, "DataCopy", {}, uint32_t(check), error, Text(text));
  }
  TraceBuilder& End() { return Add(Kind::kEnd, Pipe::kScalar, ""); }

  TraceBuilder& Add(Kind kind, Pipe pipe, const char* name, std::vector<Access> accesses = {}, uint32_t a = 0,
                    uint32_t b = 0, uint32_t c = 0, uint32_t d = 0, uint64_t work = 0) {
    const Record record{.kind = kind,
                        .pipe = pipe,
                        .core = core_,
                        .accesses = static_cast<uint16_t>(accesses.size()),
                        .file = file_,
                        .line = line_,
                        .operation = Text(name),
                        .work = work,
                        .scalar_steps = steps_,
                        .a = a,
                        .b = b,
                        .c = c,
                        .d = d,
                        .hints = hints_};
    steps_ = 0;
    Put(&record, sizeof(record));
    for (const Access& access : accesses) Put(&access, sizeof(access));
    return *this;
  }

  // The whole block, valid as long as the builder.
  absl::Span<const std::byte> Finish() {
    std::vector<std::byte> table;
    for (auto text = texts_.rbegin(); text != texts_.rend(); ++text) {
      const auto length = static_cast<uint32_t>(text->size());
      Append(table, &length, sizeof(length));
      Append(table, text->data(), length);
    }
    const uint64_t entries_end = sizeof(TraceHeader) + entries_.size();
    const uint64_t bytes = entries_end + table.size();
    const TraceHeader header{.version = kTraceVersion,
                             .cores = cores_,
                             .capacity = bytes,
                             .entries_end = entries_end,
                             .texts_begin = entries_end,
                             .texts = static_cast<uint32_t>(texts_.size()),
                             .truncated = truncated};
    block_.assign((bytes + 7) / 8, 0);
    auto* to = reinterpret_cast<std::byte*>(block_.data());
    std::memcpy(to, &header, sizeof(header));
    std::memcpy(to + sizeof(header), entries_.data(), entries_.size());
    std::memcpy(to + entries_end, table.data(), table.size());
    return {to, block_.size() * 8};
  }

  uint32_t truncated = 0;

 private:
  static void Append(std::vector<std::byte>& to, const void* data, size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    to.insert(to.end(), from, from + bytes);
  }
  void Put(const void* data, size_t bytes) { Append(entries_, data, bytes); }
  uint32_t Text(const std::string& text) {
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == text) return static_cast<uint32_t>(i);
    }
    texts_.push_back(text);
    return static_cast<uint32_t>(texts_.size() - 1);
  }

  uint32_t cores_;
  std::vector<std::string> texts_;
  std::vector<std::byte> entries_;
  std::vector<uint64_t> block_;
  uint16_t file_ = 0;
  uint16_t core_ = 0;
  uint32_t line_ = 0;
  uint32_t steps_ = 0;
  uint32_t hints_ = 0;
};

}  // namespace kernelsmith::emulator
