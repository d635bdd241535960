// Instructions that compute every lane on its own: arithmetic, logic, conversions, fills. One function for all; what
// differs is a row of lanes.h.
//
// Definedness: a lane of the result is defined if its sources are. Lanes that a mask excludes keep their bytes and
// their definedness.
#pragma once

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/vector_abi.h"

namespace kernelsmith::emulator::vector {

void Elementwise(Core& core, const kse_vector_call& call, const kse_where& where);

}  // namespace kernelsmith::emulator::vector
