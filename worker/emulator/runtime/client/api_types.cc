// Element types on the host: sizes, and halves as numbers.
#include <cstdint>

#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/runtime/client/calls.h"

namespace number = kernelsmith::emulator::vector;

namespace {

// Values of aclDataType.
enum DataType : int {
  kFloat = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kInt64 = 9,
  kUint64 = 10,
  kDouble = 11,
  kBool = 12,
  kComplex64 = 16,
  kComplex128 = 17,
  kBfloat16 = 27,
};

}  // namespace

ACL_API size_t aclDataTypeSize(int type) {
  switch (type) {
    case kInt8:
    case kUint8:
    case kBool:
      return 1;
    case kFloat16:
    case kBfloat16:
    case kInt16:
    case kUint16:
      return 2;
    case kFloat:
    case kInt32:
    case kUint32:
      return 4;
    case kDouble:
    case kInt64:
    case kUint64:
    case kComplex64:
      return 8;
    case kComplex128:
      return 16;
    default:
      return 0;
  }
}

ACL_API float aclFloat16ToFloat(uint16_t value) { return number::HalfToFloat(value); }

ACL_API uint16_t aclFloatToFloat16(float value) { return number::FloatToHalf(value, number::Rounding::kRint); }
