// The Python files of the reference process, compiled in from worker/reference/python.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

struct PythonSource {
  const char* name;  // for example "reference.py", the one to run
  absl::string_view text;
};

const std::vector<PythonSource>& ReferencePythonSources();

}  // namespace kernelsmith::worker
