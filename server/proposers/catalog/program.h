// The catalog's own form of an operator: a list of values in evaluation order over a three-part iteration space.
//
//   outer x reduced x inner      all dimensions of the largest tensor, grouped; a reduction removes the middle group
//
// softmax(x, dim=-1) of a [4096, 1024] tensor becomes (outer 4096, reduced 1024, inner 1):
//   0 load x          {outer, reduced}
//   1 max of 0        {outer}            reduce
//   2 sub 0 1         {outer, reduced}
//   3 exp 2           {outer, reduced}
//   4 sum of 3        {outer}            reduce
//   5 div 3 4         {outer, reduced}   result
//
// Sizes are not part of a program: a rendered candidate reads them from the call, so one source serves every case.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::server {

// Which groups of the iteration space a value varies over.
struct Footprint {
  bool outer = false;
  bool reduced = false;
  bool inner = false;

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

enum class ValueKind {
  kLoad,      // an input of the call
  kProduct,   // the element of a matrix product that an epilogue starts from
  kConstant,  // a number
  kCount,     // how many elements a reduction runs over
  kFirst,     // the first element of the argument along the reduced group
  kMap,       // an element-wise function of the arguments; see operators.h
  kReduce,    // over the reduced group; the function is one of Reduction's names
};

// Names of reductions. kOnlineMax and kOnlineSum come as a pair over one argument x and are computed in one pass:
// m = max(x), s = sum(exp(x - m)).
inline constexpr char kSum[] = "sum";
inline constexpr char kMax[] = "max";
inline constexpr char kMin[] = "min";
inline constexpr char kOnlineMax[] = "online_max";
inline constexpr char kOnlineSum[] = "online_sum";

struct Value {
  ValueKind kind = ValueKind::kConstant;
  std::string function;   // of kMap and kReduce
  std::vector<int> args;  // indexes of earlier values
  double number = 0;      // of kConstant
  int input = -1;         // of kLoad: position among the call's inputs
  Footprint over;
  int depth = 0;  // reductions that must be finished before the value can be computed

  friend bool operator==(const Value&, const Value&) = default;
};

// How an input lies in the iteration space. Its dimensions are aligned with the base's from the right.
struct InputLayout {
  int input = 0;
  v1::DType dtype = v1::FP32;
  int rank = 0;
  std::vector<bool> broadcast;  // per dimension of the base: the input has one element there
};

struct OutputLayout {
  int value = 0;
  v1::DType dtype = v1::FP32;
};

struct Program {
  std::vector<Value> values;
  std::vector<InputLayout> inputs;    // every input that a value loads
  std::vector<OutputLayout> outputs;  // in the order of the call's outputs
  bool integer = false;               // computed in int32_t instead of float
  int rank = 0;                       // of the base
  int reduced_begin = 0;              // dimensions [reduced_begin, reduced_end) form the reduced group
  int reduced_end = 0;
  int base_input = -1;  // input with the shape of the whole space, or -1: output 0 has it

  bool has_inner() const { return reduced_end < rank; }
  bool HasReductions() const;
  bool HasReduction(const std::string& function) const;
  // Passes over the reduced group that an evaluation needs.
  int Passes() const;

  // Adds `value` with footprint and depth derived from its arguments, or finds the equal one. Returns its index.
  int Add(Value value);
  int Constant(double number);
  int Map(const std::string& function, std::vector<int> args);
  int Reduce(const std::string& function, int arg);
};

}  // namespace kernelsmith::server
