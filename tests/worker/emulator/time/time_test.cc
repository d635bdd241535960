#include "worker/emulator/time/time.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/time/kernels.h"
#include "worker/emulator/soc/soc.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

const v1::Soc& SocNamed(const std::string& name) {
  static std::map<std::string, v1::Soc> socs;
  if (socs.count(name) == 0)
    socs[name] = LoadSocByName(KERNELSMITH_SOURCE_DIR "/worker/emulator/soc/data", name).value();
  return socs[name];
}

LaunchTime Time(TraceBuilder& t, const char* soc = "Ascend910B1", bool auto_sync = false) {
  const auto trace = TraceReader::Open(t.Finish());
  EXPECT_TRUE(trace.ok()) << trace.status();
  auto time = TimeTrace(*trace, SocNamed(soc), {.auto_sync = auto_sync});
  EXPECT_TRUE(time.ok()) << time.status();
  return time.ok() ? *time : LaunchTime{};
}

double Add(uint32_t cores, uint32_t tiles, uint32_t tile, uint32_t slots) {
  TraceBuilder t(cores);
  AddHalf(t, cores, tiles, tile, slots);
  return Time(t).total_us;
}

testing::Matcher<double> Within(double published, double factor) {
  return AllOf(Ge(published / factor), Le(published * factor));
}

constexpr uint64_t kBytes = uint64_t{8192} * 8192 * 2;

TEST(TimeTrace, AgreesWithPublishedTimesOfAnAdd) {
  // The scalar loop and the one-core kernel are extrapolated from a part: they repeat the same tile.
  TraceBuilder scalar(1);
  ScalarAdd(scalar, 4, 8192);
  const double add0 = Time(scalar).total_us * static_cast<double>(kBytes / 8192) / 4;
  const double add1 = Add(1, 1024, 8192, 1) * static_cast<double>(kBytes / 8192) / 1024;
  const double add3 = Add(48, kBytes / 32768, 32768, 1);
  const double add5 = Add(48, kBytes / 32768, 32768, 2);
  EXPECT_THAT(add0, Within(1239689.1, 1.3));
  EXPECT_THAT(add1, Within(6909.6, 1.3));
  EXPECT_THAT(add3, Within(268.5, 1.5));
  EXPECT_THAT(add5, Within(187.68, 1.3));
  EXPECT_GT(add0, add1);
  EXPECT_GT(add1, add3);
  EXPECT_GT(add3, add5);
  RecordProperty("add0_us", std::to_string(add0));
  RecordProperty("add1_us", std::to_string(add1));
  RecordProperty("add3_us", std::to_string(add3));
  RecordProperty("add5_us", std::to_string(add5));
}

TEST(TimeTrace, AgreesWithThePublishedCyclesOfAdds) {
  TraceBuilder t(1);
  for (int i = 0; i < 1000; ++i) {
    t.Vector(Compute::kAdd, {Ub(0x20000, 16384)}, {Ub(0, 16384), Ub(0x10100, 16384)}, Element::kFloat);
  }
  t.End();
  const double cycles = Time(t, "Ascend910B2").cores[0].busy_us[int(Pipe::kVector)] * 1800 / 1000;
  EXPECT_THAT(cycles, Within(86, 1.05));
}

// bank_conflict_ub: cycles of an Add of 64 repeats, by where its operands lie.
TEST(TimeTrace, ChargesConflictsOfBanksAsPublished) {
  struct Row {
    const char* name;
    uint64_t x, y, z;
    double cycles;
  };
  const Row rows[] = {{"BUB1", 0, 0x10100, 0x20000, 86},
                      {"BUB2", 0, 0x4000, 0x10000, 150},
                      {"BUB4", 0, 0x10100, 0x4000, 86},
                      {"BUB5", 0, 0x10100, 0x4020, 135}};
  for (const Row& row : rows) {
    TraceBuilder t(1);
    for (int i = 0; i < 100; ++i) {
      t.Vector(Compute::kAdd, {Ub(row.z, 16384)}, {Ub(row.x, 16384), Ub(row.y, 16384)}, Element::kFloat);
    }
    t.End();
    const double cycles = Time(t, "Ascend910B2").cores[0].busy_us[int(Pipe::kVector)] * 1800 / 100;
    EXPECT_THAT(cycles, Within(row.cycles, 1.03)) << row.name;
  }
}

TEST(TimeTrace, ChargesBlocksOfARepeatThatShareAGroup) {
  const auto cycles = [](uint32_t block_stride) {
    TraceBuilder t(1);
    const Access strided{.offset = 0,
                         .run_bytes = 32,
                         .runs = 8,
                         .run_stride = 32 * block_stride,
                         .repeats = 32,
                         .repeat_stride = 32,
                         .space = Space::kUb,
                         .kind = AccessKind::kRead,
                         .buffer = 0};
    Access result = Ub(0x20000, 32 * 256);
    result.kind = AccessKind::kWrite;
    t.Add(Kind::kCompute, Pipe::kVector, "Adds", {result, strided}, uint32_t(Compute::kAdds), uint32_t(Element::kFloat),
          uint32_t(Element::kFloat), 32, 32 * 64);
    t.End();
    return Time(t, "Ascend910B2").cores[0].busy_us[int(Pipe::kVector)] * 1800 - 22;
  };
  EXPECT_NEAR(cycles(1), 32, 1);
  EXPECT_NEAR(cycles(8), 32 * 4, 1);
  EXPECT_NEAR(cycles(16), 32 * 8, 1);
}

TEST(TimeTrace, UncachedReadsLeaveTheCacheToOthers) {
  // A table is read again and again while a stream of the size of L2 passes by.
  const auto stream = [](uint32_t hints) {
    TraceBuilder t(1);
    for (int i = 0; i < 4000; ++i) {
      t.Copy(Ub(0, 65536), Gm(kY + uint64_t(i % 400) * 65536, 65536));
      t.Hint(hints).Copy(Ub(65536, 65536), Gm(kX + uint64_t(i) * 65536, 65536)).Hint(0);
    }
    t.End();
    return Time(t).total_us;
  };
  EXPECT_LE(stream(kUncached), stream(0));
  TraceBuilder once(1), again(1);
  for (TraceBuilder* t : {&once, &again}) {
    t->Hint(t == &once ? kUncached : 0);
    for (int i = 0; i < 100; ++i) t->Copy(Ub(0, 65536), Gm(kX + uint64_t(i % 2) * 65536, 65536));
    t->End();
  }
  EXPECT_GE(Time(once).total_us, Time(again).total_us);
}

TEST(TimeTrace, OrdersSchedulesAsHardwareDoes) {
  const double single = Add(8, 256, 16384, 1), twice = Add(8, 256, 16384, 2);
  EXPECT_LT(twice, single);
  EXPECT_LT(Add(40, 256, 16384, 2), Add(8, 256, 16384, 2));
  EXPECT_LT(Add(8, 256, 16384, 2), Add(1, 256, 16384, 2));
  EXPECT_LT(Add(1, 64, 32768, 1), Add(1, 1024, 2048, 1));
  TraceBuilder scalar(1);
  ScalarAdd(scalar, 4, 2048);
  EXPECT_GT(Time(scalar).total_us, 5 * Add(1, 4, 2048, 1));
}

TEST(TimeTrace, SharesTheBandwidthOfMemory) {
  // 48 cores together cannot read faster than the memory; one core alone is limited by itself.
  const auto reads = [](uint32_t cores) {
    TraceBuilder t(cores);
    for (uint32_t core = 0; core < cores; ++core) {
      t.On(core);
      for (int i = 0; i < 50; ++i) t.Copy(Ub(0, 65536), Gm(kX + (uint64_t{core} * 50 + i) * 65536, 65536));
      t.End();
    }
    return Time(t).total_us;
  };
  const double bytes = 50.0 * 65536;
  EXPECT_THAT(reads(1), Within(bytes / 125.8e3, 1.2));
  EXPECT_THAT(reads(48), Within(48 * bytes / 1.494e6, 1.2));
}

TEST(TimeTrace, FindsRepeatedReadsInL2) {
  const auto reads = [](bool same) {
    TraceBuilder t(48);
    for (uint32_t core = 0; core < 48; ++core) {
      t.On(core);
      for (int i = 0; i < 50; ++i) {
        t.Copy(Ub(0, 65536), Gm(kX + (same ? uint64_t(i % 4) : uint64_t{core} * 50 + i) * 65536, 65536));
      }
      t.End();
    }
    return Time(t).total_us;
  };
  EXPECT_LT(reads(true), 0.5 * reads(false));
}

TEST(TimeTrace, ChargesShortBurstsAndSmallTransfers) {
  const auto copy = [](uint32_t bursts) {
    TraceBuilder t(1);
    for (int i = 0; i < 100; ++i) t.Copy(Ub(0, 8192), Gm(kX + i * 8192, 8192), bursts);
    t.End();
    return Time(t).total_us;
  };
  EXPECT_GT(copy(128), 2 * copy(1));
}

TEST(TimeTrace, MakesTheScalarUnitWaitForAFullQueue) {
  TraceBuilder t(1);
  for (int i = 0; i < 200; ++i) t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)});
  // Not started before the vector pipe has drained most of its queue.
  t.Copy(Ub(0, 32), Gm(kX, 32)).End();
  const LaunchTime time = Time(t);
  EXPECT_GT(time.cores[0].total_us, time.cores[0].busy_us[int(Pipe::kVector)]);
  EXPECT_LT(time.cores[0].busy_us[int(Pipe::kScalar)], time.cores[0].total_us / 10);
}

TEST(TimeTrace, RunsBlocksInWavesOverTheCoresOfTheCard) {
  const auto blocks = [](uint32_t n) {
    TraceBuilder t(n);
    for (uint32_t core = 0; core < n; ++core) {
      t.On(core);
      for (int i = 0; i < 200; ++i) t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)});
      t.End();
    }
    return Time(t, "Ascend910B3").total_us;
  };
  EXPECT_DOUBLE_EQ(blocks(1), blocks(40));
  EXPECT_GT(blocks(41), 1.8 * blocks(40));
  EXPECT_DOUBLE_EQ(blocks(80), blocks(41));
}

TEST(TimeTrace, WaitsAtSyncAllForTheSlowest) {
  TraceBuilder t(3);
  for (uint32_t core = 0; core < 3; ++core) {
    t.On(core);
    for (uint32_t i = 0; i < 100 * core; ++i) t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)});
    t.SyncAll(1);
    for (uint32_t i = 0; i < 100 * (2 - core); ++i) t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)});
    t.End();
  }
  const LaunchTime time = Time(t);
  const double one = time.cores[1].busy_us[int(Pipe::kVector)] / 2;  // 100 instructions
  EXPECT_GT(time.cores[0].total_us, 4 * one);
  EXPECT_LT(time.cores[2].total_us, 3 * one);
}

TEST(TimeTrace, PassesTimeAlongSignals) {
  TraceBuilder t(2);
  t.On(1).Await(Pipe::kScalar, 5, 1).Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)}).End();
  t.On(0);
  for (int i = 0; i < 100; ++i) t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)});
  t.Signal(Pipe::kVector, 5, 1).End();
  const LaunchTime time = Time(t);
  EXPECT_GT(time.cores[1].total_us, time.cores[0].total_us);
}

TEST(TimeTrace, CountsTheWaitsThatTheCompilerInserts) {
  const auto kernel = [](uint64_t read, bool auto_sync) {
    TraceBuilder t(1);
    for (int i = 0; i < 20; ++i) {
      t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)}).Load(Ub(read, 4)).Copy(Ub(65536, 32), Gm(kX, 32));
    }
    t.End();
    return Time(t, "Ascend910B1", auto_sync).total_us;
  };
  EXPECT_GT(kernel(0, true), kernel(0, false));
  EXPECT_DOUBLE_EQ(kernel(40960, true), kernel(40960, false));
}

TEST(TimeTrace, ChargesJoinedScalarAccessesAsIfTheyStoodAlone) {
  for (const bool global : {false, true}) {
    TraceBuilder apart(1), joined(1);
    for (uint32_t i = 0; i < 64; ++i) apart.Load(global ? Gm(kX + 4 * i, 4) : Ub(4 * i, 4));
    apart.End();
    joined.Add(Kind::kScalarLoad, Pipe::kScalar, "GetValue", {global ? Gm(kX, 256) : Ub(0, 256)}, 63, 0, 0, 0, 256);
    joined.End();
    const double one_by_one = Time(apart).cores[0].total_us, at_once = Time(joined).cores[0].total_us;
    EXPECT_THAT(at_once, Within(one_by_one, 1.25)) << global;
  }
}

TEST(TimeTrace, ReportsBytesAndBusyTimesOfEachCore) {
  TraceBuilder t(2);
  AddHalf(t, 2, 8, 4096, 1);
  const LaunchTime time = Time(t);
  ASSERT_EQ(time.cores.size(), 2u);
  EXPECT_EQ(time.cores[1].block, 1u);
  EXPECT_EQ(time.cores[0].bytes_read, 4u * 2 * 4096);
  EXPECT_EQ(time.cores[0].bytes_written, 4u * 4096);
  for (const Pipe pipe : {Pipe::kScalar, Pipe::kVector, Pipe::kMte2, Pipe::kMte3}) {
    EXPECT_GT(time.cores[0].busy_us[int(pipe)], 0);
    EXPECT_LE(time.cores[0].busy_us[int(pipe)], time.cores[0].total_us);
  }
  EXPECT_GT(time.total_us, time.cores[0].total_us);
}

TEST(TimeTrace, IsDeterministicAndDoesNotDependOnTheOrderOfCoresInTheTrace) {
  const auto kernel = [](bool interleaved) {
    TraceBuilder t(4);
    const auto tile = [&](uint32_t core, int i) {
      const uint64_t at = (uint64_t{core} * 20 + i) * 32768;
      t.On(core).Copy(Ub(0, 32768), Gm(kX + at, 32768)).Flag(Pipe::kMte2, Pipe::kVector);
      t.Vector(Compute::kExp, {Ub(0, 32768)}, {Ub(0, 32768)}).Flag(Pipe::kVector, Pipe::kMte2);
    };
    if (interleaved) {
      for (int i = 0; i < 20; ++i) {
        for (uint32_t core = 0; core < 4; ++core) tile(core, i);
      }
    } else {
      for (uint32_t core = 0; core < 4; ++core) {
        for (int i = 0; i < 20; ++i) tile(core, i);
      }
    }
    for (uint32_t core = 0; core < 4; ++core) t.On(core).End();
    return Time(t).total_us;
  };
  EXPECT_EQ(kernel(true), kernel(true));
  EXPECT_EQ(kernel(true), kernel(false));
}

TEST(TimeTrace, RefusesADeadlockUnlessTheTraceWasCutOff) {
  TraceBuilder t(2);
  t.On(1).Await(Pipe::kScalar, 5, 1).End().On(0).End();
  const auto whole = TraceReader::Open(t.Finish());
  const auto time = TimeTrace(*whole, SocNamed("Ascend910B1"), {});
  EXPECT_EQ(time.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(time.status().message()), HasSubstr("1 of 2 cores"));
  t.truncated = 1;
  const auto part = TraceReader::Open(t.Finish());
  EXPECT_TRUE(TimeTrace(*part, SocNamed("Ascend910B1"), {}).ok());
}

TEST(TimeTrace, OfNothingIsTheLaunchAlone) {
  TraceBuilder t(1);
  t.End();
  EXPECT_THAT(Time(t).total_us, AllOf(Ge(0.5), Le(4.0)));
}

}  // namespace
}  // namespace kernelsmith::emulator
