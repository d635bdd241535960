// Values of integer constant expressions in kernel source: tile sizes, buffer lengths.
//
//   Constants constants = {{"kTile", 4096}};
//   Evaluate(Tokenize("2 * kTile * sizeof(float)"), constants)   // 32768
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/coldstart/code_tokens.h"

namespace kernelsmith::common {

using Constants = std::map<std::string, int64_t, std::less<>>;

// + - * / % << and brackets over numbers, known names and sizeof of the element types of kernels; nothing if the
// tokens are something else, divide by zero or leave 64 bits.
std::optional<int64_t> Evaluate(const std::vector<Token>& tokens, const Constants& constants);

// Bytes of an element type ("half", "float", "int32_t", ...); 0 if it is none.
int64_t BytesOfType(const std::string& type);

}  // namespace kernelsmith::common
