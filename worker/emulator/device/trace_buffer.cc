#include "worker/emulator/device/trace_buffer.h"

#include <cstring>
#include <new>

namespace kernelsmith::emulator {
namespace {

// What a reader accepts.
constexpr uint32_t kMaxTexts = 1 << 16;
constexpr size_t kMaxTextBytes = 1024;

}  // namespace

TraceBuffer::TraceBuffer(std::byte* block, size_t capacity) : block_(block) {
  capacity &= ~size_t{7};
  header_ = new (block) TraceHeader{.version = kTraceVersion,
                                    .cores = 0,
                                    .capacity = capacity,
                                    .entries_end = sizeof(TraceHeader),
                                    .texts_begin = capacity,
                                    .texts = 0,
                                    .truncated = 0};
  Text("", 0);
}

bool TraceBuffer::Join(const Record& record, const Access& access) {
  for (const uint64_t at : open_) {
    if (at == 0) continue;
    auto* earlier = reinterpret_cast<Record*>(block_ + at);
    auto* known = reinterpret_cast<Access*>(block_ + at + sizeof(Record));
    if (earlier->kind != record.kind || earlier->core != record.core || earlier->line != record.line ||
        earlier->file != record.file || earlier->operation != record.operation || known->kind != access.kind ||
        known->buffer != access.buffer || known->offset + known->run_bytes != access.offset) {
      continue;
    }
    known->run_bytes += access.run_bytes;
    earlier->work += record.work;
    earlier->scalar_steps += record.scalar_steps;
    ++earlier->a;
    return true;
  }
  return false;
}

bool TraceBuffer::Append(const Record& record, const Access* accesses) {
  const bool scalar = (record.kind == Kind::kScalarLoad || record.kind == Kind::kScalarStore) && record.accesses == 1 &&
                      accesses->space == Space::kUb && accesses->runs == 1 && accesses->repeats == 1;
  if (!scalar) {
    open_ = {};
  } else if (Join(record, *accesses)) {
    return true;
  }
  const size_t bytes = sizeof(Record) + record.accesses * sizeof(Access);
  if (header_->truncated != 0 || header_->texts_begin - header_->entries_end < bytes + sizeof(TraceHeader)) {
    header_->truncated = 1;
    return false;
  }
  std::byte* to = block_ + header_->entries_end;
  std::memcpy(to, &record, sizeof(Record));
  if (record.accesses != 0) std::memcpy(to + sizeof(Record), accesses, record.accesses * sizeof(Access));
  if (scalar) open_[next_open_++ % kOpen] = header_->entries_end;
  header_->entries_end += bytes;
  return true;
}

uint32_t TraceBuffer::Text(const char* text, size_t length) {
  if (length > kMaxTextBytes) length = kMaxTextBytes;
  const auto [entry, added] = texts_.try_emplace(std::string(text, length), header_->texts);
  if (!added) return entry->second;
  const uint32_t stored = static_cast<uint32_t>(length);
  const size_t bytes = sizeof(stored) + length;
  if (header_->texts >= kMaxTexts || header_->texts_begin - header_->entries_end < bytes) {
    header_->truncated = 1;
    entry->second = 0;
    return 0;
  }
  header_->texts_begin -= bytes;
  std::memcpy(block_ + header_->texts_begin, &stored, sizeof(stored));
  std::memcpy(block_ + header_->texts_begin + sizeof(stored), text, length);
  return header_->texts++;
}

}  // namespace kernelsmith::emulator
