// The command-line program as a function, so that tests run it in their own process.
#pragma once

#include <string>
#include <vector>

#include "client/cli/session.h"

namespace kernelsmith::client {

// `arguments` without the program's name. Returns the exit code; never throws.
int RunProgram(std::vector<std::string> arguments, const Surroundings& surroundings);

}  // namespace kernelsmith::client
