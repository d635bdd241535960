// The screen of a kernel.asc: device code alone. Host code, launches, assembly, headers of the host and names that
// belong to the worker or the toolkit's inside are refused, each with its line and rule. It explains itself; the
// defence is the comparison of the compiled object. Pure.
#pragma once

#include <vector>

#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::worker {

// One diagnostic of severity ERROR per finding, in order of lines. Rules: host-code, launch, assembly, host-include,
// include-path, constructor, macro, reserved-name.
std::vector<v1::Diagnostic> ScreenKernel(const v1::SourceFile& kernel);

}  // namespace kernelsmith::worker
