#include "worker/emulator/device/vector/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/lanes.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"
#include "worker/emulator/device/vector/rounding_rules.h"

namespace kernelsmith::emulator::vector {
namespace {

struct Sources {
  Operand a;
  Operand b;
  Operand d;  // the destination as a source
};

// A repeat's worth of lanes, in order.
struct Buffer {
  alignas(32) std::array<std::byte, kRepeatBytes> values;
  std::array<uint8_t, kRepeatBytes> shadows;
};

bool Overlap(const std::byte* a, uint64_t a_bytes, const std::byte* b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// Whether all lanes can be computed as one array: no gaps, and sources that are the destination or apart from it.
bool IsArray(const Plan& plan, const Operand& dst, const Operand& src) {
  if (src.data == nullptr) return true;
  if (!src.lattice.Flat(plan)) return false;
  if (src.data == dst.data && src.bits() == dst.bits()) return true;
  const uint64_t n = plan.Active();
  return !Overlap(dst.data, dst.lattice.BytesOf(n), src.data, src.lattice.BytesOf(n));
}

void DefineArray(Core& core, const Operand& dst, const Sources& sources, uint64_t n) {
  bool all = true;
  for (const Operand* source : {&sources.a, &sources.b, &sources.d}) {
    if (source->data != nullptr) all = all && core.AllDefined(source->data, source->lattice.BytesOf(n));
  }
  if (all) {
    core.SetDefined(dst.data, dst.lattice.BytesOf(n));
    return;
  }
  constexpr uint32_t kPart = 1024;
  std::array<uint8_t, kPart> defined;
  for (uint64_t at = 0; at < n; at += kPart) {
    const uint32_t lanes = static_cast<uint32_t>(std::min<uint64_t>(kPart, n - at));
    std::memset(defined.data(), 1, lanes);
    for (const Operand* source : {&sources.a, &sources.b, &sources.d}) {
      if (source->data == nullptr) continue;
      MergeDefined(source->shadow + source->lattice.BytesOf(at), source->bits(), lanes, defined.data());
    }
    SpreadDefined(defined.data(), dst.bits(), lanes, dst.shadow + dst.lattice.BytesOf(at));
  }
}

void ComputeRepeats(LaneFunction lanes, LaneArguments arguments, const Plan& plan, const Operand& dst,
                    const Sources& sources) {
  Buffer a, b, d;
  std::array<uint8_t, kRepeatBytes> defined;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    const uint32_t end = mask.End();
    std::memset(defined.data(), 1, end);
    const auto fetch = [&](const Operand& source, Buffer& buffer) {
      if (source.data == nullptr) return;
      // Lanes between active ones may lie outside of what was checked for gaps between blocks, but never outside the
      // memory: the highest lane is inside.
      GatherLanes(source, repeat, end, buffer.values.data(), buffer.shadows.data());
      MergeDefined(buffer.shadows.data(), source.bits(), end, defined.data());
    };
    fetch(sources.a, a);
    fetch(sources.b, b);
    fetch(sources.d, d);
    arguments.d = d.values.data();
    arguments.a = a.values.data();
    arguments.b = b.values.data();
    arguments.n = end;
    arguments.first = uint64_t{repeat} * plan.lanes;
    lanes(arguments);
    SpreadDefined(defined.data(), dst.bits(), end, d.shadows.data());
    ScatterLanes(dst, repeat, mask, d.values.data(), d.shadows.data());
  }
}

// Within one repeat, source and destination have to be the same or apart.
void CheckOverlap(Instruction& instruction, const Plan& plan, const Operand& dst, const Operand& src) {
  if (src.data == nullptr || src.data == dst.data || plan.repeats == 0) return;
  const uint32_t end = plan.End();
  const bool plain = dst.lattice.block_stride == 1 && src.lattice.block_stride == 1;
  if (plain && Overlap(dst.data, dst.lattice.BytesOf(end), src.data, src.lattice.BytesOf(end))) {
    instruction.Forbid(
        "destination and source overlap in part within one repeat; let them be the same tensor or apart");
  }
}

}  // namespace

void Elementwise(Core& core, const kse_vector_call& call, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const auto operation = static_cast<kse_vector_operation>(call.operation);
  const Shape shape = ShapeOf(operation);
  const Element to = TypeOf(*call.dst.tensor);
  const Element from = shape.a ? TypeOf(*call.a.tensor) : to;
  const LaneFunction lanes = FindLanes(operation, to, from);
  if (lanes == nullptr) {
    instruction.Forbid(
        absl::StrCat(std::string(TypeName(from)), " to ", std::string(TypeName(to)), " is not supported on dav-2201"));
    return;
  }
  if (operation == KSE_CAST && !RoundingAllowed(to, from, static_cast<Rounding>(call.rounding))) {
    instruction.Forbid(absl::StrCat("rounding mode ", RoundingName(call.rounding), " is not supported from ",
                                    std::string(TypeName(from)), " to ", std::string(TypeName(to)), "; use ",
                                    RoundingsAllowed(to, from)));
    return;
  }
  const uint32_t wide = std::max({ElementBits(to), ElementBits(from), 16u});
  const Plan plan = PlanOf(core, instruction, where, call.lanes, kRepeatBytes * 8 / wide);
  if (!instruction.ok() || plan.repeats == 0) return;

  Sources sources;
  if (operation == KSE_DUPLICATE_FIRST) {
    sources.a = BindRange(core, instruction, *call.a.tensor, ElementBits(from) / 8, AccessKind::kRead);
  } else if (shape.a) {
    sources.a = Bind(core, instruction, call.a, plan, AccessKind::kRead);
  }
  if (shape.b) sources.b = Bind(core, instruction, call.b, plan, AccessKind::kRead);
  if (shape.d) sources.d = Bind(core, instruction, call.dst, plan, AccessKind::kRead);
  const Operand dst = Bind(core, instruction, call.dst, plan, AccessKind::kWrite);
  if (!instruction.ok()) return;
  if (operation != KSE_DUPLICATE_FIRST) {
    CheckOverlap(instruction, plan, dst, sources.a);
    CheckOverlap(instruction, plan, dst, sources.b);
    if (!instruction.ok()) return;
  }

  const VectorState& state = core.vector();
  LaneArguments arguments{
      .rounding = call.rounding, .saturate_float = state.saturate_float, .saturate_cast = state.saturate_cast};
  if (operation == KSE_DEQUANT || operation == KSE_ADD_DEQUANT_RELU) {
    arguments.scalar = HalfToFloat(static_cast<uint16_t>(state.deq_scale));
  } else if (shape.scalar) {
    arguments.scalar = ScalarFloat(call.scalar, from);
    arguments.integer = ScalarInteger(call.scalar, from);
  }
  std::byte first[8];
  bool first_defined = true;
  if (operation == KSE_DUPLICATE_FIRST) {
    // The source may be inside the destination: take it before anything is written.
    std::memcpy(first, sources.a.data, ElementBits(from) / 8);
    first_defined = core.AllDefined(sources.a.data, ElementBits(from) / 8);
    sources.a.data = nullptr;
    std::memcpy(&arguments.integer, first, ElementBits(from) / 8);
  }
  const LaneFunction compute = operation == KSE_DUPLICATE_FIRST ? FindLanes(KSE_DUPLICATE, to, to) : lanes;

  const uint64_t active = plan.Active();
  if (plan.Dense() && dst.lattice.Flat(plan) && IsArray(plan, dst, sources.a) && IsArray(plan, dst, sources.b)) {
    arguments.d = dst.data;
    arguments.a = sources.a.data;
    arguments.b = sources.b.data;
    arguments.n = active;
    compute(arguments);
    DefineArray(core, dst, sources, active);
  } else {
    ComputeRepeats(compute, arguments, plan, dst, sources);
  }
  if (!first_defined) {
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
      const Mask& mask = plan.MaskOf(repeat);
      for (uint32_t lane = 0; lane < mask.End(); ++lane) {
        if (mask.Has(lane)) std::memset(dst.shadow + dst.lattice.ByteOf(repeat, lane), 0, dst.bits() / 8);
      }
    }
  }
  instruction.Issue(shape.compute, to, active, plan.repeats, from);
}

}  // namespace kernelsmith::emulator::vector

extern "C" void kse_vector_elementwise(const kse_vector_call* call, const kse_where* where) {
  using namespace kernelsmith::emulator;
  vector::Elementwise(Core::Current(), *call, *where);
}
