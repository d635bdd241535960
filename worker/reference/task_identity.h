// Name and hash of a task, from its source alone. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::worker {

// sha256 in hexadecimal over format, sources, overrides and type. The name of a KernelBench file does not count: the
// same text under another name is the same task.
std::string TaskHash(const v1::TaskSource& source);

// Lower-case identifier from a file name: without folders, extension, leading number and trailing underscores.
// "1_Square_matrix_multiplication_.py" gives "square_matrix_multiplication"; "" if nothing is left.
std::string TaskNameOf(absl::string_view file_name);

}  // namespace kernelsmith::worker
