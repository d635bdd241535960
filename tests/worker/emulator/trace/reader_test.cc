#include "worker/emulator/trace/reader.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/trace/trace_builder.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::HasSubstr;

// A launch of two cores with every kind of record.
TraceBuilder SmallTrace() {
  TraceBuilder t(2);
  t.At(10).Copy(Ub(0, 256), Gm(0x12c000000000, 256)).Set(Pipe::kMte2, Pipe::kVector).Wait(Pipe::kMte2, Pipe::kVector);
  t.At(11).Vector(Compute::kAdd, {Ub(256, 256)}, {Ub(0, 256)}).Barrier(Pipe::kVector).Load(Ub(0, 4));
  t.Queue(Kind::kAllocate, 1).Queue(Kind::kFree, 1).SyncAll(1).Finding(Check::kAssert, true, "x > 0 is false");
  t.End().On(1).SyncAll(1).Clean().Store(Gm(0x12c000000000, 4)).Signal(Pipe::kMte3, 3, 1).Await(Pipe::kScalar, 3, 1);
  t.End();
  return t;
}

// The start of the first record in the block.
Record* FirstRecord(std::vector<uint64_t>& block) {
  return reinterpret_cast<Record*>(reinterpret_cast<std::byte*>(block.data()) + sizeof(TraceHeader));
}

std::vector<uint64_t> Block(TraceBuilder t) {
  const absl::Span<const std::byte> bytes = t.Finish();
  std::vector<uint64_t> block(bytes.size() / 8);
  std::memcpy(block.data(), bytes.data(), bytes.size());
  return block;
}

absl::StatusOr<TraceReader> Open(const std::vector<uint64_t>& block) {
  return TraceReader::Open({reinterpret_cast<const std::byte*>(block.data()), block.size() * 8});
}

TEST(TraceReader, GivesRecordsAccessesAndTextsInTheOrderWritten) {
  const std::vector<uint64_t> block = Block(SmallTrace());
  const auto trace = Open(block);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->cores(), 2u);
  EXPECT_FALSE(trace->truncated());
  std::vector<std::string> names;
  for (const Entry& entry : *trace) {
    names.emplace_back(trace->text(entry.record->operation));
    EXPECT_EQ(trace->At(trace->IndexOf(entry.record)).record, entry.record);
  }
  EXPECT_EQ(names.size(), trace->records());
  EXPECT_EQ(names[2], "DataCopy");
  EXPECT_EQ((*++ ++trace->begin()).accesses.size(), 2u);
  EXPECT_EQ(trace->text(99999), "");
}

TEST(TraceReader, SaysWhenTheLaunchWasNotRecordedToItsEnd) {
  TraceBuilder t = SmallTrace();
  t.truncated = 1;
  const std::vector<uint64_t> block = Block(std::move(t));
  EXPECT_TRUE(Open(block)->truncated());
}

TEST(TraceReader, ReadsWhatTraceBufferWrites) {
  std::vector<uint64_t> block(8192);
  TraceBuffer buffer(reinterpret_cast<std::byte*>(block.data()), block.size() * 8);
  buffer.SetCores(1);
  Record record{.kind = Kind::kLaunch, .pipe = Pipe::kScalar};
  record.operation = buffer.Text("launch", 6);
  ASSERT_TRUE(buffer.Append(record, nullptr));
  const Access access = Ub(0, 32);
  record = {.kind = Kind::kScalarLoad, .pipe = Pipe::kScalar, .accesses = 1};
  record.operation = buffer.Text("GetValue", 8);
  ASSERT_TRUE(buffer.Append(record, &access));
  const auto trace = Open(block);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->records(), 2u);
  EXPECT_EQ(trace->text((*++trace->begin()).record->operation), "GetValue");
}

TEST(TraceReader, RefusesEveryFieldThatIsOutOfRange) {
  struct Case {
    const char* what;
    void (*damage)(std::vector<uint64_t>&);
  };
  const Case cases[] = {
      {"version", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->version = 7; }},
      {"too many cores", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->cores = 1u << 30; }},
      {"offsets", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->capacity = 1u << 30; }},
      {"offsets", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->entries_end = 8; }},
      {"offsets", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->entries_end += 4; }},
      {"offsets", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->texts_begin = 16; }},
      {"too many texts", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->texts = 1u << 30; }},
      {"text", [](auto& b) { reinterpret_cast<TraceHeader*>(b.data())->texts = 5000; }},
      {"unknown kind", [](auto& b) { FirstRecord(b)->kind = Kind(0); }},
      {"unknown kind", [](auto& b) { FirstRecord(b)->kind = Kind(200); }},
      {"unknown pipe", [](auto& b) { FirstRecord(b)->pipe = Pipe(8); }},
      {"core that the launch", [](auto& b) { FirstRecord(b)->core = 2; }},
      {"kind of core", [](auto& b) { FirstRecord(b)->c = 9; }},
      {"file", [](auto& b) { FirstRecord(b)->file = 4000; }},
      {"operation", [](auto& b) { FirstRecord(b)->operation = 4000; }},
      {"accesses", [](auto& b) { FirstRecord(b)->accesses = 65535; }},
      {"between its launch", [](auto& b) { FirstRecord(b)->kind = Kind::kEnd; }},
  };
  for (const Case& c : cases) {
    std::vector<uint64_t> block = Block(SmallTrace());
    c.damage(block);
    const auto trace = Open(block);
    EXPECT_EQ(trace.status().code(), absl::StatusCode::kDataLoss) << c.what;
    EXPECT_THAT(std::string(trace.status().message()), HasSubstr(c.what));
  }
}

TEST(TraceReader, RefusesRecordsWhoseOwnFieldsAreOutOfRange) {
  struct Case {
    const char* what;
    Kind kind;
    Pipe pipe;
    uint32_t a, b, c;
  };
  const Case cases[] = {
      {"unknown operation", Kind::kCompute, Pipe::kVector, 0, 1, 1},
      {"unknown operation", Kind::kCompute, Pipe::kVector, 9999, 1, 1},
      {"element type", Kind::kCompute, Pipe::kVector, 1, 99, 1},
      {"element type", Kind::kCompute, Pipe::kVector, 1, 1, 99},
      {"names no pipe", Kind::kCompute, Pipe::kAll, 1, 1, 1},
      {"names no pipe", Kind::kMove, Pipe::kAll, 0, 0, 0},
      {"names no pipe", Kind::kSetFlag, Pipe::kVector, 7, 0, 0},
      {"names no pipe", Kind::kWaitFlag, Pipe::kAll, 1, 0, 0},
      {"event id", Kind::kSetFlag, Pipe::kVector, 1, 16, 0},
      {"scope", Kind::kSyncAll, Pipe::kAll, 2, 1, 0},
      {"unknown check", Kind::kFinding, Pipe::kScalar, 0, 1, 0},
      {"no text", Kind::kFinding, Pipe::kScalar, 1, 1, 5000},
  };
  for (const Case& c : cases) {
    TraceBuilder t(1);
    t.Add(c.kind, c.pipe, "x", {}, c.a, c.b, c.c);
    const auto trace = TraceReader::Open(t.Finish());
    ASSERT_FALSE(trace.ok()) << c.what;
    EXPECT_THAT(std::string(trace.status().message()), HasSubstr(c.what));
  }
}

TEST(TraceReader, RefusesAccessesThatNoInstructionMakes) {
  struct Case {
    const char* what;
    Access access;
  };
  Access many = Ub(0, 1);
  many.runs = many.repeats = 1u << 31;
  Access large = Ub(0, 1u << 31);
  Access none = Ub(0, 1);
  none.runs = 0;
  Access kind = Ub(0, 1);
  kind.kind = AccessKind(9);
  const Case cases[] = {
      {"no memory", Range(Space::kNone, 0, 1)},
      {"no memory", Range(Space(20), 0, 1)},
      {"too many runs", many},
      {"no runs", none},
      {"larger than", large},
      {"unknown kind", kind},
      {"outside any memory", Gm(~uint64_t{0}, 32)},
  };
  for (const Case& c : cases) {
    TraceBuilder t(1);
    t.Add(Kind::kScalarLoad, Pipe::kScalar, "x", {c.access});
    const auto trace = TraceReader::Open(t.Finish());
    ASSERT_FALSE(trace.ok()) << c.what;
    EXPECT_THAT(std::string(trace.status().message()), HasSubstr(c.what));
  }
}

TEST(TraceReader, RefusesABlockThatIsTooSmallOrMisaligned) {
  const std::vector<uint64_t> block = Block(SmallTrace());
  const auto* bytes = reinterpret_cast<const std::byte*>(block.data());
  EXPECT_FALSE(TraceReader::Open({}).ok());
  EXPECT_FALSE(TraceReader::Open({bytes, sizeof(TraceHeader) - 1}).ok());
  EXPECT_FALSE(TraceReader::Open({bytes + 4, block.size() * 8 - 4}).ok());
}

TEST(TraceReader, SurvivesRandomDamage) {
  std::mt19937 random(1);
  const std::vector<uint64_t> good = Block(SmallTrace());
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint64_t> block = good;
    auto* bytes = reinterpret_cast<uint8_t*>(block.data());
    for (int flips = 1 + random() % 4; flips > 0; --flips) {
      // Half of the damage goes where offsets and counts are.
      const size_t at = random() % (random() % 2 ? block.size() * 8 : sizeof(TraceHeader) + sizeof(Record));
      bytes[at] = random() % 3 == 0 ? 0xff : static_cast<uint8_t>(random());
    }
    if (random() % 8 == 0) block.resize(1 + random() % block.size());
    const auto trace = Open(block);
    if (!trace.ok()) continue;
    ++accepted;
    for (const Entry& entry : *trace) {
      ASSERT_LT(entry.record->core, trace->cores());
      ASSERT_LE(trace->text(entry.record->operation).size(), block.size() * 8);
      for (const Access& access : entry.accesses) ASSERT_LE(access.space, Space::kGlobal);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 19000);
}

}  // namespace
}  // namespace kernelsmith::emulator
