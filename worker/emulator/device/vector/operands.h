// From a call's arguments to lanes and memory: what every masked instruction of the vector unit shares.
//
// Example:
//   Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
//   const Plan plan = PlanOf(core, instruction, where, call.lanes, 128, 16);
//   const Operand a = Bind(core, instruction, call.a, plan, AccessKind::kRead);
//   if (!instruction.ok() || plan.repeats == 0) return;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/vector/lanes.h"
#include "worker/emulator/device/vector/plan.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace kernelsmith::emulator::vector {

constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kBlockBytes = 32;

// An operand in memory. data is null for a source the operation does not have.
struct Operand {
  std::byte* data = nullptr;
  uint8_t* shadow = nullptr;
  Lattice lattice;
  Element type = Element::kNone;

  uint32_t bits() const { return lattice.bits; }
};

inline Element TypeOf(const kse_tensor& tensor) { return static_cast<Element>(tensor.element); }

// "float", "half", ... as kernels spell them.
std::string_view TypeName(Element type);

// Lanes of the call. Sets and resets mask registers as the documents say: the count form leaves normal mode and a full
// mask, the mask forms leave their mask. Findings: negative counts, repeats beyond 255 (unless `any_repeats`), masks
// beyond the lanes (a note: the device computes all lanes).
Plan PlanOf(Core& core, Instruction& instruction, const kse_where& where, const kse_lanes& lanes, uint32_t lane_count,
            bool any_repeats = false);

// Bounds, alignment and accesses of an operand; for writes and reads of the destination call it twice. A stride of 0
// blocks in a destination of several blocks is forbidden.
Operand Bind(Core& core, Instruction& instruction, const kse_operand& operand, const Plan& plan, AccessKind kind,
             uint32_t alignment = kBlockBytes);

// Finding kMisaligned unless the operand starts at a multiple of `alignment` bytes.
bool CheckAligned(Instruction& instruction, const kse_tensor& tensor, uint32_t alignment);
// Declares one access of an operand whose alignment is checked.
void Declare(Instruction& instruction, const kse_tensor& tensor, const Span& span, AccessKind kind);

// A plain range.
Operand BindRange(Core& core, Instruction& instruction, const kse_tensor& tensor, uint64_t bytes, AccessKind kind,
                  uint32_t alignment = kBlockBytes);

// Copies lanes of one repeat between memory and an array in order of lanes; `end` lanes.
void GatherLanes(const Operand& from, uint32_t repeat, uint32_t end, std::byte* values, uint8_t* shadows);
// Only active lanes change.
void ScatterLanes(const Operand& to, uint32_t repeat, const Mask& mask, const std::byte* values,
                  const uint8_t* shadows);

// Lane i of the result is defined if all of its bytes in the source are. ANDed into `lanes`, a byte a lane.
void MergeDefined(const uint8_t* shadows, uint32_t bits, uint32_t lanes, uint8_t* defined);
// A byte a lane to the bytes of each lane.
void SpreadDefined(const uint8_t* defined, uint32_t bits, uint32_t lanes, uint8_t* shadows);

// A scalar's bits, in the element's type.
float ScalarFloat(uint64_t bits, Element type);
int64_t ScalarInteger(uint64_t bits, Element type);

}  // namespace kernelsmith::emulator::vector
