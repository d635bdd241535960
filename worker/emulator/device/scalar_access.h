// Loads and stores of the scalar unit: GetValue and SetValue, and the raw pointers of a kernel, whose accesses the
// compiler reports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulator/device/core.h"

namespace kernelsmith::emulator {

// Checks and records an access of at most 8 bytes through a tensor; the value goes by its bits. A forbidden read gives
// 0.
uint64_t LoadScalar(Core& core, const Tensor& tensor, uint64_t byte_offset, uint32_t bytes, const Where& where);
void StoreScalar(Core& core, const Tensor& tensor, uint64_t byte_offset, uint32_t bytes, uint64_t value,
                 const Where& where);

// A raw access that code of the kernel is about to make. Does not return if it is forbidden: it could not be skipped.
void CheckRawAccess(uintptr_t address, size_t bytes, bool store);

// Fills in how much of a plain write to global memory changes nothing (Record.c, Record.d): equal bytes at the start
// and at the end. `before` is what is there, `after` what comes.
void NoteUnchanged(Record& record, const std::byte* before, const std::byte* after, size_t bytes);

}  // namespace kernelsmith::emulator
