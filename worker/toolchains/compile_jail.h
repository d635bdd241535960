// One compiler run inside a jail: what every toolchain does with a command line and a folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/jail/jail.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

struct CompilerRun {
  std::vector<std::string> argv;
  std::string folder;                                          // writable inside, and the current directory
  std::vector<std::pair<std::string, std::string>> env;        // empty: a plain one
  std::vector<std::pair<std::string, std::string>> read_only;  // as in JailSpec
};

struct CompilerEnd {
  CompileOutcome outcome = CompileOutcome::kError;
  ExitReport report;
};

absl::StatusOr<CompilerEnd> RunCompiler(CompilerRun run, const CompileLimits& limits);

// What the compiler at argv[0] prints about itself. FAILED_PRECONDITION if it does not end well.
absl::StatusOr<std::string> AskCompiler(CompilerRun run);

// A file that was made under the influence of untrusted sources: no links, no devices, at most 64 MiB. NOT_FOUND.
absl::StatusOr<std::string> ReadCompiledObject(const std::string& path);

}  // namespace kernelsmith::worker
