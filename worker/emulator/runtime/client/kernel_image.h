// The names that a device image exports. The image comes from outside: every offset is checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelsmith::emulator::acl {

// Functions that an ELF64 shared object defines for others. Empty if it is none, or damaged.
std::vector<std::string> ExportedFunctions(const void* elf, size_t bytes);

// Which of the exported (mangled) names a program means by `name`: the same one, else the only function whose name,
// without namespaces, template and arguments, is `name`. Empty if there is none, or more than one.
std::string ResolveKernel(const std::vector<std::string>& exported, std::string_view name);

}  // namespace kernelsmith::emulator::acl
