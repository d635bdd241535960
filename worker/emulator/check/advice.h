// The sentences of findings: what happened, to what, what to do.
#pragma once

#include <string>

#include "worker/emulator/check/check.h"

namespace kernelsmith::emulator {

// A race inside a core; `finding` has places, hazard, space and bytes. `auto_sync_would_help`: the compiler inserts
// this edge when --cce-auto-sync is on.
std::string RaceText(const Finding& finding, bool auto_sync_would_help);

// Two blocks and no barrier between: hazard RAW or WAR (unordered) or WAW (conflict).
std::string AcrossText(const Finding& finding);

// Two writes of the same values, ordered by nothing.
std::string EqualValuesText(const Finding& finding);

}  // namespace kernelsmith::emulator
