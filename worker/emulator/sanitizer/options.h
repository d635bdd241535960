// The command line of mssanitizer, as far as a machine without a card can serve it.
//
//   mssanitizer -t memcheck --leak-check=yes --kernel-name=add --log-file=found.txt -- ./app arguments
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

enum class SanitizerTool { kMemcheck, kRacecheck, kInitcheck, kSynccheck };

struct SanitizerOptions {
  SanitizerTool tool = SanitizerTool::kMemcheck;
  bool leak_check = false;
  std::string kernel_name;   // part of the names to look at; empty: all
  std::optional<int> block;  // only findings of that block
  std::string log_file;      // instead of the console
  bool help = false;
  std::vector<std::string> program;
};

// INVALID_ARGUMENT names the word that is not understood. Options that only matter to a card's own tool (--cache-size,
// --full-backtrace, --demangle, --check-unused-memory) are accepted.
absl::StatusOr<SanitizerOptions> ParseSanitizerOptions(const std::vector<std::string>& words);

std::string SanitizerUsage();

}  // namespace kernelsmith::emulator
