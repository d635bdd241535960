// Arithmetic over contiguous arrays: the inner loops of every element-wise instruction, without masks, strides or
// definedness. Compiled twice, for any x86-64 and for AVX2 with F16C; the faster one that the machine has is used.
//
// half is computed in fp32 and rounded once per instruction, to nearest even; int16 and int32 wrap around.
//
// Example:
//   LaneFunction add = FindLanes(KSE_ADD, Element::kHalf, Element::kHalf);  // null: no such combination
//   add({.d = out, .a = x, .b = y, .n = 128});
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulator/include/ks/vector_abi.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator::vector {

struct LaneArguments {
  std::byte* d = nullptr;
  const std::byte* a = nullptr;  // sources: the same address as d, or no overlap with it
  const std::byte* b = nullptr;
  size_t n = 0;
  float scalar = 0;             // of the float formats
  int64_t integer = 0;          // of the integer formats
  uint64_t first = 0;           // number of the first lane (KSE_ARANGE)
  uint8_t rounding = 0;         // conversions: Rounding
  bool saturate_float = false;  // half and bfloat16: infinity becomes the largest number, NaN becomes 0
  bool saturate_cast = true;    // conversions to integers: clamp, else the low bits
};

using LaneFunction = void (*)(const LaneArguments&);

// dst and src types; conversions: any pair Cast documents, else the types the API documents.
LaneFunction FindLanes(kse_vector_operation operation, Element dst, Element src);

// The two builds, for tests.
LaneFunction FindLanesBase(kse_vector_operation operation, Element dst, Element src);
LaneFunction FindLanesAvx2(kse_vector_operation operation, Element dst, Element src);
bool HasAvx2();

// What an operation reads besides its destination.
struct Shape {
  bool a = true;
  bool b = false;
  bool d = false;  // the destination, too
  bool scalar = false;
  Compute compute = Compute::kOther;
};
Shape ShapeOf(kse_vector_operation operation);

// Bits of one element; KSE_INT4: 4.
constexpr uint32_t ElementBits(Element element) {
  switch (element) {
    case Element::kInt4:
      return 4;
    case Element::kInt8:
    case Element::kUint8:
      return 8;
    case Element::kHalf:
    case Element::kBfloat16:
    case Element::kInt16:
    case Element::kUint16:
      return 16;
    case Element::kFloat:
    case Element::kInt32:
    case Element::kUint32:
      return 32;
    case Element::kInt64:
    case Element::kUint64:
    case Element::kDouble:
      return 64;
    case Element::kNone:
      break;
  }
  return 8;
}

}  // namespace kernelsmith::emulator::vector
