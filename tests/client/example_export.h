// A small export, as a server sends it and as it stands in a file.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

// A manifest, `records` attempts and items in turn, a closing row; all with their hashes.
std::vector<v1::ExchangeRow> ExampleExport(int records);

// One line a row.
std::string ExportLines(const std::vector<v1::ExchangeRow>& rows);

}  // namespace kernelsmith::client
