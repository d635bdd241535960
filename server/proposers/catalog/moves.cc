#include "server/proposers/catalog/moves.h"

namespace kernelsmith::server {
namespace {

std::vector<Move> ProgramMoves(bool reductions) {
  const Parameters fused = {{"loops", "fused"}};
  const Parameters threaded = {{"loops", "fused"}, {"threads", "all"}};
  std::vector<Move> moves = {
      {"fuse-passes",
       "Fuse the operations into one walk over the data",
       "intermediate results stay in registers or the first-level cache instead of going through memory",
       v1::TILING,
       "memory-bound",
       "the operator has several element-wise steps or reads a tensor more than once",
       "loops",
       {"fused"},
       {},
       0},
      {"vectorise",
       "Compute several elements at once in vector registers",
       "one instruction works on as many elements as the registers hold",
       v1::INSTRUCTION,
       "compute-bound",
       "neighbouring elements are computed alike",
       "lanes",
       {"16", "8", "4"},
       fused,
       0},
      {"polynomial-math",
       "Replace library functions by polynomials",
       "calls of the C library work on one element at a time and cannot be vectorised",
       v1::INSTRUCTION,
       "compute-bound",
       "the operator calls exp, log, tanh or erf",
       "math",
       {"polynomial"},
       fused,
       0},
      {"threads",
       "Split the work over the processor's cores",
       "the parts of the work are independent",
       v1::CORE_PARTITION,
       "compute-bound",
       "there is more work than the start of a thread costs, about 30 us",
       "threads",
       {"all"},
       fused,
       0},
      {"stream-stores",
       "Write results past the caches",
       "a plain store first reads the line that it is about to overwrite",
       v1::PIPELINE,
       "memory-bound",
       "the result is larger than the caches and not read again",
       "store",
       {"stream", "cached"},
       fused,
       1},
      {"dynamic-split",
       "Hand out the work in small shares",
       "a core that is slowed down by others takes fewer shares",
       v1::CORE_PARTITION,
       "latency-bound",
       "several threads, and other programs on the machine",
       "split",
       {"dynamic", "static"},
       threaded,
       1},
      {"unroll",
       "Keep several independent vectors in flight",
       "independent accumulators hide the latency of the arithmetic units",
       v1::INSTRUCTION,
       "latency-bound",
       "a loop carries a dependency or is short",
       "unroll",
       {"4", "2", "8", "1"},
       fused,
       1},
      {"prefetch",
       "Ask for input lines ahead of their use",
       "the hardware's own prefetch stops at page boundaries",
       v1::PIPELINE,
       "memory-bound",
       "the input is larger than the caches",
       "prefetch",
       {"512", "2048", "0"},
       fused,
       2},
  };
  if (reductions) {
    moves.push_back({"keep-values",
                     "Keep exponentials in a row buffer for the last pass",
                     "a value that is dear to compute is read again from the first-level cache",
                     v1::TILING,
                     "compute-bound",
                     "a later pass needs a costly value of an earlier one",
                     "keep",
                     {"buffer", "recompute"},
                     fused,
                     1});
    moves.push_back({"single-pass",
                     "Gather the row's statistics in one pass",
                     "the row is read once less before the result can be written",
                     v1::PIPELINE,
                     "memory-bound",
                     "rows are larger than the first-level cache",
                     "statistics",
                     {"single-pass", "separate"},
                     fused,
                     1});
  } else {
    moves.push_back({"block",
                     "Change how many elements an item of work has",
                     "items have to be large enough to amortise their start and small enough to balance",
                     v1::TILING,
                     "latency-bound",
                     "large element-wise operators",
                     "block",
                     {"65536", "4096", "16384"},
                     fused,
                     2});
  }
  return moves;
}

std::vector<Move> ProductMoves() {
  const Parameters tiled = {{"loops", "tiled"}};
  return {
      {"reorder-loops",
       "Make the innermost loop run along rows of B",
       "the innermost loop then reads and writes memory in order and is vectorised",
       v1::TILING,
       "memory-bound",
       "the naive product walks down columns",
       "loops",
       {"reordered"},
       {},
       0},
      {"register-tile",
       "Pack blocks and keep a tile of C in registers",
       "each element that is loaded is used as often as the tile is wide",
       v1::TILING,
       "compute-bound",
       "a matrix product with more than a few rows",
       "loops",
       {"tiled"},
       {},
       0},
      {"threads",
       "Split the work over the processor's cores",
       "the parts of the result are independent",
       v1::CORE_PARTITION,
       "compute-bound",
       "there is more work than the start of a thread costs, about 30 us",
       "threads",
       {"all"},
       {},
       0},
      {"tile-rows",
       "Change the rows of the register tile",
       "more rows use a loaded vector of B more often until the registers are full",
       v1::INSTRUCTION,
       "compute-bound",
       "a register-tiled product",
       "tile_m",
       {"8", "12", "14", "6", "4"},
       tiled,
       1},
      {"tile-columns",
       "Change the vectors across the register tile",
       "more columns use a loaded element of A more often until the registers are full",
       v1::INSTRUCTION,
       "compute-bound",
       "a register-tiled product",
       "tile_n",
       {"2", "3", "4", "1"},
       tiled,
       1},
      {"split-columns",
       "Split the product between threads along the other side",
       "each thread then packs only the part of the larger operand that it needs",
       v1::CORE_PARTITION,
       "memory-bound",
       "several threads",
       "split",
       {"columns", "rows"},
       {{"threads", "all"}},
       1},
      {"block-depth",
       "Change the depth of the packed blocks",
       "panels of A and B should fit the first-level cache together",
       v1::TILING,
       "memory-bound",
       "a register-tiled product",
       "block_k",
       {"512", "384", "128", "256"},
       tiled,
       1},
      {"pack-a",
       "Pack A, or read it where it lies",
       "packing pays when a block of A is used often enough",
       v1::TILING,
       "memory-bound",
       "a register-tiled product",
       "pack_a",
       {"no", "yes"},
       tiled,
       1},
      {"block-rows",
       "Change the rows of the packed block of A",
       "the block should stay in the second-level cache",
       v1::TILING,
       "memory-bound",
       "a register-tiled product",
       "block_m",
       {"192", "384", "48", "96"},
       tiled,
       2},
      {"block-columns",
       "Change the columns of the packed block of B",
       "the block should stay in the last-level cache",
       v1::TILING,
       "memory-bound",
       "a register-tiled product",
       "block_n",
       {"1024", "256", "4096", "512"},
       tiled,
       2},
      {"vectorise",
       "Change the width of the vectors",
       "the width has to match the registers",
       v1::INSTRUCTION,
       "compute-bound",
       "a register-tiled product",
       "lanes",
       {"8", "16"},
       tiled,
       2},
      {"prefetch",
       "Ask for the panel of B ahead of its use",
       "the next rows of the panel arrive before they are needed",
       v1::PIPELINE,
       "memory-bound",
       "a register-tiled product",
       "prefetch",
       {"512", "0"},
       tiled,
       2},
  };
}

}  // namespace

const std::vector<Move>& MovesOf(Family family) {
  static const auto* const elementwise = new std::vector<Move>(ProgramMoves(false));
  static const auto* const reductions = new std::vector<Move>(ProgramMoves(true));
  static const auto* const products = new std::vector<Move>(ProductMoves());
  switch (family) {
    case Family::kElementwise:
      return *elementwise;
    case Family::kRowReduction:
      return *reductions;
    case Family::kMatmul:
      return *products;
  }
  return *elementwise;
}

const Move* FindMove(const std::string& id) {
  for (const Family family : {Family::kRowReduction, Family::kElementwise, Family::kMatmul}) {
    for (const Move& move : MovesOf(family)) {
      if (move.id == id) return &move;
    }
  }
  return nullptr;
}

Parameters Apply(const Problem& problem, const Parameters& base, const Move& move, const std::string& value) {
  Parameters next = Normalise(problem, base);
  for (const auto& [key, implied] : move.implies) next[key] = implied;
  next[move.key] = value;
  return Normalise(problem, next);
}

}  // namespace kernelsmith::server
