// Reductions: per repeat, per block, per pair of neighbours, or of everything.
//
// Sums are binary trees of neighbours, rounded to the element type at every node; ReduceSum over the first n elements
// adds the sums of repeats in order (documentation of ReduceSum, Atlas A2). A maximum or minimum comes with the lowest
// index that has it; a NaN wins. A result is defined if all active lanes of its group are; groups without an active
// lane leave the destination alone.
#pragma once

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace kernelsmith::emulator::vector {

void Reduce(Core& core, const kse_operand& dst, const kse_operand& src, const kse_lanes& lanes, kse_reduction reduction,
            kse_reduce_group group, kse_reduce_order order, const kse_where& where);

void ReduceAll(Core& core, const kse_tensor* dst, const kse_operand& src, const kse_tensor* workspace,
               const kse_lanes& lanes, kse_reduction reduction, bool index, const kse_where& where);

}  // namespace kernelsmith::emulator::vector
