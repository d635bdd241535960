// The command lines that turn a candidate's files into shared objects, by version of the toolkit. Pure.
//
// Automatic synchronisation is pinned: a kernel that is right only because the compiler inserted a barrier must be
// compiled the same way for ever, and the flag is part of the report.
#pragma once

#include <string>
#include <vector>

#include "worker/toolchains/ascend/cann_root.h"
#include "worker/toolchains/ascend/soc_table.h"

namespace kernelsmith::worker {

// Flags of the kernel's compilation, as reported: without the program and without files. `sanitized` adds what
// mssanitizer needs.
std::vector<std::string> KernelFlags(const CannRoot& root, const SocArchitecture& architecture, bool sanitized = false);

// bisheng `source` -> `object`.
std::vector<std::string> KernelCommand(const CannRoot& root, const SocArchitecture& architecture,
                                       const std::string& source, const std::string& object, bool sanitized = false);

// g++ `source` -> `object` with ks_plan; `include` is the folder of <kernelsmith/plan_abi.h>.
std::vector<std::string> PlanCommand(const CannRoot& root, const std::string& include, const std::string& source,
                                     const std::string& object);

}  // namespace kernelsmith::worker
