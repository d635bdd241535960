// Sums of a query's table over the codes of a block: what the scan of codes spends its time on.
//
// Integer arithmetic: every instruction set gives the same sums. Chosen once, when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/retrieval/vector/scan_codes.h"

namespace kernelsmith::memory {

// Contributions are 0 to 127, so that two fit in a byte.
inline constexpr int kGreatestContribution = 127;

// sums[r] = over the groups, table[group * 64 + code of row r in the group], for the 64 rows of a block. The 16 entries
// of a group are there four times over. Returns a bit for each row whose sum is greater than `threshold`. REQUIRES: all
// aligned to 64 bytes; groups is even and at most 256; threshold is -1 to 32767.
using CodeSums = uint64_t (*)(const uint8_t* block, const uint8_t* table, size_t groups, int threshold, uint16_t* sums);

extern const CodeSums SumCodes;

struct CodeSumsPath {
  const char* name;  // "scalar", "avx2", "avx512bw", "neon"
  CodeSums function;
};

// Those that run on this processor; "scalar" first, the fastest last.
std::vector<CodeSumsPath> CodeSumsPaths();

}  // namespace kernelsmith::memory
