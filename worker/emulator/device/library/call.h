// One high-level function while it runs: tensors in as numbers, numbers out as tensors.
//
// Arithmetic is done in double and rounded once to the tensor's type; the card's own intermediate roundings are not
// documented. Reads and writes count as one instruction of the vector pipe, whose cost is that of `passes` over the
// data. Results are stored by Finish, when every access was permitted, so that a source may be its own destination.
//
// Example:
//   Call call(core, abi, where);
//   const Grid grid{.rows = m, .columns = k, .pitch = k};
//   const Values x = call.Read(0, grid);
//   Values y = call.Like(x);
//   ...
//   call.Write(0, grid, std::move(y));
//   call.Finish(/*passes=*/3);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/library_abi.h"

namespace kernelsmith::emulator::library {

// Rows of a tensor, `pitch` elements from the start of one to the start of the next. With fractal > 0 the columns lie
// in blocks of that many, each block holding all rows (NZ): pitch is then the number of rows stored.
struct Grid {
  uint64_t rows = 1;
  uint64_t columns = 1;
  uint64_t pitch = 1;
  uint32_t fractal = 0;

  uint64_t Count() const { return rows * columns; }
  // Element of row r and column c from the start of the tensor.
  uint64_t At(uint64_t r, uint64_t c) const {
    return fractal == 0 ? r * pitch + c : (c / fractal * pitch + r) * fractal + c % fractal;
  }
};

// A dense row of `n` elements.
inline Grid Row(uint64_t n) { return {.rows = 1, .columns = n, .pitch = n}; }
inline Grid Dense(uint64_t rows, uint64_t columns) { return {.rows = rows, .columns = columns, .pitch = columns}; }

struct Values {
  uint64_t columns = 1;
  std::vector<double> number;
  std::vector<uint8_t> defined;

  explicit Values(uint64_t rows = 0, uint64_t columns_ = 1)
      : columns(columns_), number(rows * columns_), defined(rows * columns_, 1) {}

  double& operator()(uint64_t r, uint64_t c) { return number[r * columns + c]; }
  double operator()(uint64_t r, uint64_t c) const { return number[r * columns + c]; }
  uint8_t& Defined(uint64_t r, uint64_t c) { return defined[r * columns + c]; }
  uint8_t Defined(uint64_t r, uint64_t c) const { return defined[r * columns + c]; }
  // Whether the first `n` columns of a row are.
  bool RowDefined(uint64_t r, uint64_t n) const;
  bool AllDefined() const { return RowDefined(0, number.size()); }
};

class Call {
 public:
  Call(Core& core, const kse_library_call& abi, const kse_where& where);

  const kse_library_call& abi;
  uint64_t result = 0;  // what the function returns, where it returns something
  uint32_t size(int i) const { return abi.size[i]; }
  double real(int i) const { return abi.real[i]; }
  bool Has(uint32_t option) const { return (abi.options & option) != 0; }
  bool HasIn(int i) const { return abi.in[i] != nullptr; }
  bool HasOut(int i) const { return abi.out[i] != nullptr; }
  Element TypeOfIn(int i) const { return static_cast<Element>(abi.in[i]->element); }
  Element TypeOfOut(int i) const { return static_cast<Element>(abi.out[i]->element); }
  // Elements of a block of 32 bytes.
  static uint64_t PerBlock(Element type);

  // Zeros after a finding.
  Values Read(int in, const Grid& grid);
  // As another element type.
  Values ReadAs(int in, Element type, const Grid& grid);
  // Remembers the destination; every element of `values` is written.
  void Write(int out, const Grid& grid, Values values);

  // An argument the function forbids; nothing is stored then.
  void Forbid(std::string_view text) { instruction_.Forbid(text); }
  bool ok() const { return instruction_.ok(); }

  // Stores the results and appends the record.
  void Finish(uint32_t passes, Compute compute = Compute::kOther);

 private:
  struct Result {
    const kse_tensor* tensor;
    Grid grid;
    Values values;
  };

  bool Bind(const kse_tensor& tensor, const Grid& grid, AccessKind kind);

  Core& core_;
  Instruction instruction_;
  std::vector<Result> results_;
  uint64_t elements_ = 0;
  uint64_t bytes_ = 0;
  Element element_ = Element::kNone;
};

}  // namespace kernelsmith::emulator::library
