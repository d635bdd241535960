// Cards as a table.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::client {

std::string CardList(const std::vector<v1::Card>& cards);

}  // namespace kernelsmith::client
