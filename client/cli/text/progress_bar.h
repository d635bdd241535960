// How far long work has come, as text.
#pragma once

#include <cstdint>
#include <string>

namespace kernelsmith::client {

struct ProgressState {
  int64_t done = 0;
  int64_t total = 0;   // 0: unknown
  std::string detail;  // for example "120 rows"
};

// "importing [########--------]  50 %, 120 rows", at most `width` columns; without a bar if the total is unknown.
std::string ProgressBar(const std::string& activity, const ProgressState& state, size_t width);

// "importing: 50 %, 120 rows", for logs.
std::string ProgressLine(const std::string& activity, const ProgressState& state);

}  // namespace kernelsmith::client
