#include "worker/emulator/device/vector/lanes.h"

#include <cpuid.h>

namespace kernelsmith::emulator::vector {
namespace {

// Not every compiler's __builtin_cpu_supports knows this feature.
bool HasHalfConversion() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

}  // namespace

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && HasHalfConversion();
  return has;
}

LaneFunction FindLanes(kse_vector_operation operation, Element dst, Element src) {
  return HasAvx2() ? FindLanesAvx2(operation, dst, src) : FindLanesBase(operation, dst, src);
}

namespace {

constexpr Shape Binary(Compute compute) { return {.a = true, .b = true, .compute = compute}; }
constexpr Shape Accumulating(Compute compute) { return {.a = true, .b = true, .d = true, .compute = compute}; }
constexpr Shape WithScalar(Compute compute) { return {.a = true, .scalar = true, .compute = compute}; }
constexpr Shape Unary(Compute compute) { return {.a = true, .compute = compute}; }

}  // namespace

Shape ShapeOf(kse_vector_operation operation) {
  switch (operation) {
    case KSE_ADD:
      return Binary(Compute::kAdd);
    case KSE_SUB:
      return Binary(Compute::kSub);
    case KSE_MUL:
      return Binary(Compute::kMul);
    case KSE_DIV:
      return Binary(Compute::kDiv);
    case KSE_MAX:
      return Binary(Compute::kMax);
    case KSE_MIN:
      return Binary(Compute::kMin);
    case KSE_AND:
      return Binary(Compute::kAnd);
    case KSE_OR:
      return Binary(Compute::kOr);
    case KSE_XOR:
      return Binary(Compute::kXor);
    case KSE_ADD_RELU:
      return Binary(Compute::kAddRelu);
    case KSE_SUB_RELU:
      return Binary(Compute::kSubRelu);
    case KSE_FUSED_MUL_ADD:
    case KSE_FUSED_MUL_ADD_RELU:
      return Accumulating(Compute::kFusedMulAdd);
    case KSE_MUL_ADD_DST:
      return Accumulating(Compute::kMulAddDst);
    case KSE_POWER:
      return Binary(Compute::kPower);
    case KSE_FMOD:
      return Binary(Compute::kOther);
    case KSE_ADDS:
      return WithScalar(Compute::kAdds);
    case KSE_MULS:
      return WithScalar(Compute::kMuls);
    case KSE_MAXS:
      return WithScalar(Compute::kMaxs);
    case KSE_MINS:
      return WithScalar(Compute::kMins);
    case KSE_AXPY:
      return {.a = true, .d = true, .scalar = true, .compute = Compute::kAxpy};
    case KSE_LEAKY_RELU:
      return WithScalar(Compute::kLeakyRelu);
    case KSE_SHIFT_LEFT:
      return WithScalar(Compute::kShiftLeft);
    case KSE_SHIFT_RIGHT:
    case KSE_SHIFT_RIGHT_ROUND:
      return WithScalar(Compute::kShiftRight);
    case KSE_POWER_SCALAR:
    case KSE_SCALAR_POWER:
      return WithScalar(Compute::kPower);
    case KSE_SWISH:
      return WithScalar(Compute::kOther);
    case KSE_EXP:
      return Unary(Compute::kExp);
    case KSE_LN:
    case KSE_LOG2:
    case KSE_LOG10:
      return Unary(Compute::kLn);
    case KSE_ABS:
      return Unary(Compute::kAbs);
    case KSE_RECIPROCAL:
      return Unary(Compute::kReciprocal);
    case KSE_SQRT:
      return Unary(Compute::kSqrt);
    case KSE_RSQRT:
      return Unary(Compute::kRsqrt);
    case KSE_NOT:
      return Unary(Compute::kNot);
    case KSE_RELU:
      return Unary(Compute::kRelu);
    case KSE_TANH:
      return Unary(Compute::kTanh);
    case KSE_ERF:
    case KSE_ERFC:
      return Unary(Compute::kErf);
    case KSE_SIN:
    case KSE_COS:
    case KSE_TAN:
    case KSE_ASIN:
    case KSE_ACOS:
    case KSE_ATAN:
      return Unary(Compute::kTrigonometric);
    case KSE_FLOOR:
    case KSE_CEIL:
    case KSE_TRUNC:
    case KSE_ROUND:
    case KSE_FRAC:
      return Unary(Compute::kFloor);
    case KSE_SIGMOID:
    case KSE_GELU:
    case KSE_FASTER_GELU:
    case KSE_SINH:
    case KSE_COSH:
    case KSE_ASINH:
    case KSE_ACOSH:
    case KSE_ATANH:
    case KSE_SIGN:
      return Unary(Compute::kOther);
    case KSE_CAST:
      return Unary(Compute::kCast);
    case KSE_DEQUANT:
      return WithScalar(Compute::kCast);
    case KSE_ADD_RELU_CAST:
    case KSE_SUB_RELU_CAST:
    case KSE_MUL_CAST:
      return Binary(Compute::kCast);
    case KSE_ADD_DEQUANT_RELU:
      return {.a = true, .b = true, .scalar = true, .compute = Compute::kCast};
    case KSE_DUPLICATE:
      return {.a = false, .scalar = true, .compute = Compute::kDuplicate};
    case KSE_ARANGE:
      return {.a = false, .scalar = true, .compute = Compute::kArange};
    case KSE_DUPLICATE_FIRST:
      return {.a = true, .compute = Compute::kDuplicate};
  }
  return {};
}

}  // namespace kernelsmith::emulator::vector
