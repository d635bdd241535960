// Which rounding modes Cast documents for which pair of types (Atlas A2 and A3).
#pragma once

#include <cstdint>
#include <string>

#include "worker/emulator/device/vector/lanes.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::vector {

bool RoundingAllowed(Element to, Element from, Rounding mode);
// "CAST_RINT, CAST_FLOOR or CAST_NONE".
std::string RoundingsAllowed(Element to, Element from);
std::string RoundingName(uint8_t mode);

}  // namespace kernelsmith::emulator::vector
