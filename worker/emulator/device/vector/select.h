// Comparison to bits, and selection by bits.
//
// Bits lie in order of lanes, the lowest first. A byte of bits is defined if all of its lanes are.
#pragma once

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace kernelsmith::emulator::vector {

// dst null: to the compare register, one repeat. b null: against the scalar.
void Compare(Core& core, const kse_tensor* dst, const kse_operand& a, const kse_operand* b, uint64_t scalar,
             kse_compare mode, const kse_lanes& lanes, const kse_where& where);

// selector null: the compare register. b null: the scalar.
void Select(Core& core, const kse_operand& dst, const kse_tensor* selector, const kse_operand& a, const kse_operand* b,
            uint64_t scalar, bool per_repeat, const kse_lanes& lanes, const kse_where& where);

}  // namespace kernelsmith::emulator::vector
