#include "worker/emulator/device/trace_buffer.h"

#include <gtest/gtest.h>

#include <vector>

#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {
namespace {

Record RecordOf(Kind kind) {
  Record record{};
  record.kind = kind;
  return record;
}

TEST(TraceBufferTest, WhatIsAppendedIsRead) {
  std::vector<uint64_t> block(8192);
  TraceBuffer buffer(reinterpret_cast<std::byte*>(block.data()), block.size() * 8);
  buffer.SetCores(1);
  EXPECT_EQ(buffer.Text("", 0), 0u);
  EXPECT_EQ(buffer.Text("DataCopy", 8), 1u);
  EXPECT_EQ(buffer.Text("k.asc", 5), 2u);
  EXPECT_EQ(buffer.Text("DataCopy", 8), 1u);
  Access access{};
  access.run_bytes = 32;
  access.runs = 1;
  access.repeats = 1;
  access.space = Space::kUb;
  EXPECT_TRUE(buffer.Append(RecordOf(Kind::kLaunch), nullptr));
  Record move = RecordOf(Kind::kMove);
  move.accesses = 1;
  move.operation = 1;
  move.file = 2;
  EXPECT_TRUE(buffer.Append(move, &access));
  absl::StatusOr<TraceReader> trace =
      TraceReader::Open({reinterpret_cast<const std::byte*>(block.data()), block.size() * 8});
  ASSERT_TRUE(trace.ok()) << trace.status();
  size_t entries = 0;
  for (const Entry& entry : *trace) {
    ++entries;
    if (entry.record->kind != Kind::kMove) continue;
    EXPECT_EQ(trace->text(entry.record->operation), "DataCopy");
    EXPECT_EQ(entry.accesses.size(), 1u);
  }
  EXPECT_EQ(entries, 2u);
  EXPECT_FALSE(trace->truncated());
}

TEST(TraceBufferTest, AFullBufferStaysReadable) {
  std::vector<uint64_t> block(8192);
  TraceBuffer buffer(reinterpret_cast<std::byte*>(block.data()), block.size() * 8);
  buffer.SetCores(1);
  buffer.Append(RecordOf(Kind::kLaunch), nullptr);
  while (buffer.Append(RecordOf(Kind::kBarrier), nullptr)) {
  }
  for (int i = 0; i < 10000; ++i) {
    const std::string text = "text number " + std::to_string(i);
    buffer.Text(text.data(), text.size());
  }
  absl::StatusOr<TraceReader> trace =
      TraceReader::Open({reinterpret_cast<const std::byte*>(block.data()), block.size() * 8});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_TRUE(trace->truncated());
}

}  // namespace
}  // namespace kernelsmith::emulator
