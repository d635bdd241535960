#include "worker/emulator/trace/names.h"

#include <iterator>

namespace kernelsmith::emulator {
namespace {

// In the order of the enumerations.
constexpr const char* kPipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
constexpr const char* kSpaceNames[] = {"no memory",      "UB",           "L1", "L0A", "L0B", "L0C", "bias",
                                       "fixpipe buffer", "global memory"};
constexpr std::string_view kComputeNames[] = {
    "Add",        "Sub",       "Mul",         "Div",        "Max",        "Min",           "And",         "Or",
    "Xor",        "Not",       "ShiftLeft",   "ShiftRight", "Abs",        "Neg",           "Exp",         "Ln",
    "Sqrt",       "Rsqrt",     "Reciprocal",  "Relu",       "LeakyRelu",  "Adds",          "Muls",        "Maxs",
    "Mins",       "Axpy",      "FusedMulAdd", "MulAddDst",  "AddRelu",    "SubRelu",       "Cast",        "Duplicate",
    "Brcb",       "Broadcast", "Arange",      "ReduceSum",  "ReduceMax",  "ReduceMin",     "WholeReduce", "BlockReduce",
    "PairReduce", "Compare",   "Select",      "Gather",     "GatherMask", "Scatter",       "Sort",        "MergeSort",
    "Transpose",  "Copy",      "Tanh",        "Erf",        "Power",      "Trigonometric", "Floor",       "Other"};
constexpr std::string_view kElementNames[] = {"None",   "Float", "Half",   "Bfloat16", "Int8",   "Uint8", "Int16",
                                              "Uint16", "Int32", "Uint32", "Int64",    "Uint64", "Int4",  "Double"};
static_assert(std::size(kPipeNames) == kPipes + 1);
static_assert(std::size(kSpaceNames) == kSpaces);
static_assert(std::size(kComputeNames) == size_t(Compute::kOther));
static_assert(std::size(kElementNames) == size_t(Element::kDouble) + 1);

}  // namespace

const char* PipeName(Pipe pipe) { return kPipeNames[size_t(pipe)]; }

const char* SpaceName(Space space) { return kSpaceNames[size_t(space)]; }

std::optional<Compute> ComputeByName(std::string_view name) {
  for (size_t i = 0; i < std::size(kComputeNames); ++i) {
    if (kComputeNames[i] == name) return Compute(i + 1);
  }
  return std::nullopt;
}

std::optional<Element> ElementByName(std::string_view name) {
  for (size_t i = 0; i < std::size(kElementNames); ++i) {
    if (kElementNames[i] == name) return Element(i);
  }
  return std::nullopt;
}

}  // namespace kernelsmith::emulator
