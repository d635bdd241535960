// Registers of the vector unit that calls set or read: masks, scale, saturation, comparison.

#include <cstring>

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/vector/operands.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace {

using kernelsmith::emulator::AccessKind;
using kernelsmith::emulator::Compute;
using kernelsmith::emulator::Core;
using kernelsmith::emulator::Element;
using kernelsmith::emulator::Instruction;
using kernelsmith::emulator::Kind;
using kernelsmith::emulator::Pipe;
using kernelsmith::emulator::VectorState;
namespace vector = kernelsmith::emulator::vector;

constexpr uint64_t kMaskBytes = 16;

VectorState& State() { return Core::Current().vector(); }

}  // namespace

extern "C" {

void kse_vector_set_mask(uint64_t high, uint64_t low) {
  State().mask_high = high;
  State().mask_low = low;
}

void kse_vector_set_mask_length(int64_t length, bool counter) {
  const uint64_t lanes = length < 0 ? 0 : static_cast<uint64_t>(length);
  const vector::Mask mask =
      counter ? vector::Mask{.low = lanes, .high = 0} : vector::Mask::Prefix(lanes > 128 ? 128 : lanes);
  kse_vector_set_mask(mask.high, mask.low);
}

void kse_vector_set_count_mode(bool counter) { State().count_mode = counter; }

void kse_vector_set_deq_scale(uint64_t bits) { State().deq_scale = bits; }

void kse_vector_set_saturation(bool casts, bool on) { (casts ? State().saturate_cast : State().saturate_float) = on; }

bool kse_vector_saturation(bool casts) { return casts ? State().saturate_cast : State().saturate_float; }

uint64_t kse_vector_compare_mask() { return State().compare_mask[0]; }

void kse_vector_get_compare_mask(const kse_tensor* dst, const kse_where* where) {
  Core& core = Core::Current();
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, *where);
  const vector::Operand to = vector::BindRange(core, instruction, *dst, kMaskBytes, AccessKind::kWrite, 16);
  if (!instruction.ok()) return;
  std::memcpy(to.data, State().compare_mask, kMaskBytes);
  std::memset(to.shadow, 1, kMaskBytes);
  instruction.Issue(Compute::kOther, Element::kUint64, 2, 1);
}

void kse_vector_set_compare_mask(const kse_tensor* src, const kse_where* where) {
  Core& core = Core::Current();
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, *where);
  const vector::Operand from = vector::BindRange(core, instruction, *src, kMaskBytes, AccessKind::kRead, 16);
  if (!instruction.ok()) return;
  std::memcpy(State().compare_mask, from.data, kMaskBytes);
  instruction.Issue(Compute::kOther, Element::kUint64, 2, 1);
}
}
