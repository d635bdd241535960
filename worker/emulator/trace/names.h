// How the enumerations of trace.h are called in files, messages and reports.
#pragma once

#include <optional>
#include <string_view>

#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL": as in PIPE_V and HardEvent::MTE2_V.
const char* PipeName(Pipe pipe);

// "UB", "L1", ..., "global memory".
const char* SpaceName(Space space);

// "Add" for Compute::kAdd: the name without its k, as in SoC files; nullopt for what does not exist.
std::optional<Compute> ComputeByName(std::string_view name);
std::optional<Element> ElementByName(std::string_view name);

}  // namespace kernelsmith::emulator
