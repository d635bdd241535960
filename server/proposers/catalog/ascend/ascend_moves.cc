#include "server/proposers/catalog/ascend/ascend_moves.h"

namespace kernelsmith::server {
namespace {

std::vector<Move> CommonMoves() {
  const Parameters vector = {{"engine", "vector"}};
  return {
      {"ascend-vectorise",
       "Compute tiles with vector instructions",
       "one instruction works on 64 numbers of 4 bytes a cycle, where the scalar unit needs several cycles for one",
       v1::INSTRUCTION,
       "compute-bound",
       "neighbouring elements are computed alike",
       "engine",
       {"vector"},
       {},
       {},
       0},
      {"ascend-all-cores",
       "Split the work over all vector cores",
       "the items are independent, and each core has its own UB and transfers",
       v1::CORE_PARTITION,
       "compute-bound",
       "there is more than one tile of work",
       "cores",
       {"all"},
       {},
       {},
       0},
      {"ascend-double-buffer",
       "Load the next tile while this one is computed",
       "transfers and arithmetic have pipes of their own; with two buffers neither waits for the other",
       v1::PIPELINE,
       "memory-bound",
       "a core handles several tiles",
       "buffers",
       {"2", "1"},
       vector,
       {{"sync", "barriers"}},
       0},
      {"ascend-flags",
       "Place buffers by hand and synchronise with flags",
       "a flag costs less scalar work than a queue",
       v1::SYNCHRONISATION,
       "latency-bound",
       "tiles are small, so that handling queues shows",
       "sync",
       {"flags", "queues"},
       vector,
       {},
       1},
      {"ascend-barriers",
       "Place buffers by hand and wait for everything between steps",
       "there is nothing to handle but one barrier a step",
       v1::SYNCHRONISATION,
       "latency-bound",
       "each core has one tile, so that nothing can overlap",
       "sync",
       {"barriers"},
       vector,
       {{"buffers", "2"}},
       2},
  };
}

std::vector<Move> ProgramMoves(bool reductions) {
  const Parameters vector = {{"engine", "vector"}};
  std::vector<Move> moves = CommonMoves();
  moves.push_back({"ascend-fuse",
                   "Keep intermediate results in UB",
                   "a value that goes through global memory costs two transfers and a launch",
                   v1::TILING,
                   "memory-bound",
                   "the operator has several steps",
                   "passes",
                   {"fused"},
                   vector,
                   {},
                   0});
  moves.push_back({"ascend-tile-length",
                   "Change how many elements a tile has",
                   "long tiles amortise the start of a transfer, short ones start the pipeline sooner",
                   v1::TILING,
                   "latency-bound",
                   "rows or tensors are longer than a tile",
                   "tile",
                   {"8192", "4096", "16384", "1024", "2048"},
                   {},
                   {},
                   1});
  moves.push_back({"ascend-bypass-cache",
                   "Keep data that is used once out of the level-2 cache",
                   "it would push out what is read again",
                   v1::PIPELINE,
                   "memory-bound",
                   "tensors are larger than the level-2 cache",
                   "cache",
                   {"bypass", "normal"},
                   {},
                   {},
                   2});
  if (!reductions) return moves;
  moves.push_back({"ascend-keep-row",
                   "Keep the row in UB from the first pass to the last",
                   "global memory is read once instead of once a pass",
                   v1::TILING,
                   "memory-bound",
                   "a row fits into UB",
                   "row",
                   {"kept", "again"},
                   vector,
                   {},
                   0});
  moves.push_back({"ascend-rows-per-tile",
                   "Handle several rows at a time",
                   "transfers get longer, and the wait for a row's sum is shared by all rows of the tile",
                   v1::TILING,
                   "latency-bound",
                   "rows are shorter than a tile",
                   "rows",
                   {"8", "4", "16", "32", "1"},
                   {{"engine", "vector"}, {"row", "kept"}},
                   {},
                   1});
  return moves;
}

std::vector<Move> TranspositionMoves() {
  std::vector<Move> moves = CommonMoves();
  moves.push_back({"ascend-tile-rows",
                   "Change how many rows a tile has",
                   "they become the length of what is written",
                   v1::TILING,
                   "memory-bound",
                   "transpositions",
                   "tile_rows",
                   {"128", "256", "32", "64"},
                   {},
                   {},
                   1});
  moves.push_back({"ascend-tile-columns",
                   "Change how many columns a tile has",
                   "they are the length of what is read",
                   v1::TILING,
                   "memory-bound",
                   "transpositions",
                   "tile_columns",
                   {"128", "32", "256", "64"},
                   {},
                   {},
                   1});
  return moves;
}

// What only vector kernels have is no move of its own on a scalar kernel: it would be credited with the vectorisation.
std::vector<Move> VectorisedFirst(std::vector<Move> moves) {
  for (Move& move : moves) {
    if (move.implies.contains("engine")) move.unless["engine"] = "scalar";
  }
  return moves;
}

}  // namespace

const std::vector<Move>& AscendMoves(Family family) {
  static const auto* const elementwise = new std::vector<Move>(VectorisedFirst(ProgramMoves(false)));
  static const auto* const reductions = new std::vector<Move>(VectorisedFirst(ProgramMoves(true)));
  static const auto* const transpositions = new std::vector<Move>(VectorisedFirst(TranspositionMoves()));
  static const auto* const none = new std::vector<Move>;
  switch (family) {
    case Family::kElementwise:
      return *elementwise;
    case Family::kRowReduction:
      return *reductions;
    case Family::kTransposition:
      return *transpositions;
    case Family::kMatmul:
      return *none;
  }
  return *none;
}

}  // namespace kernelsmith::server
