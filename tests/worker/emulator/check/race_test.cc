// Races inside one core: every faulty trace stands beside its repaired twin, which must be clean.
#include <functional>

#include "tests/worker/emulator/check/check_fixture.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kIn = 0x12c000000000;
constexpr uint64_t kOut = 0x12c000100000;
constexpr Pipe S = Pipe::kScalar, V = Pipe::kVector, MTE2 = Pipe::kMte2, MTE3 = Pipe::kMte3;

struct Case {
  const char* name;
  std::vector<std::string> findings;
  std::function<void(TraceBuilder&)> write;
  bool auto_sync = true;
};

void RunAll(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    TraceBuilder t(1);
    c.write(t);
    t.End();
    EXPECT_EQ(Briefs(t, c.auto_sync), c.findings) << c.name;
  }
}

TEST(Race, BetweenCopyInAndVectorNeedsAFlag) {
  RunAll({{"no flag",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256));
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"flag",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Flag(MTE2, V);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"flag of another pair of pipes",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Flag(MTE2, MTE3);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"flag set before the copy",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(9).Set(MTE2, V).At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Wait(MTE2, V);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"waited after the instruction",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Set(MTE2, V);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)}).Wait(MTE2, V);
           }},
          {"one flag for two copies that were both issued before it",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Copy(Ub(256, 256), Gm(kIn + 256, 256)).Flag(MTE2, V);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256), Ub(256, 256)});
           }},
          {"the second copy comes after the flag",
           {"race RAW 11>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Set(MTE2, V);
             t.At(11).Copy(Ub(256, 256), Gm(kIn + 256, 256)).Wait(MTE2, V);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256), Ub(256, 256)});
           }},
          {"all-pipe barrier",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Barrier(Pipe::kAll);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"a barrier of the copy's own pipe does not concern the vector pipe",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Barrier(MTE2);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           }},
          {"one shared byte",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 257), Gm(kIn, 257));
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(256, 256)});
           }},
          {"neighbours share nothing", {}, [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256));
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(256, 256)});
           }}});
}

TEST(Race, BetweenVectorAndCopyOutNeedsAFlag) {
  RunAll({{"no flag",
           {"race RAW 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(256, 256)}).At(12).Copy(Gm(kOut, 256), Ub(0, 256));
           }},
          {"flag",
           {},
           [](TraceBuilder& t) {
             t.At(10).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(256, 256)}).Flag(V, MTE3);
             t.At(12).Copy(Gm(kOut, 256), Ub(0, 256));
           }},
          {"copied in and straight out",
           {"race RAW 10>12"},
           [](TraceBuilder& t) { t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(12).Copy(Gm(kOut, 256), Ub(0, 256)); }},
          {"copied in and straight out with a flag", {}, [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Flag(MTE2, MTE3).At(12).Copy(Gm(kOut, 256), Ub(0, 256));
           }}});
}

TEST(Race, OverwritingWhatIsStillReadNeedsAFlag) {
  RunAll({{"copy in over a vector source",
           {"race WAR 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Vector(Compute::kAdd, {Ub(256, 256)}, {Ub(0, 256)}).At(12).Copy(Ub(0, 256), Gm(kIn, 256));
           }},
          {"after V_MTE2",
           {},
           [](TraceBuilder& t) {
             t.At(10).Vector(Compute::kAdd, {Ub(256, 256)}, {Ub(0, 256)}).Flag(V, MTE2);
             t.At(12).Copy(Ub(0, 256), Gm(kIn, 256));
           }},
          {"vector over what is being copied out",
           {"race WAR 10>12"},
           [](TraceBuilder& t) {
             t.At(10).Copy(Gm(kOut, 256), Ub(0, 256)).At(12).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(256, 256)});
           }},
          {"after MTE3_V",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Gm(kOut, 256), Ub(0, 256)).Flag(MTE3, V);
             t.At(12).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(256, 256)});
           }},
          {"read by two pipes, only one awaited",
           {"race WAR 11>12"},
           [](TraceBuilder& t) {
             t.At(10).Vector(Compute::kAdd, {Ub(256, 256)}, {Ub(0, 256)});
             t.At(11).Copy(Gm(kOut, 256), Ub(0, 256)).Flag(V, MTE2);
             t.At(12).Copy(Ub(0, 256), Gm(kIn, 256));
           }},
          {"two copies into the same bytes",
           {"race WAW 10>12"},
           [](TraceBuilder& t) { t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(12).Copy(Ub(128, 256), Gm(kIn, 256)); }},
          {"with a barrier", {}, [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Barrier(MTE2).At(12).Copy(Ub(128, 256), Gm(kIn, 256));
           }}});
}

TEST(Race, OfTheVectorPipeWithItselfIsTheCompilersOrTheAuthorsToOrder) {
  const auto chain = [](TraceBuilder& t) {
    t.At(10).Vector(Compute::kMuls, {Ub(0, 256)}, {Ub(0, 256)});
    t.At(11).Vector(Compute::kExp, {Ub(0, 256)}, {Ub(0, 256)});
    t.At(12).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(0, 256), Ub(256, 256)});
  };
  const auto with_barriers = [](TraceBuilder& t) {
    t.At(10).Vector(Compute::kMuls, {Ub(0, 256)}, {Ub(0, 256)}).Barrier(V);
    t.At(11).Vector(Compute::kExp, {Ub(0, 256)}, {Ub(0, 256)}).Barrier(V);
    t.At(12).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(0, 256), Ub(256, 256)});
  };
  RunAll({{"auto-sync on", {}, chain, true},
          {"off, no barrier", {"race RAW 10>11", "race WAW 10>11", "race RAW 11>12", "race WAW 11>12"}, chain, false},
          {"off, barriers", {}, with_barriers, false},
          {"on, barriers", {}, with_barriers, true}});
}

TEST(Race, OfTheScalarUnitIsTheCompilersWhereItSeesTheTensor) {
  const auto get = [](TraceBuilder& t) { t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(12).Load(Ub(0, 4)); };
  RunAll({{"GetValue after a copy, auto-sync on", {}, get, true},
          {"off", {"race RAW 10>12"}, get, false},
          {"off, with a flag",
           {},
           [](TraceBuilder& t) { t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Flag(MTE2, S).At(12).Load(Ub(0, 4)); },
           false},
          {"a raw pointer is not followed",
           {"race RAW 10>12"},
           [](TraceBuilder& t) { t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(12).Load(Ub(0, 4), "raw load"); },
           true},
          {"SetValue before copy out, on",
           {},
           [](TraceBuilder& t) { t.At(10).Store(Ub(0, 4)).At(12).Copy(Gm(kOut, 32), Ub(0, 32)); },
           true},
          {"SetValue before copy out, off",
           {"race RAW 10>12"},
           [](TraceBuilder& t) { t.At(10).Store(Ub(0, 4)).At(12).Copy(Gm(kOut, 32), Ub(0, 32)); },
           false},
          {"SetValue before copy out, off, with a flag",
           {},
           [](TraceBuilder& t) { t.At(10).Store(Ub(0, 4)).Flag(S, MTE3).At(12).Copy(Gm(kOut, 32), Ub(0, 32)); },
           false},
          {"vector over what GetValue read, off",
           {"race WAR 10>12"},
           [](TraceBuilder& t) { t.At(10).Load(Ub(0, 4)).At(12).Vector(Compute::kAdd, {Ub(0, 256)}, {Ub(256, 256)}); },
           false},
          {"scalar after scalar needs nothing",
           {},
           [](TraceBuilder& t) { t.At(10).Store(Ub(0, 4)).At(11).Load(Ub(0, 4)).At(12).Store(Ub(0, 4)); },
           false},
          {"what the scalar unit waited for holds for all it issues later",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).Flag(MTE2, S);
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           },
           false},
          {"so does the wait that the compiler put in",
           {},
           [](TraceBuilder& t) {
             t.At(10).Copy(Ub(0, 256), Gm(kIn, 256)).At(11).Load(Ub(0, 4));
             t.At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
           },
           true}});
}

TEST(Race, OnTheCubeCoreTheCompilerInsertsNothing) {
  TraceBuilder t(1, CoreKind::kAic);
  t.At(10).Add(Kind::kMove, MTE2, "DataCopy", {Gm(kIn, 64), Range(Space::kL1, 0, 64, AccessKind::kWrite)});
  t.At(12).Load(Range(Space::kL1, 0, 4)).End();
  EXPECT_THAT(Briefs(t, true), ElementsAre("race RAW 10>12"));
}

TEST(Race, OnGlobalMemoryOfOneCore) {
  const auto out = [](TraceBuilder& t, uint64_t address) { t.Copy(Gm(address, 256), Ub(0, 256)); };
  RunAll({{"reading back what is being written",
           {"race RAW 10>12"},
           [=](TraceBuilder& t) { out(t.At(10), kOut), t.At(12).Copy(Ub(512, 256), Gm(kOut, 256)); }},
          {"with a flag",
           {},
           [=](TraceBuilder& t) { out(t.At(10), kOut), t.Flag(MTE3, MTE2).At(12).Copy(Ub(512, 256), Gm(kOut, 256)); }},
          {"two stores that overlap",
           {"race WAW 10>12"},
           [=](TraceBuilder& t) { out(t.At(10), kOut), out(t.At(12), kOut + 128); }},
          {"two stores that overlap with equal values",
           {"note redundant WAW 10>12"},
           [=](TraceBuilder& t) { out(t.At(10), kOut), t.At(12).Copy(Gm(kOut + 128, 256), Ub(0, 256), 1, 128); }},
          {"two stores with a barrier",
           {},
           [=](TraceBuilder& t) { out(t.At(10), kOut), out(t.Barrier(MTE3).At(12), kOut + 128); }},
          {"atomic adds commute",
           {},
           [](TraceBuilder& t) {
             for (int i = 0; i < 3; ++i)
               t.At(10 + i).Copy(Range(Space::kGlobal, kOut, 256, AccessKind::kAtomic), Ub(0, 256));
           }},
          {"an atomic add after a plain store does not wait for it",
           {"race WAW 10>12"},
           [=](TraceBuilder& t) {
             out(t.At(10), kOut), t.At(12).Copy(Range(Space::kGlobal, kOut, 256, AccessKind::kAtomic), Ub(0, 256));
           }},
          {"across a boundary of the analysis' pages", {"race RAW 10>12 x2"}, [=](TraceBuilder& t) {
             out(t.At(10), kOut - 128), t.At(12).Copy(Ub(512, 256), Gm(kOut - 128, 256));
           }}});
}

TEST(Race, PaddingLanesMayBeReadAnyTime) {
  TraceBuilder t(1);
  t.At(10).Copy(Ub(0, 256), Gm(kIn, 256));
  t.At(12).Vector(Compute::kAdd, {Ub(512, 64)}, {Range(Space::kUb, 192, 64, AccessKind::kPaddingRead)}).End();
  EXPECT_THAT(Briefs(t), IsEmpty());
}

TEST(Race, StridedAccessesAreExactToTheByte) {
  // Even blocks of 32 bytes are written by the copy, odd ones read by the instruction.
  Access even = Ub(0, 32), odd = Ub(32, 32);
  even.runs = odd.runs = 8, even.run_stride = odd.run_stride = 64;
  even.repeats = odd.repeats = 4, even.repeat_stride = odd.repeat_stride = 512;
  Access one_more = odd;
  one_more.run_bytes = 33;
  const auto trace = [&](const Access& read) {
    TraceBuilder t(1);
    t.At(10).Copy(even, Gm(kIn, 1024)).At(12).Vector(Compute::kAdd, {Ub(65536, 256)}, {read}).End();
    return t;
  };
  TraceBuilder apart = trace(odd), touching = trace(one_more);
  EXPECT_THAT(Briefs(apart), IsEmpty());
  EXPECT_THAT(Briefs(touching), ElementsAre("race RAW 10>12 x31"));
}

TEST(Race, SaysWhatHappenedToWhatAndWhatToDo) {
  TraceBuilder t(1);
  Access from = Ub(0, 256);
  from.buffer = 2;
  t.At(10).Copy(Ub(64, 256), Gm(kIn, 256)).At(12).Vector(Compute::kAdd, {Ub(512, 256)}, {from}).End();
  const std::vector<Finding> findings = RunCheck(t, true);
  ASSERT_EQ(findings.size(), 1u);
  const Finding& f = findings[0];
  EXPECT_EQ(f.place.operation, "Add");
  EXPECT_EQ(f.place.file, "k.asc");
  EXPECT_EQ(f.place.pipe, Pipe::kVector);
  EXPECT_EQ(f.other.operation, "DataCopy");
  EXPECT_EQ(f.other.pipe, Pipe::kMte2);
  EXPECT_EQ(f.space, Space::kUb);
  EXPECT_EQ(f.buffer, 2);
  EXPECT_EQ(f.offset, 64u);
  EXPECT_EQ(f.bytes, 192u);
  EXPECT_THAT(f.text, HasSubstr("HardEvent::MTE2_V"));
  EXPECT_THAT(f.text, HasSubstr("EnQue and DeQue"));
  EXPECT_THAT(f.text, HasSubstr("k.asc:10"));
}

TEST(Race, IsFoldedByPairOfPlaces) {
  TraceBuilder t(1);
  for (int i = 0; i < 100; ++i) {
    t.At(10).Copy(Ub(0, 256), Gm(kIn + 256 * i, 256)).At(11).Vector(Compute::kAdd, {Ub(512, 256)}, {Ub(0, 256)});
    t.Barrier(Pipe::kAll, "internal");
  }
  t.End();
  EXPECT_THAT(Briefs(t), ElementsAre("race RAW 10>11 x100"));
}

}  // namespace
}  // namespace kernelsmith::emulator
