#include "worker/emulator/device/vector/reduce.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

constexpr uint32_t kMaxLanes = 128;

// The type's arithmetic on floats.
struct Format {
  Element type;
  bool saturate;

  float Load(const std::byte* from) const {
    if (type == Element::kFloat) {
      float value;
      std::memcpy(&value, from, 4);
      return value;
    }
    uint16_t half;
    std::memcpy(&half, from, 2);
    return HalfToFloat(half);
  }
  float Round(float value) const {
    if (type == Element::kFloat) return value;
    return HalfToFloat(Half(value));
  }
  uint64_t Bits(float value) const { return type == Element::kFloat ? FloatBits(value) : Half(value); }
  uint32_t bytes() const { return type == Element::kFloat ? 4 : 2; }
  uint32_t lanes() const { return kRepeatBytes / bytes(); }

 private:
  uint16_t Half(float value) const {
    uint16_t half = FloatToHalf(value, Rounding::kRint);
    if (saturate && (half & 0x7fff) > 0x7c00) half = 0;
    if (saturate && (half & 0x7fff) == 0x7c00) --half;
    return half;
  }
};

// Sum of `n` values, a power of two; neighbours first. Overwrites them.
float TreeSum(const Format& format, float* values, uint32_t n) {
  for (uint32_t width = n; width > 1; width /= 2) {
    for (uint32_t i = 0; i < width / 2; ++i) values[i] = format.Round(values[2 * i] + values[2 * i + 1]);
  }
  return values[0];
}

struct Extreme {
  float value = 0;
  uint64_t index = 0;
  bool found = false;

  void Offer(float candidate, uint64_t at, bool maximum) {
    const bool is_nan = candidate != candidate;
    const bool better = maximum ? candidate > value : candidate < value;
    if (!found || (value == value && (is_nan || better))) *this = {candidate, at, true};
  }
};

bool AllOnes(const uint8_t* shadows, uint32_t bytes) { return std::memchr(shadows, 0, bytes) == nullptr; }

// One repeat of a source, as floats.
struct Lanes {
  std::array<float, kMaxLanes> values;
  std::array<bool, kMaxLanes> defined;

  void Load(const Format& format, const Operand& src, uint32_t repeat, uint32_t end) {
    std::array<std::byte, kRepeatBytes> bytes;
    std::array<uint8_t, kRepeatBytes> shadows;
    GatherLanes(src, repeat, end, bytes.data(), shadows.data());
    for (uint32_t i = 0; i < end; ++i) {
      values[i] = format.Load(bytes.data() + i * format.bytes());
      defined[i] = AllOnes(shadows.data() + i * format.bytes(), format.bytes());
    }
  }
};

bool SupportedType(Instruction& instruction, Element type) {
  if (type == Element::kFloat || type == Element::kHalf) return true;
  instruction.Forbid(absl::StrCat(std::string(TypeName(type)), " is not supported on dav-2201; reduce half or float"));
  return false;
}

Compute ComputeOf(kse_reduction reduction) {
  switch (reduction) {
    case KSE_REDUCE_MAX:
      return Compute::kReduceMax;
    case KSE_REDUCE_MIN:
      return Compute::kReduceMin;
    case KSE_REDUCE_SUM:
      break;
  }
  return Compute::kReduceSum;
}

// What a group of results occupies per repeat.
struct Output {
  uint32_t bytes;    // of one result
  uint32_t results;  // per repeat
  uint32_t unit;     // bytes that a repeat stride of 1 means
  uint32_t alignment;
};

Output OutputOf(const Format& format, kse_reduction reduction, kse_reduce_group group, kse_reduce_order order) {
  const uint32_t e = format.bytes();
  if (group == KSE_GROUP_BLOCK) return {.bytes = e, .results = 8, .unit = 8 * e, .alignment = 8 * e};
  if (group == KSE_GROUP_PAIR) {
    return {.bytes = e, .results = format.lanes() / 2, .unit = kRepeatBytes / 2, .alignment = kBlockBytes};
  }
  uint32_t bytes = e;
  if (reduction != KSE_REDUCE_SUM) {
    bytes = order == KSE_ONLY_VALUE ? e : (order == KSE_ONLY_INDEX ? 4 : 2 * e);
  }
  return {.bytes = bytes, .results = 1, .unit = bytes, .alignment = bytes};
}

class Writer {
 public:
  Writer(const Format& format, const Operand& dst) : format_(format), dst_(dst) {}

  void Value(uint64_t byte, float value, bool defined) { Put(byte, format_.Bits(value), format_.bytes(), defined); }
  void Pair(uint64_t byte, const Extreme& extreme, kse_reduce_order order, bool defined) {
    const uint32_t e = format_.bytes();
    switch (order) {
      case KSE_VALUE_INDEX:
        Value(byte, extreme.value, defined);
        return Put(byte + e, extreme.index, e, defined);
      case KSE_INDEX_VALUE:
        Put(byte, extreme.index, e, defined);
        return Value(byte + e, extreme.value, defined);
      case KSE_ONLY_VALUE:
        return Value(byte, extreme.value, defined);
      case KSE_ONLY_INDEX:
        return Put(byte, extreme.index, 4, defined);
    }
  }

 private:
  void Put(uint64_t byte, uint64_t bits, uint32_t bytes, bool defined) {
    std::memcpy(dst_.data + byte, &bits, bytes);
    std::memset(dst_.shadow + byte, defined ? 1 : 0, bytes);
  }

  const Format& format_;
  const Operand& dst_;
};

// Sum, or extreme, of the active lanes in [begin, begin + n).
struct Group {
  bool any = false;
  bool defined = true;
  float sum = 0;
  Extreme extreme;

  Group(const Format& format, const Lanes& lanes, const Mask& mask, uint32_t begin, uint32_t n,
        kse_reduction reduction) {
    std::array<float, kMaxLanes> values;
    for (uint32_t i = 0; i < n; ++i) {
      const bool active = mask.Has(begin + i);
      values[i] = active ? lanes.values[begin + i] : 0.0f;
      if (!active) continue;
      any = true;
      defined = defined && lanes.defined[begin + i];
      if (reduction != KSE_REDUCE_SUM) extreme.Offer(values[i], begin + i, reduction == KSE_REDUCE_MAX);
    }
    if (reduction == KSE_REDUCE_SUM) sum = TreeSum(format, values.data(), n);
  }
};

}  // namespace

void Reduce(Core& core, const kse_operand& dst, const kse_operand& src, const kse_lanes& lanes, kse_reduction reduction,
            kse_reduce_group group, kse_reduce_order order, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Format format{.type = TypeOf(*src.tensor), .saturate = core.vector().saturate_float};
  if (!SupportedType(instruction, format.type)) return;
  const Plan plan = PlanOf(core, instruction, where, lanes, format.lanes());
  if (!instruction.ok() || plan.repeats == 0) return;
  const Operand from = Bind(core, instruction, src, plan, AccessKind::kRead);
  const Output output = OutputOf(format, reduction, group, order);
  const uint64_t stride = uint64_t{dst.repeat_stride} * output.unit;
  if (!instruction.ok() || !CheckAligned(instruction, *dst.tensor, output.alignment)) return;
  // Results of the groups that have an active lane.
  const uint32_t per_result = format.lanes() / output.results;
  const uint32_t used = (plan.End() + per_result - 1) / per_result;
  const uint32_t run = used * output.bytes;
  if (stride == run) {
    Declare(instruction, *dst.tensor, {.run_bytes = run * plan.repeats}, AccessKind::kWrite);
  } else {
    Declare(instruction, *dst.tensor,
            {.run_bytes = run, .repeats = plan.repeats, .repeat_stride = static_cast<uint32_t>(stride)},
            AccessKind::kWrite);
  }
  if (!instruction.ok()) return;
  const Operand to{.data = core.Arena(Space::kUb) + dst.tensor->address,
                   .shadow = core.Shadow(core.Arena(Space::kUb) + dst.tensor->address),
                   .lattice = {.bits = 8 * format.bytes()},
                   .type = format.type};
  Writer writer(format, to);
  Lanes values;
  Extreme overall;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    values.Load(format, from, repeat, mask.End());
    for (uint32_t i = 0; i < output.results; ++i) {
      const Group result(format, values, mask, i * per_result, per_result, reduction);
      if (!result.any) continue;
      const uint64_t byte = repeat * stride + uint64_t{i} * output.bytes;
      if (reduction == KSE_REDUCE_SUM) {
        writer.Value(byte, result.sum, result.defined);
      } else if (group == KSE_GROUP_REPEAT) {
        writer.Pair(byte, result.extreme, order, result.defined);
        overall.Offer(result.extreme.value, uint64_t{repeat} * format.lanes() + result.extreme.index,
                      reduction == KSE_REDUCE_MAX);
      } else {
        writer.Value(byte, result.extreme.value, result.defined);
      }
    }
  }
  if (overall.found) {
    core.vector().reduce_extreme = format.Bits(overall.value);
    core.vector().reduce_index = overall.index;
  }
  const Compute compute = group == KSE_GROUP_REPEAT  ? Compute::kWholeReduce
                          : group == KSE_GROUP_BLOCK ? Compute::kBlockReduce
                                                     : Compute::kPairReduce;
  instruction.Issue(compute, format.type, plan.Active(), plan.repeats);
}

namespace {

// Elements of workspace that ReduceMax and ReduceMin use, and repeats of all rounds (documentation of ReduceMax).
struct Rounds {
  uint64_t elements = 0;
  uint32_t repeats = 0;
};

Rounds RoundsOf(const Format& format, uint32_t repeats, bool pairs, bool keep) {
  const uint64_t block = kBlockBytes / format.bytes();
  const auto align = [block](uint64_t n) { return (n + block - 1) / block * block; };
  Rounds rounds{.repeats = repeats};
  uint64_t outputs = uint64_t{repeats} * (pairs ? 2 : 1);
  rounds.elements = align(outputs);
  while (outputs > (pairs ? 2u : 1u)) {
    const uint64_t next = (outputs + format.lanes() - 1) / format.lanes();
    rounds.repeats += static_cast<uint32_t>(next);
    outputs = next * (pairs ? 2 : 1);
    if (keep) rounds.elements += align(outputs);
    if (next == 1) break;
  }
  return rounds;
}

}  // namespace

void ReduceAll(Core& core, const kse_tensor* dst, const kse_operand& src, const kse_tensor* workspace,
               const kse_lanes& lanes, kse_reduction reduction, bool index, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Format format{.type = TypeOf(*src.tensor), .saturate = core.vector().saturate_float};
  if (!SupportedType(instruction, format.type)) return;
  const Plan plan = PlanOf(core, instruction, where, lanes, format.lanes(), /*any_repeats=*/true);
  if (!instruction.ok() || plan.repeats == 0) return;
  const Operand from = Bind(core, instruction, src, plan, AccessKind::kRead);
  const bool sum = reduction == KSE_REDUCE_SUM;
  const bool in_order = sum && (lanes.form == KSE_LANES_COUNT || dst == nullptr);
  const Rounds rounds = in_order ? Rounds{.repeats = plan.repeats} : RoundsOf(format, plan.repeats, !sum, index);
  Operand scratch;
  if (workspace != nullptr) {
    scratch = BindRange(core, instruction, *workspace, rounds.elements * format.bytes(), AccessKind::kWrite);
  }
  const uint32_t bytes = format.bytes() * (index ? 2 : 1);
  Operand to;
  if (dst != nullptr) to = BindRange(core, instruction, *dst, bytes, AccessKind::kWrite, bytes);
  if (!instruction.ok()) return;

  Lanes values;
  std::vector<float> sums;
  bool defined = true;
  Extreme extreme;
  for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Mask& mask = plan.MaskOf(repeat);
    values.Load(format, from, repeat, mask.End());
    const Group result(format, values, mask, 0, format.lanes(), reduction);
    defined = defined && result.defined;
    if (sum) {
      sums.push_back(result.sum);
    } else {
      const uint64_t base = uint64_t{repeat} * src.repeat_stride * kBlockBytes / format.bytes();
      extreme.Offer(result.extreme.value, base + result.extreme.index, reduction == KSE_REDUCE_MAX);
    }
  }
  // What is left in the workspace is nobody's business.
  if (scratch.data != nullptr) std::memset(scratch.shadow, 0, rounds.elements * format.bytes());
  Writer writer(format, to);
  VectorState& state = core.vector();
  if (!sum) {
    writer.Pair(0, extreme, index ? KSE_VALUE_INDEX : KSE_ONLY_VALUE, defined);
    state.reduce_extreme = format.Bits(extreme.value);
    state.reduce_index = extreme.index;
  } else {
    float total = 0;
    if (in_order) {
      for (const float part : sums) total = format.Round(total + part);
    } else {
      while (sums.size() > 1) {
        std::vector<float> next;
        for (size_t at = 0; at < sums.size(); at += format.lanes()) {
          std::array<float, kMaxLanes> tree{};
          std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(at),
                      std::min<size_t>(format.lanes(), sums.size() - at), tree.begin());
          next.push_back(TreeSum(format, tree.data(), format.lanes()));
        }
        sums = std::move(next);
      }
      total = sums.front();
    }
    if (dst != nullptr) writer.Value(0, total, defined);
    state.accumulated = static_cast<int64_t>(format.Bits(total));
  }
  instruction.Issue(ComputeOf(reduction), format.type, plan.Active(), rounds.repeats);
}

}  // namespace kernelsmith::emulator::vector

extern "C" {

using kernelsmith::emulator::Core;

void kse_vector_reduce(const kse_operand* dst, const kse_operand* src, const kse_lanes* lanes, uint8_t reduction,
                       uint8_t group, uint8_t order, const kse_where* where) {
  kernelsmith::emulator::vector::Reduce(Core::Current(), *dst, *src, *lanes, static_cast<kse_reduction>(reduction),
                                        static_cast<kse_reduce_group>(group), static_cast<kse_reduce_order>(order),
                                        *where);
}

void kse_vector_reduce_all(const kse_tensor* dst, const kse_operand* src, const kse_tensor* workspace,
                           const kse_lanes* lanes, uint8_t reduction, bool index, const kse_where* where) {
  kernelsmith::emulator::vector::ReduceAll(Core::Current(), dst, *src, workspace, *lanes,
                                           static_cast<kse_reduction>(reduction), index, *where);
}

uint64_t kse_vector_accumulated() { return static_cast<uint64_t>(Core::Current().vector().accumulated); }

void kse_vector_extreme(uint64_t* value, uint64_t* index) {
  *value = Core::Current().vector().reduce_extreme;
  *index = Core::Current().vector().reduce_index;
}
}
