// Arithmetic progressions, and conversions of the scalar unit.

#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

void Store(Element type, std::byte* to, uint64_t first, uint64_t step, uint64_t i) {
  const uint32_t bytes = ElementBits(type) / 8;
  uint64_t bits = 0;
  if (type == Element::kFloat || type == Element::kHalf) {
    const float value = ScalarFloat(first, type) + ScalarFloat(step, type) * static_cast<float>(i);
    bits = type == Element::kFloat ? FloatBits(value) : FloatToHalf(value, Rounding::kRint);
  } else {
    bits = static_cast<uint64_t>(ScalarInteger(first, type)) + static_cast<uint64_t>(ScalarInteger(step, type)) * i;
  }
  std::memcpy(to, &bits, bytes);
}

void Progression(Core& core, const kse_tensor& dst, uint64_t first, uint64_t step, int64_t count,
                 const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  if (count < 0) {
    instruction.Forbid(absl::StrCat("count ", count, " is negative; pass the number of elements"));
    return;
  }
  if (count == 0) return;
  const Element type = TypeOf(dst);
  const uint32_t bytes = ElementBits(type) / 8;
  const uint64_t total = static_cast<uint64_t>(count) * bytes;
  const Operand to = BindRange(core, instruction, dst, total, AccessKind::kWrite);
  if (!instruction.ok()) return;
  for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) Store(type, to.data + i * bytes, first, step, i);
  std::memset(to.shadow, 1, total);
  instruction.Issue(Compute::kArange, type, static_cast<uint64_t>(count),
                    static_cast<uint32_t>((total + kRepeatBytes - 1) / kRepeatBytes));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector

extern "C" {

void kse_vector_arange(const kse_tensor* dst, uint64_t first, uint64_t step, int64_t count, const kse_where* where) {
  kernelsmith::emulator::vector::Progression(kernelsmith::emulator::Core::Current(), *dst, first, step, count, *where);
}

uint64_t kse_scalar_cast(float value, uint8_t element, uint8_t rounding) {
  using namespace kernelsmith::emulator::vector;
  const auto mode = static_cast<Rounding>(rounding);
  if (element == KSE_HALF) return FloatToHalf(value, mode);
  return static_cast<uint32_t>(FloatToInteger<int32_t>(RoundToIntegral(value, mode), /*saturate=*/true));
}
}
