// How a program lies on a vector core. A tile has rows and lanes: lanes are what vector instructions run along.
//
//   no inner group   rows = outer, lanes = reduced     (softmax over the last dimension: a row is a row of the tile)
//   inner group      rows = reduced, lanes = inner     (sum over the first dimension: rows of the tile are added up)
//
// Tiles are stored with a pitch of 16 elements' multiple a row, so that every row begins at 32 bytes whatever its
// type. A value that exists once a row is stored 16 elements apart, of which the first counts.
#pragma once

#include <string>

#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

// What a value varies over within a tile.
enum class Role { kFull, kLanes, kRows, kSingle };

bool LanesAreInner(const Program& program);
Role RoleOf(const Program& program, int value);
// A number known to the scalar unit without looking at a tensor: constants, counts, and arithmetic of those.
bool IsLiteral(const Program& program, int value);

// Loop structure of a kernel.
enum class Form {
  kTiles,    // whole rows, several at a time; everything about a row happens in UB
  kChunks,   // parts of rows; element-wise programs only
  kSweep,    // a row at a time, in parts, once for each pass
  kColumns,  // lanes are inner: a part of the lanes at a time, down the rows, once for each pass
};
// "tiles", "chunks", ...
std::string FormName(Form form);

// When a value of a kernel is at hand.
enum class Life {
  kKernel,  // computed before the first item
  kItem,    // once for each item: a row, or a part of the lanes
  kStep,    // with each tile that is loaded
};
Life LifeOf(const Program& program, Form form, int value);

// Bytes of UB as a function of the tile: full * rows * pitch + lanes * pitch + rows * rows * 16 + fixed.
struct Bytes {
  int full = 0;
  int lanes = 0;
  int rows = 0;
  int fixed = 0;

  // As text over the kernel's full_, pitch_ and wide_.
  std::string Text() const;
  // "{4, 0, 0, 0}".
  std::string Braced() const;
  void Add(Role role, int element_bytes);
  void Raise(const Bytes& other);  // to the larger of both, part by part
};

int ElementBytes(v1::DType dtype);
// "float", "half", "bfloat16_t", "int32_t".
std::string AscendType(v1::DType dtype);
// A literal of float or int32_t in device code.
std::string DeviceLiteral(double number, bool integer);

}  // namespace kernelsmith::server
