// Kernels as good authors write them: nothing may be found.
#include "tests/worker/emulator/check/check_fixture.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kX = 0x12c000000000, kY = kX + (1 << 24), kZ = kX + (2 << 24);
constexpr uint32_t kTile = 2048;
constexpr Pipe S = Pipe::kScalar, V = Pipe::kVector, MTE2 = Pipe::kMte2, MTE3 = Pipe::kMte3;

// A queue of `buffers` buffers as TQue works: FreeTensor sets the flag that the next AllocTensor of that buffer awaits.
struct Queue {
  uint32_t id;
  uint64_t base;
  uint32_t buffers;
  Pipe producer, consumer;
  uint32_t allocated = 0, freed = 0, queued = 0, taken = 0;

  uint64_t Offset(uint32_t n) const { return base + (n % buffers) * kTile; }
  uint32_t Event(uint32_t n) const { return (id * 2 + n % buffers) % 8; }
  uint64_t Alloc(TraceBuilder& t) {
    if (allocated >= buffers) t.Wait(consumer, producer, Event(allocated), "AllocTensor");
    t.Queue(Kind::kAllocate, id, allocated % buffers);
    return Offset(allocated++);
  }
  void Free(TraceBuilder& t) {
    t.Queue(Kind::kFree, id, freed % buffers);
    t.Set(consumer, producer, Event(freed++), "FreeTensor");
  }
  void EnQue(TraceBuilder& t) {
    t.Queue(Kind::kEnQue, id, queued % buffers);
    t.Set(producer, consumer, Event(queued++), "EnQue");
  }
  uint64_t DeQue(TraceBuilder& t) {
    t.Queue(Kind::kDeQue, id, taken % buffers);
    t.Wait(producer, consumer, Event(taken), "DeQue");
    return Offset(taken++);
  }
};

void AddKernel(TraceBuilder& t, uint32_t core, uint32_t buffers, int tiles) {
  t.On(core);
  Queue x{0, 0, buffers, MTE2, V}, y{1, 16384, buffers, MTE2, V}, z{2, 32768, buffers, V, MTE3};
  for (int i = 0; i < tiles; ++i) {
    const uint64_t at = (uint64_t{core} * tiles + i) * kTile;
    t.At(10).Copy(Ub(x.Alloc(t), kTile), Gm(kX + at, kTile));
    t.At(11).Copy(Ub(y.Alloc(t), kTile), Gm(kY + at, kTile));
    x.EnQue(t), y.EnQue(t);
    const uint64_t a = x.DeQue(t), b = y.DeQue(t), c = z.Alloc(t);
    t.At(15).Vector(Compute::kAdd, {Ub(c, kTile)}, {Ub(a, kTile), Ub(b, kTile)});
    z.EnQue(t), x.Free(t), y.Free(t);
    t.At(18).Copy(Gm(kZ + at, kTile), Ub(z.DeQue(t), kTile));
    z.Free(t);
  }
  t.End();
}

TEST(Honest, QueuePipelinesOfOneAndTwoBuffersOnManyCores) {
  for (const uint32_t buffers : {1u, 2u}) {
    for (const bool auto_sync : {true, false}) {
      TraceBuilder t(8);
      for (uint32_t core = 0; core < 8; ++core) AddKernel(t, core, buffers, 9);
      EXPECT_THAT(Briefs(t, auto_sync), IsEmpty()) << buffers;
    }
  }
}

// Two slots, flags by hand: load the next while the last one is computed and stored.
void PingPong(TraceBuilder& t, int tiles, int slots) {
  for (int s = 0; s < slots; ++s) t.At(5).Set(V, MTE2, s).Set(MTE3, V, s);
  for (int i = 0; i < tiles; ++i) {
    const uint32_t s = i % slots;
    const uint64_t x = s * 4 * kTile, z = x + 2 * kTile;
    t.At(10).Wait(V, MTE2, s).Copy(Ub(x, kTile), Gm(kX + i * kTile, kTile)).Set(MTE2, V, s);
    t.At(12).Wait(MTE2, V, s).Wait(MTE3, V, s);
    t.At(13).Vector(Compute::kExp, {Ub(z, kTile)}, {Ub(x, kTile)}).Set(V, MTE2, s).Set(V, MTE3, s);
    t.At(14).Wait(V, MTE3, s).Copy(Gm(kZ + i * kTile, kTile), Ub(z, kTile)).Set(MTE3, V, s);
  }
  for (int s = 0; s < slots; ++s) t.At(20).Wait(V, MTE2, s).Wait(MTE3, V, s);
  t.End();
}

TEST(Honest, PingPongByHand) {
  for (const bool auto_sync : {true, false}) {
    TraceBuilder t(1);
    PingPong(t, 12, 2);
    EXPECT_THAT(Briefs(t, auto_sync), IsEmpty());
  }
}

TEST(Honest, PingPongThatReusesASlotTooEarlyIsARace) {
  TraceBuilder t(1);
  // Events of two slots, memory of one.
  for (int i = 0; i < 6; ++i) {
    const uint32_t s = i % 2;
    if (i >= 2) t.At(9).Wait(V, MTE2, s);
    t.At(10).Copy(Ub(0, kTile), Gm(kX + i * kTile, kTile)).Set(MTE2, V, s).Wait(MTE2, V, s);
    t.At(13).Vector(Compute::kExp, {Ub(8192 + s * kTile, kTile)}, {Ub(0, kTile)}).Set(V, MTE2, s);
  }
  t.At(20).Wait(V, MTE2, 0).Wait(V, MTE2, 1).End();
  EXPECT_THAT(Briefs(t), ElementsAre("race WAW 10>10 x5", "race WAR 13>10 x5"));
}

TEST(Honest, RowReductionWithScalarInTheMiddle) {
  TraceBuilder t(1);
  for (int row = 0; row < 4; ++row) {
    if (row > 0) t.Wait(MTE3, MTE2, 0);
    t.At(10).Copy(Ub(0, 1024), Gm(kX + row * 1024, 1024)).Flag(MTE2, V);
    t.At(11).Vector(Compute::kReduceSum, {Ub(4096, 32)}, {Ub(0, 1024)});
    t.At(12).Load(Ub(4096, 4));
    t.At(13).Vector(Compute::kMuls, {Ub(0, 1024)}, {Ub(0, 1024)}).Flag(V, MTE3);
    t.At(14).Copy(Gm(kZ + row * 1024, 1024), Ub(0, 1024)).Set(MTE3, MTE2, 0);
  }
  t.Wait(MTE3, MTE2, 0).End();
  EXPECT_THAT(Briefs(t, true), IsEmpty());
}

TEST(Honest, SyncAllBetweenTwoPhasesInAnyOrderOfRecords) {
  // Each core writes its part, then reads that of its neighbour. Records of SyncAll may stand where a core arrives
  // or where it goes on.
  for (const bool at_arrival : {true, false}) {
    TraceBuilder t(4);
    const auto first = [&](uint32_t core) { t.On(core).At(10).Copy(Gm(kZ + core * 256, 256), Ub(0, 256)); };
    const auto second = [&](uint32_t core) {
      t.On(core).At(20).Copy(Ub(512, 256), Gm(kZ + (core + 1) % 4 * 256, 256)).End();
    };
    for (uint32_t core = 0; core < 4; ++core) {
      first(core);
      if (at_arrival) t.SyncAll(1);
    }
    for (uint32_t core = 0; core < 4; ++core) {
      if (!at_arrival) t.On(core).SyncAll(1);
      second(core);
    }
    EXPECT_THAT(Briefs(t), IsEmpty());
  }
}

TEST(Honest, ManyGenerationsOfSyncAll) {
  TraceBuilder t(3);
  for (uint32_t step = 0; step < 6; ++step) {
    for (uint32_t core = 0; core < 3; ++core) {
      t.On(core).At(10).Copy(Ub(0, 256), Gm(kZ + (core + step) % 3 * 256, 256)).Flag(MTE2, MTE3);
      t.At(11).Copy(Gm(kX + (step % 2) * 4096 + core * 256, 256), Ub(0, 256)).SyncAll(2 * step + 1);
    }
    for (uint32_t core = 0; core < 3; ++core) {
      t.On(core).At(12).Copy(Ub(0, 768), Gm(kX + (step % 2) * 4096, 768)).Flag(MTE2, MTE3);
      t.At(13).Copy(Gm(kZ + core * 256, 256), Ub(0, 256)).SyncAll(2 * step + 2);
    }
  }
  for (uint32_t core = 0; core < 3; ++core) t.On(core).End();
  EXPECT_THAT(Briefs(t), IsEmpty());
}

TEST(Honest, ScalarReadsOfTilingFromGlobalMemory) {
  TraceBuilder t(4);
  for (uint32_t core = 0; core < 4; ++core) {
    t.On(core).At(3);
    for (int i = 0; i < 8; ++i) t.Load(Gm(kX + 4 * i, 4), "raw load");
    t.At(10).Copy(Ub(0, 256), Gm(kY + core * 256, 256)).Flag(MTE2, MTE3).Copy(Gm(kZ + core * 256, 256), Ub(0, 256));
    t.End();
  }
  EXPECT_THAT(Briefs(t), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::emulator
