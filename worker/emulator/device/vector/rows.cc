// Sums and means of rows (the high-level Sum and Mean): a tree of neighbours, rounded to the type that is computed in
// at every node. Rows are padded to blocks of 32 bytes; what they are padded with does not count.

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

float Rounded(float value, Element type) {
  return type == Element::kHalf ? HalfToFloat(FloatToHalf(value, Rounding::kRint)) : value;
}

float TreeSum(std::vector<float> values, Element accumulate) {
  while (values.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i < values.size(); i += 2) {
      next.push_back(i + 1 < values.size() ? Rounded(values[i] + values[i + 1], accumulate) : values[i]);
    }
    values = std::move(next);
  }
  return values[0];
}

void SumRows(Core& core, const kse_tensor& dst, const kse_tensor& src, uint32_t rows, uint32_t inner, uint32_t n,
             bool mean, Element accumulate, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(src);
  const uint32_t bytes = ElementBits(type) / 8;
  if (n == 0 || n > inner || uint64_t{inner} * bytes % kBlockBytes != 0) {
    instruction.Forbid(absl::StrCat("rows of n = ", n, " and inner = ", inner,
                                    "; n has to be 1 to inner, and inner times the element's size a multiple of 32"));
    return;
  }
  if (rows == 0) return;
  if (!CheckAligned(instruction, src, kBlockBytes)) return;
  Declare(instruction, src, {.run_bytes = n * bytes, .repeats = rows, .repeat_stride = inner * bytes},
          AccessKind::kRead);
  const Operand to = BindRange(core, instruction, dst, uint64_t{rows} * bytes, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const std::byte* from = core.Arena(Space::kUb) + src.address;
  for (uint32_t row = 0; row < rows; ++row) {
    const std::byte* start = from + uint64_t{row} * inner * bytes;
    std::vector<float> values(n);
    for (uint32_t i = 0; i < n; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, start + uint64_t{i} * bytes, bytes);
      values[i] = ScalarFloat(bits, type);
    }
    float result = TreeSum(std::move(values), accumulate);
    if (mean) result = Rounded(result / static_cast<float>(n), accumulate);
    const uint64_t bits = type == Element::kHalf ? FloatToHalf(result, Rounding::kRint) : FloatBits(result);
    std::memcpy(to.data + uint64_t{row} * bytes, &bits, bytes);
    std::memset(to.shadow + uint64_t{row} * bytes, core.AllDefined(start, uint64_t{n} * bytes) ? 1 : 0, bytes);
  }
  const uint64_t repeats = (uint64_t{n} * bytes + kRepeatBytes - 1) / kRepeatBytes;
  instruction.Issue(Compute::kReduceSum, type, uint64_t{rows} * n, static_cast<uint32_t>(rows * repeats));
}

}  // namespace
}  // namespace kernelsmith::emulator::vector

extern "C" void kse_vector_sum_rows(const kse_tensor* dst, const kse_tensor* src, uint32_t rows, uint32_t inner,
                                    uint32_t n, bool mean, uint8_t accumulate, const kse_where* where) {
  using namespace kernelsmith::emulator;
  vector::SumRows(Core::Current(), *dst, *src, rows, inner, n, mean, static_cast<Element>(accumulate), *where);
}
