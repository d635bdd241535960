// CastDequant from int16_t: x * scale + offset, to a byte, in the lower or upper half of each block of the destination.
// One set of parameters for all elements (the register), or sixteen in UB, one for each element of a block.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

constexpr uint32_t kLanes = 128;
constexpr uint32_t kOfABlock = 16;

// A word of SetDeqScale: float in bits 0 to 31, of which the hardware keeps ten of the mantissa, offset in 37 to 45,
// signed in 46.
struct Parameters {
  float scale = 0;
  int32_t offset = 0;
  bool is_signed = false;

  static Parameters Of(uint64_t word) {
    constexpr uint32_t kKept = 0xffffe000u;
    const auto nine = static_cast<int32_t>(word >> 37 & 0x1ff);
    return {.scale = BitsFloat(static_cast<uint32_t>(word) & kKept),
            .offset = nine >= 256 ? nine - 512 : nine,
            .is_signed = (word >> 46 & 1) != 0};
  }

  uint8_t Convert(int16_t x) const {
    const double value = std::nearbyint(static_cast<double>(static_cast<float>(x) * scale)) + offset;
    if (is_signed) return static_cast<uint8_t>(static_cast<int8_t>(std::clamp(value, -128.0, 127.0)));
    return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
  }
};

// Half a block for each block of the source.
Span Halves(const Plan& plan, const kse_operand& dst, bool upper) {
  return {.offset = upper ? kOfABlock : 0u,
          .run_bytes = kOfABlock,
          .runs = (plan.End() + kOfABlock - 1) / kOfABlock,
          .run_stride = dst.block_stride * kBlockBytes,
          .repeats = plan.repeats,
          .repeat_stride = dst.repeat_stride * kBlockBytes};
}

}  // namespace

void Dequantise(Core& core, const kse_operand& dst, const kse_operand& src, const kse_lanes& lanes, bool by_lane,
                bool upper, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Plan plan = PlanOf(core, instruction, where, lanes, kLanes);
  if (!instruction.ok() || plan.repeats == 0) return;
  const Operand from = Bind(core, instruction, src, plan, AccessKind::kRead);
  std::array<Parameters, kOfABlock> parameters;
  parameters.fill(Parameters::Of(core.vector().deq_scale));
  if (by_lane) {
    kse_tensor table = *dst.tensor;
    table.address = core.vector().deq_scale;
    table.bytes = kOfABlock * sizeof(uint64_t);
    const std::byte* words = instruction.Read(table, {.run_bytes = kOfABlock * sizeof(uint64_t)});
    if (!instruction.ok()) return;
    instruction.RequireDefined(words, kOfABlock * sizeof(uint64_t), "the scales of the conversion");
    for (uint32_t i = 0; i < kOfABlock; ++i) {
      uint64_t word;
      std::memcpy(&word, words + i * sizeof(word), sizeof(word));
      parameters[i] = Parameters::Of(word);
    }
  }
  const bool to_signed = TypeOf(*dst.tensor) == Element::kInt8;
  if (std::any_of(parameters.begin(), parameters.end(),
                  [&](const Parameters& p) { return p.is_signed != to_signed; })) {
    return instruction.Forbid(absl::StrCat("SetDeqScale asked for ", to_signed ? "unsigned" : "signed",
                                           " results, and the destination is ", to_signed ? "int8_t" : "uint8_t"));
  }
  if (!CheckAligned(instruction, *dst.tensor, kBlockBytes)) return;
  std::byte* to = instruction.Write(*dst.tensor, Halves(plan, dst, upper), 1);
  if (!instruction.ok()) return;
  std::array<int16_t, kLanes> values;
  std::array<uint8_t, kRepeatBytes> shadows;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    GatherLanes(from, repeat, mask.End(), reinterpret_cast<std::byte*>(values.data()), shadows.data());
    for (uint32_t lane = 0; lane < mask.End(); ++lane) {
      if (!mask.Has(lane)) continue;
      const uint64_t block = uint64_t{repeat} * dst.repeat_stride + uint64_t{lane / kOfABlock} * dst.block_stride;
      std::byte* at = to + block * kBlockBytes + lane % kOfABlock;
      *at = static_cast<std::byte>(parameters[lane % kOfABlock].Convert(values[lane]));
      *core.Shadow(at) = shadows[2 * lane] & shadows[2 * lane + 1];
    }
  }
  instruction.Issue(Compute::kCast, TypeOf(*dst.tensor), plan.Active(), plan.repeats, Element::kInt16);
}

}  // namespace kernelsmith::emulator::vector

extern "C" void kse_vector_dequantise(const kse_operand* dst, const kse_operand* src, const kse_lanes* lanes,
                                      bool by_lane, bool upper, const kse_where* where) {
  using namespace kernelsmith::emulator;
  vector::Dequantise(Core::Current(), *dst, *src, *lanes, by_lane, upper, *where);
}
