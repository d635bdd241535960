// Kernels of published descriptions as traces.
#pragma once

#include "tests/worker/emulator/trace/trace_builder.h"

namespace kernelsmith::emulator {

inline constexpr uint64_t kX = 0x12c000000000, kY = kX + (uint64_t{1} << 28), kZ = kX + (uint64_t{2} << 28);

// add_high_performance: z = x + y, half, `tiles` tiles of `tile` bytes divided over the cores of `t`, 1 or 2 slots.
inline void AddHalf(TraceBuilder& t, uint32_t cores, uint32_t tiles, uint32_t tile, uint32_t slots) {
  constexpr Pipe V = Pipe::kVector, MTE2 = Pipe::kMte2, MTE3 = Pipe::kMte3;
  uint32_t next = 0;
  for (uint32_t core = 0; core < cores; ++core) {
    t.On(core);
    for (uint32_t s = 0; s < slots; ++s) t.Set(V, MTE2, s).Set(MTE3, V, s);
    const uint32_t mine = tiles / cores + (core < tiles % cores);
    for (uint32_t i = 0; i < mine; ++i, ++next) {
      const uint32_t s = i % slots;
      const uint64_t x = uint64_t{s} * 3 * tile, y = x + tile, z = y + tile, at = uint64_t{next} * tile;
      t.Steps(3).Wait(V, MTE2, s).Copy(Ub(x, tile), Gm(kX + at, tile)).Copy(Ub(y, tile), Gm(kY + at, tile));
      t.Set(MTE2, V, s).Wait(MTE2, V, s).Wait(MTE3, V, s);
      t.Vector(Compute::kAdd, {Ub(z, tile)}, {Ub(x, tile), Ub(y, tile)}).Set(V, MTE2, s).Set(V, MTE3, s);
      t.Wait(V, MTE3, s).Copy(Gm(kZ + at, tile), Ub(z, tile)).Set(MTE3, V, s);
    }
    for (uint32_t s = 0; s < slots; ++s) t.Wait(V, MTE2, s).Wait(MTE3, V, s);
    t.End();
  }
}

// The same by the scalar unit, element by element.
inline void ScalarAdd(TraceBuilder& t, uint32_t tiles, uint32_t tile) {
  for (uint32_t i = 0; i < tiles; ++i) {
    const uint64_t at = uint64_t{i} * tile;
    t.Copy(Ub(0, tile), Gm(kX + at, tile)).Copy(Ub(tile, tile), Gm(kY + at, tile));
    for (uint32_t e = 0; e < tile; e += 2) {
      t.Steps(1).Load(Ub(e, 2)).Load(Ub(tile + e, 2)).Store(Ub(2 * tile + e, 2));
    }
    t.Copy(Gm(kZ + at, tile), Ub(2 * tile, tile)).Barrier(Pipe::kAll);
  }
  t.End();
}

}  // namespace kernelsmith::emulator
