// What the banks of UB cost a vector instruction. UB is made of groups of banks: neighbouring blocks of 32 bytes lie in
// neighbouring groups, and after `bank_bytes` each group goes on with its next bank. In one cycle a group delivers one
// block and takes one; so a repeat whose blocks fall into one group takes as many cycles as there are blocks. A bank
// that is read while the repeat before it is still being written there costs more (CANN docs, avoiding bank conflicts
// of UB).
//
// Example: two sources 0x4000 bytes apart share all groups: 2 cycles a repeat; 0x10100 apart they share none: 1 cycle.
//   Banks banks(16, 65536);
//   banks.Of(entry).access;
#pragma once

#include <array>
#include <cstdint>

#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {

// Averages over the repeats of an instruction.
struct BankCycles {
  double access = 1;   // cycles of the busiest group
  double clashes = 0;  // repeats that read a bank which is being written
};

class Banks {
 public:
  Banks(uint32_t groups, uint64_t bank_bytes) : groups_(groups), bank_bytes_(bank_bytes) {}

  // Of a vector instruction that counts its repeats; {1, 0} for any other record. Remembers what it computed for the
  // same places before.
  BankCycles Of(const Entry& entry);

 private:
  struct Known {
    uint64_t key = 0;
    BankCycles cycles;
  };
  static constexpr size_t kKnown = 256;

  BankCycles Compute(const Entry& entry) const;

  uint32_t groups_;
  uint64_t bank_bytes_;
  std::array<Known, kKnown> known_;
};

}  // namespace kernelsmith::emulator
