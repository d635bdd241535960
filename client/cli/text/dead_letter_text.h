// Dead letters as a table.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::client {

std::string DeadLetterList(const std::vector<v1::DeadLetter>& letters);

}  // namespace kernelsmith::client
