// Instructions that move elements or blocks to other places: GatherMask, Gather, Gatherb, Brcb.
#pragma once

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace kernelsmith::emulator::vector {

// Elements whose bit is set, one after another. Fixed patterns (pattern null): 1 even, 2 odd lanes, 3 to 6 one of
// every four, 7 all. counter: a repeat is `mask` elements long, else 256 bytes. Returns how many were kept.
uint64_t GatherMask(Core& core, const kse_tensor& dst, const kse_operand& src, const kse_operand* pattern,
                    uint8_t fixed, bool counter, uint32_t mask, int32_t repeats, const kse_where& where);

// dst[i] = element at byte base + offsets[i] of src.
void Gather(Core& core, const kse_operand& dst, const kse_tensor& src, const kse_tensor& offsets, uint32_t base,
            const kse_lanes& lanes, const kse_where& where);

// Blocks of 32 bytes, eight a repeat.
void GatherBlocks(Core& core, const kse_operand& dst, const kse_tensor& src, const kse_tensor& offsets, int32_t repeats,
                  const kse_where& where);

// Every element of src fills a block of dst; eight elements a repeat.
void FillBlocks(Core& core, const kse_operand& dst, const kse_tensor& src, int32_t repeats, const kse_where& where);

}  // namespace kernelsmith::emulator::vector
